#include "calsa.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "late.h"

/// "Can not access a needed shared library".
#define NONE -ELIBACC

// clang-format off
#define FUNCTIONS(X) \
  X(int, snd_lib_error_set_handler, (snd_lib_error_handler_t handler), (handler), NONE) \
  X(const char *, snd_strerror, (int error), (error), problem()) \
  X(int, snd_output_buffer_open, (snd_output_t **output), (output), NONE) \
  X(size_t, snd_output_buffer_string, (snd_output_t *output, char **text), (output, text), 0) \
  X(int, snd_output_close, (snd_output_t *output), (output), NONE) \
  X(int, snd_config_update_free_global, (void), (), NONE) \
  X(int, snd_card_next, (int *card), (card), NONE) \
  X(int, snd_card_get_name, (int card, char **name), (card, name), NONE) \
  X(int, snd_device_name_hint, (int card, const char *interface, void ***hints), (card, interface, hints), NONE) \
  X(int, snd_device_name_free_hint, (void **hints), (hints), NONE) \
  X(char *, snd_device_name_get_hint, (const void *hint, const char *key), (hint, key), NULL) \
  X(int, snd_pcm_open, \
    (snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode), \
    (pcm, name, stream, mode), NONE) \
  X(int, snd_pcm_close, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_dump, (snd_pcm_t *pcm, snd_output_t *output), (pcm, output), NONE) \
  X(snd_pcm_type_t, snd_pcm_type, (snd_pcm_t *pcm), (pcm), SND_PCM_TYPE_NULL) \
  X(const char *, snd_pcm_type_name, (snd_pcm_type_t type), (type), NULL) \
  X(int, snd_pcm_poll_descriptors_count, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_poll_descriptors, \
    (snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int room), \
    (pcm, descriptors, room), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_avail, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_htimestamp, \
    (snd_pcm_t *pcm, snd_pcm_uframes_t *avail, snd_htimestamp_t *stamp), \
    (pcm, avail, stamp), NONE) \
  X(int, snd_pcm_delay, (snd_pcm_t *pcm, snd_pcm_sframes_t *delay), (pcm, delay), NONE) \
  X(snd_pcm_state_t, snd_pcm_state, (snd_pcm_t *pcm), (pcm), SND_PCM_STATE_DISCONNECTED) \
  X(int, snd_pcm_prepare, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_start, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_drop, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_resume, (snd_pcm_t *pcm), (pcm), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_rewind, (snd_pcm_t *pcm, snd_pcm_uframes_t frames), (pcm, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_forward, (snd_pcm_t *pcm, snd_pcm_uframes_t frames), (pcm, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_writei, \
    (snd_pcm_t *pcm, const void *frames, snd_pcm_uframes_t count), \
    (pcm, frames, count), NONE) \
  X(int, snd_pcm_mmap_begin, \
    (snd_pcm_t *pcm, const snd_pcm_channel_area_t **areas, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames), \
    (pcm, areas, offset, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_mmap_commit, \
    (snd_pcm_t *pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames), \
    (pcm, offset, frames), NONE) \
  X(int, snd_pcm_info_malloc, (snd_pcm_info_t **info), (info), NONE) \
  X(void, snd_pcm_info_free, (snd_pcm_info_t *info), (info),) \
  X(int, snd_pcm_info, (snd_pcm_t *pcm, snd_pcm_info_t *info), (pcm, info), NONE) \
  X(int, snd_pcm_info_get_card, (const snd_pcm_info_t *info), (info), NONE) \
  X(int, snd_pcm_hw_params_malloc, (snd_pcm_hw_params_t **hardware), (hardware), NONE) \
  X(void, snd_pcm_hw_params_free, (snd_pcm_hw_params_t *hardware), (hardware),) \
  X(int, snd_pcm_hw_params_any, (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware), (pcm, hardware), NONE) \
  X(int, snd_pcm_hw_params, (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware), (pcm, hardware), NONE) \
  X(int, snd_pcm_hw_params_is_batch, (const snd_pcm_hw_params_t *hardware), (hardware), NONE) \
  X(int, snd_pcm_hw_params_can_disable_period_wakeup, (const snd_pcm_hw_params_t *hardware), (hardware), NONE) \
  X(int, snd_pcm_hw_params_set_period_wakeup, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int wakes), \
    (pcm, hardware, wakes), NONE) \
  X(int, snd_pcm_hw_params_set_access, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_access_t access), \
    (pcm, hardware, access), NONE) \
  X(int, snd_pcm_hw_params_set_format, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_format_t format), \
    (pcm, hardware, format), NONE) \
  X(int, snd_pcm_hw_params_set_channels_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int *channels), \
    (pcm, hardware, channels), NONE) \
  X(int, snd_pcm_hw_params_set_rate_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int *rate, int *side), \
    (pcm, hardware, rate, side), NONE) \
  X(int, snd_pcm_hw_params_set_period_size_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames, int *side), \
    (pcm, hardware, frames, side), NONE) \
  X(int, snd_pcm_hw_params_get_period_size, \
    (const snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames, int *side), \
    (hardware, frames, side), NONE) \
  X(int, snd_pcm_hw_params_set_buffer_size_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames), \
    (pcm, hardware, frames), NONE) \
  X(int, snd_pcm_hw_params_get_buffer_size, \
    (const snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames), \
    (hardware, frames), NONE) \
  X(int, snd_pcm_sw_params_malloc, (snd_pcm_sw_params_t **software), (software), NONE) \
  X(void, snd_pcm_sw_params_free, (snd_pcm_sw_params_t *software), (software),) \
  X(int, snd_pcm_sw_params_current, (snd_pcm_t *pcm, snd_pcm_sw_params_t *software), (pcm, software), NONE) \
  X(int, snd_pcm_sw_params, (snd_pcm_t *pcm, snd_pcm_sw_params_t *software), (pcm, software), NONE) \
  X(int, snd_pcm_sw_params_get_boundary, \
    (const snd_pcm_sw_params_t *software, snd_pcm_uframes_t *frames), \
    (software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_start_threshold, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_stop_threshold, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_avail_min, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_tstamp_mode, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_tstamp_t mode), \
    (pcm, software, mode), NONE) \
  X(int, snd_pcm_sw_params_set_tstamp_type, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_tstamp_type_t type), \
    (pcm, software, type), NONE)
// clang-format on

CALSA_LIBRARY(
  "libasound.so.2", "libasound2", "recommended", "alsa", "Plays on sound cards and sound servers", FUNCTIONS)

static void silent(const char *file, int line, const char *function, int err, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)err, (void)format;
}

void calsa_silence_errors(void) { snd_lib_error_set_handler(silent); }

char *calsa_describe(snd_pcm_t *pcm) {
  snd_output_t *output = NULL;
  if (snd_output_buffer_open(&output) < 0) return NULL;
  char *text = NULL, *copy = NULL;
  if (snd_pcm_dump(pcm, output) >= 0) {
    size_t length = snd_output_buffer_string(output, &text);
    copy = text ? strndup(text, length) : NULL;
  }
  snd_output_close(output);
  return copy;
}

int calsa_descriptor(snd_pcm_t *pcm) {
  struct pollfd descriptor;
  if (snd_pcm_poll_descriptors_count(pcm) != 1) return -1;
  return snd_pcm_poll_descriptors(pcm, &descriptor, 1) == 1 ? descriptor.fd : -1;
}

static calsa_calls calls;

static void fill_calls(void) {
  calls = (calsa_calls){
      .avail = table.snd_pcm_avail,
      .htimestamp = table.snd_pcm_htimestamp,
      .delay = table.snd_pcm_delay,
      .state = table.snd_pcm_state,
      .prepare = table.snd_pcm_prepare,
      .start = table.snd_pcm_start,
      .drop = table.snd_pcm_drop,
      .resume = table.snd_pcm_resume,
      .rewind = table.snd_pcm_rewind,
      .forward = table.snd_pcm_forward,
      .writei = table.snd_pcm_writei,
      .mmap_begin = table.snd_pcm_mmap_begin,
      .mmap_commit = table.snd_pcm_mmap_commit,
      .close = table.snd_pcm_close,
  };
}

calsa_pcm calsa_pcm_of(snd_pcm_t *handle) {
  // The PCM was opened, so the table of functions is complete.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_calls);
  return (calsa_pcm){handle, &calls};
}

snd_pcm_sframes_t calsa_avail(calsa_pcm pcm, int64_t now, int64_t *at) {
  *at = now;
  snd_pcm_sframes_t avail = pcm.calls->avail(pcm.handle);
  if (avail < 0) return avail;
  snd_pcm_uframes_t stamped;
  snd_htimestamp_t stamp;
  if (pcm.calls->htimestamp(pcm.handle, &stamped, &stamp) < 0) return avail;
  int64_t time = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  // The clock was read before the device was asked.
  if (time < now - 20000000 || time > now + 20000000) return avail;
  *at = time;
  return (snd_pcm_sframes_t)stamped;
}

int calsa_mmap_begin(calsa_pcm pcm, void **first, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames) {
  const snd_pcm_channel_area_t *area = NULL;
  int err = pcm.calls->mmap_begin(pcm.handle, &area, offset, frames);
  if (err < 0) return err;
  *first = (char *)area->addr + (area->first + *offset * area->step) / 8;
  return 0;
}
