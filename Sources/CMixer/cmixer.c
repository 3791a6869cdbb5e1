#include "cmixer.h"

#if defined(__x86_64__)
#define BASELINE_NAME "SSE2"
#elif defined(__aarch64__)
#define BASELINE_NAME "NEON"
#else
#define BASELINE_NAME "portable"
#endif

#define TARGET
#define LEVEL baseline
#define LEVEL_NAME BASELINE_NAME
#define LANES 4
#include "kernel.h"

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL avx2
#define LEVEL_NAME "AVX2"
#define LANES 8
#include "kernel.h"

#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma"), min_vector_width(512)))
#define LEVEL avx512
#define LEVEL_NAME "AVX-512"
#define LANES 16
#include "kernel.h"

static const cmixer_kernel *const kernels[] = {&kernel_baseline, &kernel_avx2, &kernel_avx512};

int cmixer_levels(void) {
  // Chosen by hand, because the resolver of target_clones runs before a sanitizer is ready, and crashes then.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl"))
    return 2;
  return 3;
}

#else

static const cmixer_kernel *const kernels[] = {&kernel_baseline};

int cmixer_levels(void) { return 1; }

#endif

const cmixer_kernel *cmixer_kernel_at(int level) {
  const int levels = cmixer_levels();
  return kernels[level < 0 ? 0 : level >= levels ? levels - 1 : level];
}

void cmixer_limit(float *samples, size_t frames, int32_t hold, float release, cmixer_reduction *reduction) {
  // Just below 1, so that the rounded product cannot exceed 1.
  const float ceiling = 1 - 0x1p-22f;
  // A wave's next crest renews the hold at the same gain, even if that crest is a little lower.
  const float near = 0.98f;
  // Kept as 1 minus the gain, because near 1 a float is too coarse for the small steps of the release.
  float missing = reduction->missing;
  int32_t held = reduction->held;
  for (size_t i = 0; i < frames; i++) {
    const float left = __builtin_fabsf(samples[2 * i]), right = __builtin_fabsf(samples[2 * i + 1]);
    const float peak = left > right ? left : right;
    if (held > 0) {
      held--;
    } else {
      missing -= missing * release;
      if (missing < 0x1p-17f) missing = 0;
    }
    float gain = 1 - missing;
    if (peak * gain > 1) {
      // Uses the gain itself in this frame, because 1 - (1 - gain) is too coarse for a small gain.
      gain = ceiling / peak;
      missing = 1 - gain;
      held = hold;
    } else if (missing > 0 && peak * gain > near) {
      held = hold;
    }
    samples[2 * i] *= gain;
    samples[2 * i + 1] *= gain;
  }
  reduction->missing = missing;
  reduction->held = held;
}

void cmixer_resample(float *out, size_t count, const float *in, size_t frames, double step, bool loops) {
  for (size_t i = 0; i < count; i++) {
    const double position = (double)i * step;
    const size_t at = (size_t)position < frames ? (size_t)position : frames - 1;
    const float t = (float)(position - (double)at);
    const float weights[4] = {((-0.5f * t + 1) * t - 0.5f) * t, (1.5f * t - 2.5f) * t * t + 1,
                              ((-1.5f * t + 2) * t + 0.5f) * t, (0.5f * t - 0.5f) * t * t};
    float left = 0, right = 0;
    for (size_t tap = 0; tap < 4; tap++) {
      const float *frame = in + 2 * ((ptrdiff_t)(at + tap) - 1);
      if (loops) frame = in + 2 * ((at + tap + frames - 1) % frames);
      left += weights[tap] * frame[0];
      right += weights[tap] * frame[1];
    }
    out[2 * i] = left;
    out[2 * i + 1] = right;
  }
}

void cmixer_fold(float *samples, size_t frames) {
  for (size_t i = 0; i < frames; i++)
    samples[2 * i] = samples[2 * i + 1] = 0.5f * (samples[2 * i] + samples[2 * i + 1]);
}

void cmixer_spread(void *out, size_t channels, const void *stereo, size_t frames, size_t width) {
  const size_t kept = width * (channels < 2 ? channels : 2);
  char *to = out;
  const char *from = stereo;
  for (size_t i = 0; i < frames; i++, to += channels * width, from += 2 * width) {
    memcpy(to, from, kept);
    memset(to + kept, 0, channels * width - kept);
  }
}

void cmixer_pack_int24(uint8_t *out, const int32_t *samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    out[3 * i] = (uint8_t)samples[i];
    out[3 * i + 1] = (uint8_t)(samples[i] >> 8);
    out[3 * i + 2] = (uint8_t)(samples[i] >> 16);
  }
}

#if defined(__x86_64__)
#include <immintrin.h>
static const unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
void cmixer_flush_denormals(void) { _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero); }
int cmixer_flushes_denormals(void) {
  const unsigned both = flush_to_zero | denormals_are_zero;
  return (_mm_getcsr() & both) == both;
}
#elif defined(__aarch64__)
static const uint64_t flush_to_zero = UINT64_C(1) << 24;
static uint64_t control(void) {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void cmixer_flush_denormals(void) { __asm__ volatile("msr fpcr, %0" : : "r"(control() | flush_to_zero)); }
int cmixer_flushes_denormals(void) { return (control() & flush_to_zero) != 0; }
#else
void cmixer_flush_denormals(void) {}
int cmixer_flushes_denormals(void) { return 0; }
#endif
