#include "calsa.h"

#include <stdarg.h>
#include <stddef.h>

static void silent(const char *file, int line, const char *function, int err, const char *format, ...) {
  (void)file, (void)line, (void)function, (void)err, (void)format;
}

void calsa_silence_errors(void) { snd_lib_error_set_handler(silent); }

snd_pcm_sframes_t calsa_avail_update(snd_pcm_t *pcm) { return snd_pcm_avail_update(pcm); }
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

int calsa_poll_descriptors(snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int space) {
  return snd_pcm_poll_descriptors(pcm, descriptors, space);
}

int calsa_poll_revents(
    snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count, unsigned short *revents) {
  return snd_pcm_poll_descriptors_revents(pcm, descriptors, count, revents);
}

int calsa_mmap_begin(snd_pcm_t *pcm, void **first, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames) {
  const snd_pcm_channel_area_t *area = NULL;
  int err = snd_pcm_mmap_begin(pcm, &area, offset, frames);
  if (err < 0) return err;
  *first = (char *)area->addr + (area->first + *offset * area->step) / 8;
  return 0;
}
