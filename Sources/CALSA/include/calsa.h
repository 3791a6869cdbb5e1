/// The one module through which Swift reaches ALSA, libsndfile, soxr and (cpattern.h) PCRE2.
///
/// It has a wrapper only if Swift cannot use the C interface itself, or if the render path calls it. There the compiler
/// accepts a C function only if its declaration vouches for it with RT_SAFE.
///
/// A library is opened at the first call of one of its functions (late.h). If it is missing, all its functions fail.
#ifndef CALSA_H
#define CALSA_H

#include "library_functions.h"

/// Vouches that a function takes no lock and allocates nothing, so that the render path may call it.
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

/// Keeps ALSA from printing its errors to stderr. The handler is variadic, which Swift cannot write.
void calsa_silence_errors(void);

/// Keeps ALSA and libjack from printing their errors to stderr, and keeps the first message of the calling thread until
/// `calsa_end_message`. That is the cause; those that follow say what it led to.
///
/// libjack is known once ALSA's plugin has loaded it. `loads_jack`: load it now, because the plugin is about to.
void calsa_begin_message(int loads_jack);

/// The message that this thread has kept since `calsa_begin_message`, on one line; empty if there was none. Valid until the next one.
const char *calsa_end_message(void);

/// Why libsndfile cannot be used, and how to install it; NULL if it can.
const char *sf_library_problem(void);

/// The text of snd_pcm_dump, which names every PCM between soundd and the loudspeaker. The caller frees it. NULL if memory
/// ran out.
char *calsa_describe(snd_pcm_t *pcm);

/// The PCM's descriptor for poll; -1 if it has none or several.
int calsa_descriptor(snd_pcm_t *pcm);

/// The calls to an open PCM, each the snd_pcm_* of its name. The audio thread makes all of them except `close`.
///
/// `calsa_pcm_of` returns those of libasound. Tests pass the calls of a card that plays a script.
typedef struct {
  __typeof__(&snd_pcm_avail) avail;
  __typeof__(&snd_pcm_htimestamp) htimestamp;
  __typeof__(&snd_pcm_delay) delay;
  __typeof__(&snd_pcm_state) state;
  __typeof__(&snd_pcm_prepare) prepare;
  __typeof__(&snd_pcm_start) start;
  __typeof__(&snd_pcm_drop) drop;
  __typeof__(&snd_pcm_resume) resume;
  __typeof__(&snd_pcm_rewind) rewind;
  __typeof__(&snd_pcm_forward) forward;
  __typeof__(&snd_pcm_writei) writei;
  __typeof__(&snd_pcm_mmap_begin) mmap_begin;
  __typeof__(&snd_pcm_mmap_commit) mmap_commit;
  __typeof__(&snd_pcm_close) close;
} calsa_calls;

/// An open PCM and its calls. The calls live as long as the program.
typedef struct {
  snd_pcm_t *handle;
  const calsa_calls *calls;
} calsa_pcm;

/// Makes a PCM with the calls of libasound from one that snd_pcm_open opened. Any thread may call it.
calsa_pcm calsa_pcm_of(snd_pcm_t *handle);

/// Asks the device how many frames can be written (snd_pcm_avail). `at` receives the time of that count, in nanoseconds of
/// CLOCK_MONOTONIC (snd_pcm_htimestamp), or `now` if the device gives no time or uses another clock.
snd_pcm_sframes_t calsa_avail(calsa_pcm pcm, int64_t now, int64_t *at) RT_SAFE;

/// snd_pcm_mmap_begin for interleaved access. Returns the address of the first frame instead of the area's base, first bit and
/// step, from which C programs compute it.
int calsa_mmap_begin(calsa_pcm pcm, void **first, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames) RT_SAFE;

// The other calls, with nothing added.

RT_SAFE static inline int calsa_delay(calsa_pcm pcm, snd_pcm_sframes_t *delay) { return pcm.calls->delay(pcm.handle, delay); }
RT_SAFE static inline int calsa_state(calsa_pcm pcm) { return (int)pcm.calls->state(pcm.handle); }
RT_SAFE static inline int calsa_prepare(calsa_pcm pcm) { return pcm.calls->prepare(pcm.handle); }
RT_SAFE static inline int calsa_start(calsa_pcm pcm) { return pcm.calls->start(pcm.handle); }
RT_SAFE static inline int calsa_drop(calsa_pcm pcm) { return pcm.calls->drop(pcm.handle); }
RT_SAFE static inline int calsa_resume(calsa_pcm pcm) { return pcm.calls->resume(pcm.handle); }
RT_SAFE static inline snd_pcm_sframes_t calsa_rewind(calsa_pcm pcm, snd_pcm_uframes_t frames) {
  return pcm.calls->rewind(pcm.handle, frames);
}
RT_SAFE static inline snd_pcm_sframes_t calsa_forward(calsa_pcm pcm, snd_pcm_uframes_t frames) {
  return pcm.calls->forward(pcm.handle, frames);
}
RT_SAFE static inline snd_pcm_sframes_t calsa_writei(calsa_pcm pcm, const void *frames, snd_pcm_uframes_t count) {
  return pcm.calls->writei(pcm.handle, frames, count);
}
RT_SAFE static inline snd_pcm_sframes_t calsa_mmap_commit(calsa_pcm pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames) {
  return pcm.calls->mmap_commit(pcm.handle, offset, frames);
}

/// Never call it on the audio thread, because it may block.
static inline int calsa_close(calsa_pcm pcm) { return pcm.calls->close(pcm.handle); }

#endif
