/// The mixing kernel: the part of the mixer that must be vector code on every machine, in portable C.
///
/// The kernel is compiled once per instruction set, and the program chooses the best one at its start. A Swift package can
/// neither ask for a target CPU nor compile one file several times. Samples are interleaved stereo float32.
#ifndef CMIXER_H
#define CMIXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Vouches that a function takes no lock and allocates nothing, so that the render path may call it.
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

/// How many random numbers the dither's generators make at once.
#define CMIXER_NOISE 16

/// A factor for each channel.
typedef struct {
  float left, right;
} cmixer_gain;

/// One level of the kernel. Immutable and never freed; any thread may use it.
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
/// The kernel of a level in 0 ..< cmixer_levels(). For a level outside, returns the nearest kernel.
const cmixer_kernel *cmixer_kernel_at(int level);

/// out[i] = sum over voices of source[first + i] * gain; `first` counts frames. Overwrites `out`. Without voices the sum is
/// silence. Returns the largest magnitude.
///
/// Works on whole groups of up to 8 frames, so it reads, writes and measures up to 7 frames more than asked for.
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
/// Adds dither (triangular, ±1 of 16 bits), unless all samples are whole 16-bit numbers, which stay unchanged.
/// `noise` is the state of the dither: CMIXER_NOISE different numbers, none of them 0.
static inline void cmixer_store_int16(
    const cmixer_kernel *kernel, int16_t *out, const float *samples, size_t count, uint32_t *noise) RT_SAFE;

/// How far a limiter reduces the gain; all zero at rest.
typedef struct {
  /// 1 minus the gain; exactly 0 again at the end of the release.
  float missing;
  /// How many frames remain before the gain may rise.
  int32_t held;
} cmixer_reduction;

/// Keeps every frame within ±1. The gain falls at once to the value that a frame needs. It stays there until no frame was near
/// full scale for `hold` frames. Then each frame takes away the fraction `release` of its distance to 1.
void cmixer_limit(float *samples, size_t frames, int32_t hold, float release, cmixer_reduction *reduction) RT_SAFE;

/// Makes `count` stereo frames of `frames` that are read in steps of `step` frames, by cubic interpolation (Catmull and Rom). With
/// `loops` the first frame follows the last one; otherwise silence does, and the two frames on either side of `in` may be read. Not
/// for the audio thread: the time that it takes grows with `count`.
void cmixer_resample(float *out, size_t count, const float *in, size_t frames, double step, bool loops);

/// Spreads stereo samples of `width` bytes over frames of `channels` (1: the left sample; more: the first two, the rest 0).
void cmixer_spread(void *out, size_t channels, const void *stereo, size_t frames, size_t width) RT_SAFE;
/// Sets left and right of every frame to their mean, which a device of one channel plays.
void cmixer_fold(float *samples, size_t frames) RT_SAFE;
/// Packs the low three bytes of every 32-bit sample, little-endian (ALSA's S24_3LE).
void cmixer_pack_int24(uint8_t *out, const int32_t *samples, size_t count) RT_SAFE;

/// memset(…, 0, …) and memcpy.
static inline void cmixer_zero(void *bytes, size_t count) RT_SAFE;
static inline void cmixer_copy(void *out, const void *bytes, size_t count) RT_SAFE;

/// Makes this thread's processor treat denormal numbers as zero, because a fading tail would otherwise cost a hundred times more.
void cmixer_flush_denormals(void) RT_SAFE;
/// Whether this thread's processor does so.
int cmixer_flushes_denormals(void) RT_SAFE;

#include "cmixer_inline.h"

#endif
