#ifndef CMIXER_INLINE_H
#define CMIXER_INLINE_H

#include "cmixer.h"
#include <string.h>

static inline float cmixer_mix(
    const cmixer_kernel *kernel, float *out, size_t frames, const float *const *sources, size_t first,
    const cmixer_gain *gains, size_t voices) {
  return kernel->mix(out, frames, sources, first, gains, voices);
}

static inline void cmixer_add_ramp(
    const cmixer_kernel *kernel, float *out, size_t frames, const float *source, cmixer_gain from, cmixer_gain step,
    float position) {
  kernel->add_ramp(out, frames, source, from, step, position);
}

static inline void cmixer_scale_ramp(
    const cmixer_kernel *kernel, float *samples, size_t frames, float from, float step, float position) {
  kernel->scale_ramp(samples, frames, from, step, position);
}

static inline float cmixer_peak(const cmixer_kernel *kernel, const float *samples, size_t count) {
  return kernel->peak(samples, count);
}

static inline void cmixer_store_int32(const cmixer_kernel *kernel, int32_t *out, const float *samples, size_t count) {
  kernel->store_int32(out, samples, count);
}

static inline void cmixer_store_int24(const cmixer_kernel *kernel, int32_t *out, const float *samples, size_t count) {
  kernel->store_int24(out, samples, count);
}

static inline void cmixer_store_int16(
    const cmixer_kernel *kernel, int16_t *out, const float *samples, size_t count, uint32_t *noise) {
  kernel->store_int16(out, samples, count, noise);
}

static inline void cmixer_zero(void *bytes, size_t count) { memset(bytes, 0, count); }

static inline void cmixer_copy(void *out, const void *bytes, size_t count) { memcpy(out, bytes, count); }

#endif
