// The loops of audio_loops.h as the C standard reads: what the vector versions are tested and timed against.
#include "kernel_sets.h"

#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable) interleave(disable)")

static float dot_scalar(const float *a, const float *b, size_t count) {
  float sum = 0;
  ONE_BY_ONE for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static float energy_scalar(const float *x, size_t count) { return dot_scalar(x, x, count); }

static float peak_scalar(const float *x, size_t count) {
  float peak = 0;
  ONE_BY_ONE for (size_t i = 0; i < count; i++) peak = __builtin_fabsf(x[i]) > peak ? __builtin_fabsf(x[i]) : peak;
  return peak;
}

static void scale_scalar(float *x, float gain, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) x[i] *= gain;
}

static void mix_scalar(float *sum, const float *x, float gain, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) sum[i] += x[i] * gain;
}

static void multiply_scalar(float *product, const float *a, const float *b, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) product[i] = a[i] * b[i];
}

static void complex_multiply_accumulate_scalar(float *sum, const float *a, const float *b, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < 2 * count; i += 2) {
    sum[i] += a[i] * b[i] - a[i + 1] * b[i + 1];
    sum[i + 1] += a[i] * b[i + 1] + a[i + 1] * b[i];
  }
}

static void complex_conjugate_multiply_accumulate_scalar(float *sum, const float *a, const float *b, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < 2 * count; i += 2) {
    sum[i] += a[i] * b[i] + a[i + 1] * b[i + 1];
    sum[i + 1] += a[i] * b[i + 1] - a[i + 1] * b[i];
  }
}

static void power_spectrum_scalar(float *power, const float *spectrum, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++)
    power[i] = spectrum[2 * i] * spectrum[2 * i] + spectrum[2 * i + 1] * spectrum[2 * i + 1];
}

static size_t sanitize_scalar(float *x, float limit, size_t count) {
  size_t replaced = 0;
  ONE_BY_ONE for (size_t i = 0; i < count; i++) {
    int finite = __builtin_isfinite(x[i]);
    replaced += !finite;
    x[i] = !finite ? 0 : x[i] < -limit ? -limit : x[i] > limit ? limit : x[i];
  }
  return replaced;
}

static void int16_from_float_scalar(int16_t *pcm, const float *x, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) {
    float v = x[i] * 32768.0f;
    v = v != v ? 0 : v < -32768.0f ? -32768.0f : v > 32767.0f ? 32767.0f : v;
    pcm[i] = (int16_t)__builtin_rintf(v);
  }
}

static void float_from_int16_scalar(float *x, const int16_t *pcm, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) x[i] = (float)pcm[i] * (1.0f / 32768.0f);
}

static void polyphase_scalar(
    const antiphon_filter_bank *bank, const float *x, size_t phase, size_t step, float *y, size_t count) {
  for (size_t k = 0; k < count; k++, phase += step) {
    const float *row = bank->rows + phase % bank->phases * bank->taps;
    y[k] = dot_scalar(row, x + phase / bank->phases, bank->taps);
  }
}

static void polyphase_between_scalar(
    const antiphon_filter_bank *bank, const float *x, int64_t position, int64_t step, int64_t unit, float *y,
    size_t count) {
  for (size_t k = 0; k < count; k++, position += step) {
    float weights[4];
    const float *row = bank->rows + antiphon_row_weights(bank, position % unit, unit, weights) * bank->taps;
    const float *in = x + position / unit;
    y[k] = 0;
    ONE_BY_ONE for (size_t r = 0; r < 4; r++) y[k] += weights[r] * dot_scalar(row + r * bank->taps, in, bank->taps);
  }
}

static void kalman_predict_scalar(
    float *echo, float *error, const float *h, const float *x, const float *uncertainty, const float *power,
    size_t count) {
  complex_multiply_accumulate_scalar(echo, h, x, count);
  ONE_BY_ONE for (size_t k = 0; k < count; k++) error[k] += uncertainty[k] * power[k];
}

static void kalman_update_scalar(
    const antiphon_kalman_constants *constants, float *h, float *uncertainty, const float *x, const float *power,
    const float *innovation, const float *inverse, size_t count) {
  const float keep = constants->keep, share = constants->share;
  ONE_BY_ONE for (size_t k = 0; k < count; k++) {
    float *v = h + 2 * k, p = uncertainty[k];
    const float *a = x + 2 * k, *b = innovation + 2 * k;
    v[0] = keep * (v[0] + p * (a[0] * b[0] + a[1] * b[1])) + 1e-30f;
    v[1] = keep * (v[1] + p * (a[0] * b[1] - a[1] * b[0])) + 1e-30f;
    const float learnt = __builtin_fminf(1, p * power[k] * inverse[k]);
    const float size = v[0] * v[0] + v[1] * v[1];
    uncertainty[k] =
        keep * keep * (1 - share * learnt) * p + constants->forgetting * (size + constants->smallest_change);
  }
}

static void dense_layer_scalar(
    float *y, const float *weights, const float *bias, const float *x, size_t lanes, size_t inputs, size_t outputs) {
  for (size_t o = 0; o < outputs; o++) {
    for (size_t l = 0; l < lanes; l++) {
      float sum = bias[o];
      ONE_BY_ONE for (size_t i = 0; i < inputs; i++) sum += weights[i * outputs + o] * x[i * lanes + l];
      y[o * lanes + l] = sum;
    }
  }
}

static void logistic_scalar(float *x, float gain, size_t count) {
  ONE_BY_ONE for (size_t i = 0; i < count; i++) {
    const float v = __builtin_fmaxf(-60, __builtin_fminf(60, gain * x[i]));
    x[i] = 1 / (1 + __builtin_expf(-v));
  }
}

#pragma clang attribute pop

static const antiphon_kernel_set set = {
  .name = "scalar", .dot = dot_scalar, .energy = energy_scalar, .peak = peak_scalar, .scale = scale_scalar,
  .mix = mix_scalar, .multiply = multiply_scalar, .complex_multiply_accumulate = complex_multiply_accumulate_scalar,
  .complex_conjugate_multiply_accumulate = complex_conjugate_multiply_accumulate_scalar,
  .power_spectrum = power_spectrum_scalar, .sanitize = sanitize_scalar, .int16_from_float = int16_from_float_scalar,
  .float_from_int16 = float_from_int16_scalar, .polyphase = polyphase_scalar,
  .polyphase_between = polyphase_between_scalar, .fft_forward = antiphon_baseline_fft_forward,
  .fft_inverse = antiphon_baseline_fft_inverse,
  .kalman_predict = kalman_predict_scalar, .kalman_update = kalman_update_scalar, .dense_layer = dense_layer_scalar,
  .logistic = logistic_scalar};

const antiphon_kernel_set *antiphon_scalar_kernels(void) { return &set; }
