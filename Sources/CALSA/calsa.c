#include "calsa.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "late.h"

/// "Can not access a needed shared library".
#define NONE -ELIBACC

CALSA_LIBRARY(
  "libasound.so.2", "libasound2", "recommended", "alsa", "Plays on sound cards and sound servers", ALSA_FUNCTIONS)

/// The first message of a thread. Other threads, such as the audio thread, format nothing.
static _Thread_local struct {
  int is_wanted;
  char text[256];
} message;

/// Ends the message, because it is whole, and puts it on one line.
static void finish_message(void) {
  message.is_wanted = 0;
  size_t length = strlen(message.text);
  while (length > 0 && (unsigned char)message.text[length - 1] <= ' ') message.text[--length] = 0;
  for (char *at = message.text; *at; at++) {
    if ((unsigned char)*at < ' ') *at = ' ';
  }
}

static void keep(const char *file, int line, const char *function, int err, const char *format, ...) {
  (void)file, (void)line, (void)function;
  if (!message.is_wanted) return;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  if (err && length >= 0 && (size_t)length < sizeof message.text) {
    snprintf(message.text + length, sizeof message.text - (size_t)length, ": %s", snd_strerror(err));
  }
  finish_message();
}

/// libjack's errors, each a line.
static void keep_line(const char *text) {
  if (!message.is_wanted) return;
  snprintf(message.text, sizeof message.text, "%s", text);
  finish_message();
}

static void ignore_line(const char *text) { (void)text; }

/// Takes libjack's messages, which it prints otherwise. Nothing here needs libjack, so it is not loaded unless ALSA's plugin is about to
/// load it.
static void take_messages_of_jack(int loads_jack) {
  void *jack = dlopen("libjack.so.0", RTLD_LAZY | (loads_jack ? RTLD_LOCAL : RTLD_NOLOAD));
  if (!jack) return;
  static const struct {
    const char *name;
    void (*handler)(const char *text);
  } setters[] = {{"jack_set_error_function", keep_line}, {"jack_set_info_function", ignore_line}};
  for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++) {
    void (*set)(void (*handler)(const char *text)) = NULL;
    void *symbol = dlsym(jack, setters[i].name);
    // POSIX allows this conversion.
    memcpy(&set, &symbol, sizeof set);
    if (set) set(setters[i].handler);
  }
  // It stays loaded, because its messages come to these functions.
}

void calsa_silence_errors(void) { snd_lib_error_set_handler(keep); }

void calsa_begin_message(int loads_jack) {
  calsa_silence_errors();
  take_messages_of_jack(loads_jack);
  message.text[0] = 0;
  message.is_wanted = 1;
}

const char *calsa_end_message(void) {
  message.is_wanted = 0;
  return message.text;
}

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
