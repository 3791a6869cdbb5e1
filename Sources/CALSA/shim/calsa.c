#include "calsa.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

snd_pcm_sframes_t calsa_avail(snd_pcm_t *pcm, int64_t now, int64_t *at) {
  *at = now;
  snd_pcm_sframes_t avail = snd_pcm_avail(pcm);
  if (avail < 0) return avail;
  snd_pcm_uframes_t stamped;
  snd_htimestamp_t stamp;
  if (snd_pcm_htimestamp(pcm, &stamped, &stamp) < 0) return avail;
  int64_t time = (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
  // The clock was read before the device was asked.
  if (time < now - 20000000 || time > now + 20000000) return avail;
  *at = time;
  return (snd_pcm_sframes_t)stamped;
}

snd_pcm_sframes_t calsa_rewind(snd_pcm_t *pcm, snd_pcm_uframes_t frames) { return snd_pcm_rewind(pcm, frames); }
snd_pcm_sframes_t calsa_forward(snd_pcm_t *pcm, snd_pcm_uframes_t frames) { return snd_pcm_forward(pcm, frames); }
int calsa_delay(snd_pcm_t *pcm, snd_pcm_sframes_t *delay) { return snd_pcm_delay(pcm, delay); }
int calsa_state(snd_pcm_t *pcm) { return (int)snd_pcm_state(pcm); }
int calsa_start(snd_pcm_t *pcm) { return snd_pcm_start(pcm); }
int calsa_drop(snd_pcm_t *pcm) { return snd_pcm_drop(pcm); }
int calsa_prepare(snd_pcm_t *pcm) { return snd_pcm_prepare(pcm); }
int calsa_resume(snd_pcm_t *pcm) { return snd_pcm_resume(pcm); }

snd_pcm_sframes_t calsa_writei(snd_pcm_t *pcm, const void *frames, snd_pcm_uframes_t count) {
  return snd_pcm_writei(pcm, frames, count);
}

snd_pcm_sframes_t calsa_mmap_commit(snd_pcm_t *pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames) {
  return snd_pcm_mmap_commit(pcm, offset, frames);
}

int calsa_mmap_begin(snd_pcm_t *pcm, void **first, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames) {
  const snd_pcm_channel_area_t *area = NULL;
  int err = snd_pcm_mmap_begin(pcm, &area, offset, frames);
  if (err < 0) return err;
  *first = (char *)area->addr + (area->first + *offset * area->step) / 8;
  return 0;
}
