// The loops of echo_loops.h over vectors of LANES floats; included after vector_loops.h, whose names it uses.
#include "echo_loops.h"

#if LANES == 8
#define LOW_PAIRS(v) __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3)
#define HIGH_PAIRS(v) __builtin_shufflevector(v, v, 4, 4, 5, 5, 6, 6, 7, 7)
#else
#define LOW_PAIRS(v) __builtin_shufflevector(v, v, 0, 0, 1, 1)
#define HIGH_PAIRS(v) __builtin_shufflevector(v, v, 2, 2, 3, 3)
#endif

static inline floats NAME(complex_product)(floats a, floats b) {
  return EACH_REAL(a) * b + EACH_IMAGINARY(a) * (SWAPPED(b) * minus_plus);
}

static inline floats NAME(conjugate_product)(floats a, floats b) {
  return EACH_REAL(a) * b - EACH_IMAGINARY(a) * (SWAPPED(b) * minus_plus);
}

static void NAME(kalman_predict)(
    float *echo, float *error, const float *h, const float *x, const float *uncertainty, const float *power,
    size_t count) {
  size_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    const size_t low = 2 * k, high = 2 * k + LANES;
    STORE(echo + low, LOAD(echo + low) + NAME(complex_product)(LOAD(h + low), LOAD(x + low)));
    STORE(echo + high, LOAD(echo + high) + NAME(complex_product)(LOAD(h + high), LOAD(x + high)));
    STORE(error + k, LOAD(error + k) + LOAD(uncertainty + k) * LOAD(power + k));
  }
  for (; k < count; k++) {
    const float *a = h + 2 * k, *b = x + 2 * k;
    echo[2 * k] += a[0] * b[0] - a[1] * b[1];
    echo[2 * k + 1] += a[0] * b[1] + a[1] * b[0];
    error[k] += uncertainty[k] * power[k];
  }
}

static void NAME(kalman_update)(
    const antiphon_kalman_constants *constants, float *h, float *uncertainty, const float *x, const float *power,
    const float *innovation, const float *inverse, size_t count) {
  const float keep = constants->keep, share = constants->share, forgetting = constants->forgetting;
  const float smallest = constants->smallest_change;
  const floats one = 1.0f - (floats){0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    const size_t low = 2 * k, high = 2 * k + LANES;
    floats p = LOAD(uncertainty + k);
    floats v = LOAD(h + low) + LOW_PAIRS(p) * NAME(conjugate_product)(LOAD(x + low), LOAD(innovation + low));
    floats w = LOAD(h + high) + HIGH_PAIRS(p) * NAME(conjugate_product)(LOAD(x + high), LOAD(innovation + high));
    v = v * keep + 1e-30f;
    w = w * keep + 1e-30f;
    STORE(h + low, v);
    STORE(h + high, w);
    floats real = REALS(v, w), imaginary = IMAGINARIES(v, w);
    floats learnt = p * LOAD(power + k) * LOAD(inverse + k);
    learnt = SELECT(learnt < one, learnt, one);
    p = keep * keep * (one - share * learnt) * p;
    STORE(uncertainty + k, p + forgetting * (real * real + imaginary * imaginary + smallest));
  }
  for (; k < count; k++) {
    float *v = h + 2 * k, p = uncertainty[k];
    const float *a = x + 2 * k, *b = innovation + 2 * k;
    v[0] = keep * (v[0] + p * (a[0] * b[0] + a[1] * b[1])) + 1e-30f;
    v[1] = keep * (v[1] + p * (a[0] * b[1] - a[1] * b[0])) + 1e-30f;
    float learnt = p * power[k] * inverse[k];
    learnt = learnt < 1 ? learnt : 1;
    uncertainty[k] = keep * keep * (1 - share * learnt) * p + forgetting * (v[0] * v[0] + v[1] * v[1] + smallest);
  }
}

static void NAME(dense_layer)(
    float *y, const float *weights, const float *bias, const float *x, size_t lanes, size_t inputs, size_t outputs) {
  for (size_t o = 0; o < outputs; o++) {
    size_t l = 0;
    for (; l + 4 * LANES <= lanes; l += 4 * LANES) {
      floats s0 = bias[o] - (floats){0}, s1 = s0, s2 = s0, s3 = s0;
      for (size_t i = 0; i < inputs; i++) {
        const float weight = weights[i * outputs + o];
        const float *in = x + i * lanes + l;
        s0 += weight * LOAD(in);
        s1 += weight * LOAD(in + LANES);
        s2 += weight * LOAD(in + 2 * LANES);
        s3 += weight * LOAD(in + 3 * LANES);
      }
      float *out = y + o * lanes + l;
      STORE(out, s0);
      STORE(out + LANES, s1);
      STORE(out + 2 * LANES, s2);
      STORE(out + 3 * LANES, s3);
    }
    for (; l < lanes; l++) {
      float sum = bias[o];
      for (size_t i = 0; i < inputs; i++) sum += weights[i * outputs + o] * x[i * lanes + l];
      y[o * lanes + l] = sum;
    }
  }
}

// exp(x) = 2^n · 2^f with n = round(x / ln 2); 2^f on -0.5...0.5 by its Taylor series to the sixth power: 1e-7.
static inline floats NAME(exponential)(floats x) {
  floats t = x * 1.44269504f;
  floats n = t + ROUNDER;
  n = n - ROUNDER;
  floats f = (t - n) * 0.693147181f;
  floats e = f * (1.0f / 720) + 1.0f / 120;
  e = e * f + 1.0f / 24;
  e = e * f + 1.0f / 6;
  e = e * f + 0.5f;
  e = e * f + 1.0f;
  e = e * f + 1.0f;
  return e * (floats)((__builtin_convertvector(n, ints) + 127) << 23);
}

static void NAME(logistic)(float *x, float gain, size_t count) {
  const floats limit = 60.0f - (floats){0}, one = 1.0f - (floats){0};
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    floats v = LOAD(x + i) * -gain;
    v = SELECT(v < limit, v, limit);
    v = SELECT(v > -limit, v, -limit);
    STORE(x + i, one / (one + NAME(exponential)(v)));
  }
  for (; i < count; i++) {
    float v = -gain * x[i];
    v = v < 60 ? v : 60;
    v = v > -60 ? v : -60;
    x[i] = 1 / (1 + __builtin_expf(v));
  }
}

#undef LOW_PAIRS
#undef HIGH_PAIRS

#define ECHO_KERNELS \
  .kalman_predict = NAME(kalman_predict), .kalman_update = NAME(kalman_update), .dense_layer = NAME(dense_layer), \
  .logistic = NAME(logistic)
