/// Other mixers, driven block by block without a device, and a bare kernel. All mix the same voices: looping stereo
/// clips of float32 at 48 kHz, each times a gain. Used by one thread.
#ifndef PEERS_H
#define PEERS_H

#include <stddef.h>

/// The clips and gains to mix.
typedef struct {
  /// Interleaved stereo; alive and unchanged until the peer is closed.
  const float *const *clips;
  /// The length of every clip, in frames.
  size_t frames;
  /// In 128ths, below 128: the steps that SDL2_mixer has.
  const int *gains;
  size_t voices;
} peer_voices;

/// SDL2_mixer in float32. `device` is the path of the library SDLDevice. Returns NULL, or why it cannot be had.
const char *sdl_open(const peer_voices *voices, const char *device);
void sdl_render(float *out, size_t frames);
void sdl_close(void);

/// OpenAL Soft in float32, through ALC_SOFT_loopback. `direct`: whether the sources' channels go straight to the output's
/// (AL_SOFT_direct_channels), which is the least that it can do, or are panned, which is what it does by default.
const char *openal_open(const peer_voices *voices, int direct);
void openal_render(float *out, size_t frames);
void openal_close(void);

/// The least that sums voices with gains: AVX2 intrinsics, no commands, no limiter, no format.
const char *bare_open(const peer_voices *voices);
void bare_render(float *out, size_t frames);
void bare_close(void);

#endif
