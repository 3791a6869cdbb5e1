/// The mixing kernel: what must be vector code on every machine, in portable C.
///
/// The same source is compiled once per instruction set and the best one is chosen at start, because a Swift package
/// can neither ask for a target CPU nor compile one file several times. Samples are interleaved stereo float32.
#ifndef CMIXER_H
#define CMIXER_H

#include <stddef.h>
#include <stdint.h>

/// Vouches that a function takes no lock and allocates nothing, so that the render path may call it.
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

/// How many samples the dither's generators make at once.
#define CMIXER_NOISE 16

/// A factor for either channel.
typedef struct {
  float left, right;
} cmixer_gain;

/// One level of the kernel. Immutable, alive for ever, used by any thread.
typedef struct cmixer_kernel {
  const char *name;
  float (*mix)(
      float *out, size_t frames, const float *const *sources, size_t first, const cmixer_gain *gains, size_t voices);
  void (*add_ramp)(
      float *out, size_t frames, const float *source, cmixer_gain from, cmixer_gain step, float position);
  void (*scale_ramp)(float *samples, size_t frames, float from, float step, float position);
  float (*peak)(const float *samples, size_t count);
  void (*store_int32)(int32_t *out, const float *samples, size_t count);
  void (*store_int24)(int32_t *out, const float *samples, size_t count);
  void (*store_int16)(int16_t *out, const float *samples, size_t count, uint32_t *noise);
} cmixer_kernel;

/// How many levels this processor can run; at least 1. Level 0 is the baseline, the last one the best.
int cmixer_levels(void);
/// The kernel of a level in 0 ..< cmixer_levels(); a level outside gives the nearest one.
const cmixer_kernel *cmixer_kernel_at(int level);

/// out[i] = sum over voices of source[first + i] * gain, `first` counting frames. Overwrites `out`; no voices means silence. Returns the largest magnitude.
///
/// Works on whole groups of up to 8 frames: as many more are read from the sources, written to `out` and regarded.
static inline float cmixer_mix(
    const cmixer_kernel *kernel, float *out, size_t frames, const float *const *sources, size_t first,
    const cmixer_gain *gains, size_t voices) RT_SAFE;
/// out[i] += source[i] * (from + step * (position + i)).
static inline void cmixer_add_ramp(
    const cmixer_kernel *kernel, float *out, size_t frames, const float *source, cmixer_gain from, cmixer_gain step,
    float position) RT_SAFE;
/// samples[i] *= from + step * (position + i), the same factor for both channels of a frame.
static inline void cmixer_scale_ramp(
    const cmixer_kernel *kernel, float *samples, size_t frames, float from, float step, float position) RT_SAFE;
/// The largest magnitude; 0 for no samples.
static inline float cmixer_peak(const cmixer_kernel *kernel, const float *samples, size_t count) RT_SAFE;
/// Conversions from ±1, saturating. int24 is the low three bytes of 32 bits, sign-extended.
static inline void cmixer_store_int32(
    const cmixer_kernel *kernel, int32_t *out, const float *samples, size_t count) RT_SAFE;
static inline void cmixer_store_int24(
    const cmixer_kernel *kernel, int32_t *out, const float *samples, size_t count) RT_SAFE;
/// With dither (triangular, ±1 of 16 bits), unless all samples are whole 16-bit numbers: these come out as they are.
/// `noise` is the state of the dither: CMIXER_NOISE numbers, none of them 0 and no two alike.
static inline void cmixer_store_int16(
    const cmixer_kernel *kernel, int16_t *out, const float *samples, size_t count, uint32_t *noise) RT_SAFE;

/// What a limiter takes away; all zero at rest.
typedef struct {
  /// 1 minus the gain; exactly 0 again at the end of the release.
  float missing;
  /// For how many frames the gain does not rise yet.
  int32_t held;
} cmixer_reduction;

/// Keeps every frame within ±1: the gain falls at once to what a frame needs, stands still until for `hold` frames none
/// has come near full scale, and then gets back `release` of what is missing to 1 per frame.
void cmixer_limit(float *samples, size_t frames, int32_t hold, float release, cmixer_reduction *reduction) RT_SAFE;

/// Spreads stereo samples of `width` bytes over frames of `channels` (1: the left sample; more: the first two, the rest 0).
void cmixer_spread(void *out, size_t channels, const void *stereo, size_t frames, size_t width) RT_SAFE;
/// Sets left and right of every frame to their mean, which a device of one channel plays.
void cmixer_fold(float *samples, size_t frames) RT_SAFE;
/// Packs the low three bytes of every 32-bit sample, little-endian (ALSA's S24_3LE).
void cmixer_pack_int24(uint8_t *out, const int32_t *samples, size_t count) RT_SAFE;

/// memset(…, 0, …) and memcpy.
static inline void cmixer_zero(void *bytes, size_t count) RT_SAFE;
static inline void cmixer_copy(void *out, const void *bytes, size_t count) RT_SAFE;

/// Lets this thread's processor treat denormal numbers as zero: a fading tail would otherwise cost a hundred times more.
void cmixer_flush_denormals(void) RT_SAFE;
/// Whether this thread's processor does so.
int cmixer_flushes_denormals(void) RT_SAFE;

#include "cmixer_inline.h"

#endif
