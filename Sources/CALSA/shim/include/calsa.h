/// The one module through which Swift reaches ALSA, libsndfile, soxr and (cpattern.h) PCRE2.
///
/// A wrapper stands here only where Swift cannot use the C interface itself, or where the render path calls it:
/// the compiler accepts a C function there only if its declaration vouches for it with RT_SAFE.
///
/// The libraries are opened at the first call of one of their functions (late.h). Without one they all fail.
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>
#include <sndfile.h>
#include <soxr.h>

/// Vouches that a function takes no lock and allocates nothing, so that the render path may call it.
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

/// ALSA prints its errors to stderr through a variadic handler, which Swift cannot write: this one stays silent.
void calsa_silence_errors(void);

/// The kinds of PCM between us and the loudspeaker, as snd_pcm_dump tells them; the caller frees it. NULL without memory.
char *calsa_describe(snd_pcm_t *pcm);

/// The one descriptor that poll is to be called with; -1 if there are none or several.
int calsa_descriptor(snd_pcm_t *pcm);

// The PCM calls of the audio thread. Each is the snd_pcm_* of its name.
snd_pcm_sframes_t calsa_rewind(snd_pcm_t *pcm, snd_pcm_uframes_t frames) RT_SAFE;
snd_pcm_sframes_t calsa_forward(snd_pcm_t *pcm, snd_pcm_uframes_t frames) RT_SAFE;
int calsa_delay(snd_pcm_t *pcm, snd_pcm_sframes_t *delay) RT_SAFE;
int calsa_state(snd_pcm_t *pcm) RT_SAFE;
int calsa_start(snd_pcm_t *pcm) RT_SAFE;
int calsa_drop(snd_pcm_t *pcm) RT_SAFE;
int calsa_prepare(snd_pcm_t *pcm) RT_SAFE;
int calsa_resume(snd_pcm_t *pcm) RT_SAFE;
snd_pcm_sframes_t calsa_writei(snd_pcm_t *pcm, const void *frames, snd_pcm_uframes_t count) RT_SAFE;
snd_pcm_sframes_t calsa_mmap_commit(snd_pcm_t *pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames) RT_SAFE;

/// How many frames could be written, after asking the device itself (snd_pcm_avail), and when that was so, in nanoseconds
/// of CLOCK_MONOTONIC (snd_pcm_htimestamp; `now` where the device stamps nothing or by another clock).
snd_pcm_sframes_t calsa_avail(snd_pcm_t *pcm, int64_t now, int64_t *at) RT_SAFE;

/// snd_pcm_mmap_begin for interleaved access: gives the address of the first frame itself rather than the area's
/// base, first bit and step, which are macros' work in C.
int calsa_mmap_begin(
    snd_pcm_t *pcm, void **first, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames) RT_SAFE;

#endif
