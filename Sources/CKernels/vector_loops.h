// The loops of audio_loops.h over vectors of LANES floats (4 or 8). The file that includes this one sets LANES, and
// NAME(x), which gives each set's functions their names. Sums run in four independent vectors, so that the additions do
// not wait for each other; hence they differ from the scalar set by rounding.
#include "audio_loops.h"

typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t ints __attribute__((vector_size(LANES * 4)));
typedef int16_t shorts __attribute__((vector_size(LANES * 2)));
typedef floats floats_anywhere __attribute__((aligned(4), may_alias));
typedef shorts shorts_anywhere __attribute__((aligned(2), may_alias));

#define LOAD(p) (*(const floats_anywhere *)(p))
#define STORE(p, v) (*(floats_anywhere *)(p) = (v))
#define SELECT(mask, yes, no) ((floats)(((ints)(yes) & (mask)) | ((ints)(no) & ~(mask))))
#define MAGNITUDE(v) ((floats)((ints)(v) & 0x7fffffff))

#if LANES == 8
#define EACH_REAL(v) __builtin_shufflevector(v, v, 0, 0, 2, 2, 4, 4, 6, 6)
#define EACH_IMAGINARY(v) __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7)
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define REALS(v, w) __builtin_shufflevector(v, w, 0, 2, 4, 6, 8, 10, 12, 14)
#define IMAGINARIES(v, w) __builtin_shufflevector(v, w, 1, 3, 5, 7, 9, 11, 13, 15)
static const floats minus_plus = {-1, 1, -1, 1, -1, 1, -1, 1};
#else
#define EACH_REAL(v) __builtin_shufflevector(v, v, 0, 0, 2, 2)
#define EACH_IMAGINARY(v) __builtin_shufflevector(v, v, 1, 1, 3, 3)
#define SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#define REALS(v, w) __builtin_shufflevector(v, w, 0, 2, 4, 6)
#define IMAGINARIES(v, w) __builtin_shufflevector(v, w, 1, 3, 5, 7)
static const floats minus_plus = {-1, 1, -1, 1};
#endif

static inline float NAME(sum_of_lanes)(const floats *v) {
  float sum = 0;
  for (int lane = 0; lane < LANES; lane++) sum += (*v)[lane];
  return sum;
}

static float NAME(dot)(const float *a, const float *b, size_t count) {
  floats s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  size_t i = 0;
  for (; i + 4 * LANES <= count; i += 4 * LANES) {
    s0 += LOAD(a + i) * LOAD(b + i);
    s1 += LOAD(a + i + LANES) * LOAD(b + i + LANES);
    s2 += LOAD(a + i + 2 * LANES) * LOAD(b + i + 2 * LANES);
    s3 += LOAD(a + i + 3 * LANES) * LOAD(b + i + 3 * LANES);
  }
  for (; i + LANES <= count; i += LANES) s0 += LOAD(a + i) * LOAD(b + i);
  s0 = (s0 + s1) + (s2 + s3);
  float sum = NAME(sum_of_lanes)(&s0);
  for (; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static float NAME(energy)(const float *x, size_t count) { return NAME(dot)(x, x, count); }

static float NAME(peak)(const float *x, size_t count) {
  floats top = {0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    floats v = MAGNITUDE(LOAD(x + i));
    top = SELECT(v > top, v, top);  // false for NaN, which thus never gets in
  }
  float peak = 0;
  for (int lane = 0; lane < LANES; lane++) peak = top[lane] > peak ? top[lane] : peak;
  for (; i < count; i++) peak = __builtin_fabsf(x[i]) > peak ? __builtin_fabsf(x[i]) : peak;
  return peak;
}

static void NAME(scale)(float *x, float gain, size_t count) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) STORE(x + i, LOAD(x + i) * gain);
  for (; i < count; i++) x[i] *= gain;
}

static void NAME(mix)(float *sum, const float *x, float gain, size_t count) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) STORE(sum + i, LOAD(sum + i) + LOAD(x + i) * gain);
  for (; i < count; i++) sum[i] += x[i] * gain;
}

static void NAME(multiply)(float *product, const float *a, const float *b, size_t count) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) STORE(product + i, LOAD(a + i) * LOAD(b + i));
  for (; i < count; i++) product[i] = a[i] * b[i];
}

// (ar + i·ai)(br + i·bi): ar times b as it lies, plus ai times b with its parts swapped and the first negated.
static void NAME(complex_multiply_accumulate)(float *sum, const float *a, const float *b, size_t count) {
  size_t i = 0, end = 2 * count;
  for (; i + LANES <= end; i += LANES) {
    floats va = LOAD(a + i), vb = LOAD(b + i), s = LOAD(sum + i);
    s += EACH_REAL(va) * vb;
    s += EACH_IMAGINARY(va) * (SWAPPED(vb) * minus_plus);
    STORE(sum + i, s);
  }
  for (; i < end; i += 2) {
    sum[i] += a[i] * b[i] - a[i + 1] * b[i + 1];
    sum[i + 1] += a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

static void NAME(complex_conjugate_multiply_accumulate)(float *sum, const float *a, const float *b, size_t count) {
  size_t i = 0, end = 2 * count;
  for (; i + LANES <= end; i += LANES) {
    floats va = LOAD(a + i), vb = LOAD(b + i), s = LOAD(sum + i);
    s += EACH_REAL(va) * vb;
    s -= EACH_IMAGINARY(va) * (SWAPPED(vb) * minus_plus);
    STORE(sum + i, s);
  }
  for (; i < end; i += 2) {
    sum[i] += a[i] * b[i] + a[i + 1] * b[i + 1];
    sum[i + 1] += a[i] * b[i + 1] - a[i + 1] * b[i];
  }
}

static void NAME(power_spectrum)(float *power, const float *spectrum, size_t count) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    floats v = LOAD(spectrum + 2 * i), w = LOAD(spectrum + 2 * i + LANES);
    floats real = REALS(v, w), imaginary = IMAGINARIES(v, w);
    STORE(power + i, real * real + imaginary * imaginary);
  }
  for (; i < count; i++)
    power[i] = spectrum[2 * i] * spectrum[2 * i] + spectrum[2 * i + 1] * spectrum[2 * i + 1];
}

static size_t NAME(sanitize)(float *x, float limit, size_t count) {
  const floats high = limit - (floats){0}, low = -high;
  ints kept = {0};  // -1 for each finite sample: counted in lanes, for taking them apart costs more than all the rest
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    floats v = LOAD(x + i);
    ints finite = ((ints)v & 0x7fffffff) < 0x7f800000;  // exponent not all ones; -1 where true
    v = (floats)((ints)v & finite);
    v = SELECT(v < low, low, v);
    v = SELECT(v > high, high, v);
    STORE(x + i, v);
    kept += finite;
  }
  size_t replaced = i;
  for (int lane = 0; lane < LANES; lane++) replaced += (size_t)(int64_t)kept[lane];
  for (; i < count; i++) {
    int finite = __builtin_isfinite(x[i]);
    replaced += !finite;
    x[i] = !finite ? 0 : x[i] < -limit ? -limit : x[i] > limit ? limit : x[i];
  }
  return replaced;
}

// Adding and subtracting 1.5 · 2²³ leaves a float without fraction, rounded as the processor rounds: nearest, even.
#define ROUNDER 12582912.0f

static void NAME(int16_from_float)(int16_t *pcm, const float *x, size_t count) {
  const floats high = 32767.0f - (floats){0}, low = -32768.0f - (floats){0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    floats v = LOAD(x + i) * 32768.0f;
    v = (floats)((ints)v & (v == v));  // NaN is not equal to itself
    v = SELECT(v < low, low, v);
    v = SELECT(v > high, high, v);
    v = v + ROUNDER;
    v = v - ROUNDER;
    *(shorts_anywhere *)(pcm + i) = __builtin_convertvector(__builtin_convertvector(v, ints), shorts);
  }
  for (; i < count; i++) {
    float v = x[i] * 32768.0f;
    v = v != v ? 0 : v < -32768.0f ? -32768.0f : v > 32767.0f ? 32767.0f : v;
    pcm[i] = (int16_t)__builtin_rintf(v);
  }
}

static void NAME(float_from_int16)(float *x, const int16_t *pcm, size_t count) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    shorts v = *(const shorts_anywhere *)(pcm + i);
    STORE(x + i, __builtin_convertvector(v, floats) * (1.0f / 32768.0f));
  }
  for (; i < count; i++) x[i] = (float)pcm[i] * (1.0f / 32768.0f);
}

#define KERNEL_SET(label) { \
  .name = label, .dot = NAME(dot), .energy = NAME(energy), .peak = NAME(peak), .scale = NAME(scale), \
  .mix = NAME(mix), .multiply = NAME(multiply), .complex_multiply_accumulate = NAME(complex_multiply_accumulate), \
  .complex_conjugate_multiply_accumulate = NAME(complex_conjugate_multiply_accumulate), \
  .power_spectrum = NAME(power_spectrum), .sanitize = NAME(sanitize), .int16_from_float = NAME(int16_from_float), \
  .float_from_int16 = NAME(float_from_int16), .polyphase = NAME(polyphase), \
  .polyphase_between = NAME(polyphase_between), .fft_forward = NAME(fft_forward), .fft_inverse = NAME(fft_inverse), \
  ECHO_KERNELS}
