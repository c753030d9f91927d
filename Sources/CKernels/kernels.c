// Chooses the set for this processor and forwards to it.
#include "kernel_sets.h"

// A copy, so that a call is one load and one jump. Set before main() and never again: no lock, no atomic.
static antiphon_kernel_set active;

__attribute__((constructor)) static void choose(void) {
  const antiphon_kernel_set *wide = antiphon_avx2_kernels();
  active = wide ? *wide : *antiphon_baseline_kernels();
}

const antiphon_kernel_set *antiphon_active_kernels(void) { return &active; }

float antiphon_dot(const float *a, const float *b, size_t count) { return active.dot(a, b, count); }

float antiphon_energy(const float *x, size_t count) { return active.energy(x, count); }

float antiphon_peak(const float *x, size_t count) { return active.peak(x, count); }

void antiphon_scale(float *x, float gain, size_t count) { active.scale(x, gain, count); }

void antiphon_mix(float *sum, const float *x, float gain, size_t count) { active.mix(sum, x, gain, count); }

void antiphon_multiply(float *product, const float *a, const float *b, size_t count) {
  active.multiply(product, a, b, count);
}

void antiphon_complex_multiply_accumulate(float *sum, const float *a, const float *b, size_t count) {
  active.complex_multiply_accumulate(sum, a, b, count);
}

void antiphon_complex_conjugate_multiply_accumulate(float *sum, const float *a, const float *b, size_t count) {
  active.complex_conjugate_multiply_accumulate(sum, a, b, count);
}

void antiphon_power_spectrum(float *power, const float *spectrum, size_t count) {
  active.power_spectrum(power, spectrum, count);
}

size_t antiphon_sanitize(float *x, float limit, size_t count) { return active.sanitize(x, limit, count); }

void antiphon_int16_from_float(int16_t *pcm, const float *x, size_t count) { active.int16_from_float(pcm, x, count); }

void antiphon_float_from_int16(float *x, const int16_t *pcm, size_t count) { active.float_from_int16(x, pcm, count); }

void antiphon_polyphase(
    const antiphon_filter_bank *bank, const float *x, size_t phase, size_t step, float *y, size_t count) {
  active.polyphase(bank, x, phase, step, y, count);
}

void antiphon_polyphase_between(
    const antiphon_filter_bank *bank, const float *x, int64_t position, int64_t step, int64_t unit, float *y,
    size_t count) {
  active.polyphase_between(bank, x, position, step, unit, y, count);
}

void antiphon_kalman_predict(
    float *echo, float *error, const float *h, const float *x, const float *uncertainty, const float *power,
    size_t count) {
  active.kalman_predict(echo, error, h, x, uncertainty, power, count);
}

void antiphon_kalman_update(
    const antiphon_kalman_constants *constants, float *h, float *uncertainty, const float *x, const float *power,
    const float *innovation, const float *inverse, size_t count) {
  active.kalman_update(constants, h, uncertainty, x, power, innovation, inverse, count);
}

void antiphon_dense_layer(
    float *y, const float *weights, const float *bias, const float *x, size_t lanes, size_t inputs, size_t outputs) {
  active.dense_layer(y, weights, bias, x, lanes, inputs, outputs);
}

void antiphon_logistic(float *x, float gain, size_t count) { active.logistic(x, gain, count); }

void antiphon_fft_forward(const antiphon_fft_plan *plan, const float *samples, float *spectrum) {
  active.fft_forward(plan, samples, spectrum);
}

void antiphon_fft_inverse(const antiphon_fft_plan *plan, const float *spectrum, float *samples) {
  active.fft_inverse(plan, spectrum, samples);
}
