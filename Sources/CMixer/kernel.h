// The kernel's body, included once per instruction set with
//   TARGET  the function attribute that names the set
//   LEVEL   the suffix of the names
//   LANES   floats per register
//
// Portable C (with Clang's vector types where the registers matter) that the compiler turns into vector code; at -O2 it
// equals hand-written intrinsics.

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAMED(name) JOIN(name, LEVEL)
#define UNROLL _Pragma("clang loop unroll(full)")
#define INLINE TARGET static inline __attribute__((always_inline))

typedef float NAMED(vector) __attribute__((ext_vector_type(LANES), may_alias, aligned(4)));
typedef double NAMED(pairs) __attribute__((ext_vector_type(LANES / 2)));
#define vector NAMED(vector)

INLINE vector NAMED(larger)(vector one, vector other) { return one > other ? one : other; }

INLINE float NAMED(largest)(vector most) {
  float all[LANES];
  memcpy(all, &most, sizeof all);
  for (int half = LANES / 2; half > 0; half /= 2)
    UNROLL for (int i = 0; i < half; i++) all[i] = all[i + half] > all[i] ? all[i + half] : all[i];
  return all[0];
}

/// A register with the left and the right value in turn.
INLINE vector NAMED(both)(const cmixer_gain *gain) {
  double pair;
  memcpy(&pair, gain, sizeof pair);
  const NAMED(pairs) all = pair;
  return __builtin_bit_cast(vector, all);
}

/// Sums `width` vectors, at most 8, because that many stay in registers while the loop runs over the voices. `asks` prefetches
/// the vectors of the next round, because later ones would leave the first-level cache again.
INLINE vector NAMED(sum)(
    float *restrict out, const float *const *sources, size_t at, const cmixer_gain *gains, size_t voices, vector most,
    const int width, const int asks) {
  vector sum[8];
  UNROLL for (int i = 0; i < width; i++) sum[i] = 0;
  const size_t even = voices & ~(size_t)1;
  for (size_t v = 0; v < even; v += 2) {
    const vector *one = (const vector *)(sources[v] + at), *two = (const vector *)(sources[v + 1] + at);
    const vector gain = NAMED(both)(gains + v), other = NAMED(both)(gains + v + 1);
    if (asks) UNROLL for (int i = 0; i < width * LANES; i += 16) {
      __builtin_prefetch((const float *)(one + width) + i);
      __builtin_prefetch((const float *)(two + width) + i);
    }
    UNROLL for (int i = 0; i < width; i++) sum[i] += one[i] * gain;
    UNROLL for (int i = 0; i < width; i++) sum[i] += two[i] * other;
  }
  if (even < voices) {
    const vector *last = (const vector *)(sources[even] + at);
    const vector gain = NAMED(both)(gains + even);
    UNROLL for (int i = 0; i < width; i++) sum[i] += last[i] * gain;
  }
  UNROLL for (int i = 0; i < width; i++) {
    ((vector *)out)[i] = sum[i];
    sum[i] = __builtin_elementwise_abs(sum[i]);
  }
  // Adds them in pairs, because additions one after the other would wait for each other.
  UNROLL for (int half = width / 2; half > 0; half /= 2)
    UNROLL for (int i = 0; i < half; i++) sum[i] = NAMED(larger)(sum[i], sum[i + half]);
  return NAMED(larger)(most, sum[0]);
}

TARGET static float NAMED(mix)(
    float *restrict out, size_t frames, const float *const *sources, size_t first, const cmixer_gain *gains,
    size_t voices) {
  const size_t count = 2 * frames;
  vector most = 0;
  // With fewer voices the processor recognises the streams by itself.
  const int asks = voices > 16;
  size_t at = 0, from = 2 * first;
  for (; at + 8 * LANES <= count; at += 8 * LANES)
    most = asks ? NAMED(sum)(out + at, sources, from + at, gains, voices, most, 8, 1)
                : NAMED(sum)(out + at, sources, from + at, gains, voices, most, 8, 0);
  for (; at + 4 * LANES <= count; at += 4 * LANES)
    most = NAMED(sum)(out + at, sources, from + at, gains, voices, most, 4, 0);
  for (; at < count; at += LANES) most = NAMED(sum)(out + at, sources, from + at, gains, voices, most, 1, 0);
  return NAMED(largest)(most);
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
  // Four running maxima, because a single one would be a chain of dependent steps.
  vector most[4] = {0, 0, 0, 0};
  size_t at = 0;
  for (; at + 4 * LANES <= count; at += 4 * LANES)
    UNROLL for (int i = 0; i < 4; i++)
      most[i] = NAMED(larger)(__builtin_elementwise_abs(((const vector *)(samples + at))[i]), most[i]);
  float rest = NAMED(largest)(NAMED(larger)(NAMED(larger)(most[0], most[1]), NAMED(larger)(most[2], most[3])));
  for (; at < count; at++) {
    const float size = __builtin_fabsf(samples[at]);
    rest = size > rest ? size : rest;
  }
  return rest;
}

// All integer formats are made from 32 bits, because a float's 24 bits of precision fit and a shift rounds without libm.
// No sample is NaN here, because loading refuses sounds that contain NaN, and sums of finite samples are finite.
INLINE int32_t NAMED(as_int32)(float sample) {
  const float top = 0x1p31f - 0x1p7f, bottom = -0x1p31f;
  float scaled = sample * 0x1p31f;
  scaled = scaled < top ? scaled : top;
  scaled = scaled > bottom ? scaled : bottom;
  return (int32_t)scaled;
}

TARGET static void NAMED(store_int32)(int32_t *restrict out, const float *restrict samples, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = NAMED(as_int32)(samples[i]);
}

// (v >> (n - 1)) + 1 >> 1 rounds to nearest without overflow.
TARGET static void NAMED(store_int24)(int32_t *restrict out, const float *restrict samples, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const int32_t rounded = ((NAMED(as_int32)(samples[i]) >> 7) + 1) >> 1;
    out[i] = rounded > 0x7fffff ? 0x7fffff : rounded;
  }
}

/// Adds noise with a triangular distribution of ±1 to the samples and rounds them. Each lane's generator is a xorshift,
/// and the two halves of a number are independent enough to be summed.
INLINE void NAMED(dither)(int16_t *restrict out, const float *restrict samples, size_t count, uint32_t *restrict noise) {
  for (size_t i = 0; i < count; i++) {
    uint32_t state = noise[i];
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    noise[i] = state;
    const int32_t triangular = (int32_t)((state & 0xffff) + (state >> 16)) - 0xffff;
    // Both halved, so that their sum cannot overflow.
    const int32_t rounded = ((NAMED(as_int32)(samples[i]) >> 1) + ((triangular + 0x8000) >> 1)) >> 15;
    out[i] = (int16_t)(rounded > 0x7fff ? 0x7fff : rounded < -0x8000 ? -0x8000 : rounded);
  }
}

TARGET static void NAMED(store_int16)(
    int16_t *restrict out, const float *restrict samples, size_t count, uint32_t *restrict noise) {
  int32_t between = 0;
  for (size_t i = 0; i < count; i++) between |= NAMED(as_int32)(samples[i]) & 0xffff;
  if (!between) {
    for (size_t i = 0; i < count; i++) out[i] = (int16_t)(NAMED(as_int32)(samples[i]) >> 16);
    return;
  }
  size_t at = 0;
  for (; at + CMIXER_NOISE <= count; at += CMIXER_NOISE) NAMED(dither)(out + at, samples + at, CMIXER_NOISE, noise);
  NAMED(dither)(out + at, samples + at, count - at, noise);
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

#undef vector
#undef UNROLL
#undef INLINE
#undef NAMED
#undef JOIN
#undef JOIN_
#undef TARGET
#undef LEVEL
#undef LEVEL_NAME
#undef LANES
