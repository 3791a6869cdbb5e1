// The kernel's body, included once per instruction set with
//   TARGET  the function attribute that names the set
//   LEVEL   what is appended to the names
//   CHUNK   floats per chunk: as many as stay in registers while the loop runs over the voices
//
// Portable C that the compiler turns into vector code; at -O2 it equals hand-written intrinsics.

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAMED(name) JOIN(name, LEVEL)
#define VECTORIZE _Pragma("clang loop vectorize(enable) unroll(full)")

TARGET static void NAMED(mix)(
    float *restrict out, size_t frames, const float *const *sources, const cmixer_gain *gains, size_t voices) {
  const size_t count = 2 * frames;
  size_t at = 0;
  for (; at + CHUNK <= count; at += CHUNK) {
    float sum[CHUNK];
    for (int i = 0; i < CHUNK; i++) sum[i] = 0;
    for (size_t v = 0; v < voices; v++) {
      const float *source = sources[v] + at;
      const float left = gains[v].left, right = gains[v].right;
      VECTORIZE for (int i = 0; i < CHUNK; i++) sum[i] += source[i] * ((i & 1) ? right : left);
    }
    for (int i = 0; i < CHUNK; i++) out[at + i] = sum[i];
  }
  for (; at < count; at += 2) {
    float left = 0, right = 0;
    for (size_t v = 0; v < voices; v++) {
      left += sources[v][at] * gains[v].left;
      right += sources[v][at + 1] * gains[v].right;
    }
    out[at] = left;
    out[at + 1] = right;
  }
}

TARGET static void NAMED(add_ramp)(
    float *restrict out, size_t frames, const float *restrict source, cmixer_gain from, cmixer_gain step,
    float position) {
  for (size_t i = 0; i < frames; i++) {
    const float at = position + (float)(int)i;
    out[2 * i] += source[2 * i] * (from.left + step.left * at);
    out[2 * i + 1] += source[2 * i + 1] * (from.right + step.right * at);
  }
}

TARGET static void NAMED(scale_ramp)(float *restrict samples, size_t frames, float from, float step, float position) {
  for (size_t i = 0; i < frames; i++) {
    const float gain = from + step * (position + (float)(int)i);
    samples[2 * i] *= gain;
    samples[2 * i + 1] *= gain;
  }
}

TARGET static float NAMED(peak)(const float *restrict samples, size_t count) {
  // Sixteen running maxima, since one alone would be a chain of dependent steps.
  float most[16] = {0};
  size_t at = 0;
  for (; at + 16 <= count; at += 16)
    VECTORIZE for (int i = 0; i < 16; i++) {
      const float size = __builtin_fabsf(samples[at + i]);
      most[i] = size > most[i] ? size : most[i];
    }
  for (; at < count; at++) {
    const float size = __builtin_fabsf(samples[at]);
    most[0] = size > most[0] ? size : most[0];
  }
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; i++) most[i] = most[i + half] > most[i] ? most[i + half] : most[i];
  return most[0];
}

// All integer formats go through 32 bits: a float's 24 bits of precision fit, and shifting rounds without a libm call.
// No sample is NaN here: loading refuses sounds that hold one, and sums of what is left are finite.
#define AS_INT32(x) \
  ((int32_t)(((x) > 1.f - 0x1p-24f ? 1.f - 0x1p-24f : (x) < -1.f ? -1.f : (x)) * 0x1p31f))

TARGET static void NAMED(store_int32)(int32_t *restrict out, const float *restrict samples, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = AS_INT32(samples[i]);
}

// (v >> (n - 1)) + 1 >> 1 rounds to nearest without overflow.
TARGET static void NAMED(store_int24)(int32_t *restrict out, const float *restrict samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int32_t rounded = ((AS_INT32(samples[i]) >> 7) + 1) >> 1;
    out[i] = rounded > 0x7fffff ? 0x7fffff : rounded;
  }
}

TARGET static void NAMED(store_int16)(int16_t *restrict out, const float *restrict samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int32_t rounded = ((AS_INT32(samples[i]) >> 15) + 1) >> 1;
    out[i] = (int16_t)(rounded > 0x7fff ? 0x7fff : rounded);
  }
}

static const cmixer_kernel NAMED(kernel) = {
    .name = LEVEL_NAME,
    .mix = NAMED(mix),
    .add_ramp = NAMED(add_ramp),
    .scale_ramp = NAMED(scale_ramp),
    .peak = NAMED(peak),
    .store_int32 = NAMED(store_int32),
    .store_int24 = NAMED(store_int24),
    .store_int16 = NAMED(store_int16),
};

#undef AS_INT32
#undef VECTORIZE
#undef NAMED
#undef JOIN
#undef JOIN_
#undef TARGET
#undef LEVEL
#undef LEVEL_NAME
#undef CHUNK
