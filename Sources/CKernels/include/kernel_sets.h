// The versions of the loops behind audio_loops.h, echo_loops.h, polyphase.h and split_radix_fft.h, side by side, so that
// tests and benchmarks can compare them. Other code calls the functions of those headers.
#pragma once
#include <stdint.h>
#include <stddef.h>
#include "echo_loops.h"
#include "polyphase.h"
#include "split_radix_fft.h"

#pragma clang assume_nonnull begin

typedef struct {
  const char *name;
  float (*dot)(const float *a, const float *b, size_t count);
  float (*energy)(const float *x, size_t count);
  float (*peak)(const float *x, size_t count);
  void (*scale)(float *x, float gain, size_t count);
  void (*mix)(float *sum, const float *x, float gain, size_t count);
  void (*multiply)(float *product, const float *a, const float *b, size_t count);
  void (*complex_multiply_accumulate)(float *sum, const float *a, const float *b, size_t count);
  void (*complex_conjugate_multiply_accumulate)(float *sum, const float *a, const float *b, size_t count);
  void (*power_spectrum)(float *power, const float *spectrum, size_t count);
  size_t (*sanitize)(float *x, float limit, size_t count);
  void (*int16_from_float)(int16_t *pcm, const float *x, size_t count);
  void (*float_from_int16)(float *x, const int16_t *pcm, size_t count);
  void (*polyphase)(const antiphon_filter_bank *bank, const float *x, size_t phase, size_t step, float *y, size_t count);
  void (*polyphase_between)(
      const antiphon_filter_bank *bank, const float *x, int64_t position, int64_t step, int64_t unit, float *y,
      size_t count);
  void (*fft_forward)(const antiphon_fft_plan *plan, const float *samples, float *spectrum);
  void (*fft_inverse)(const antiphon_fft_plan *plan, const float *spectrum, float *samples);
  void (*kalman_predict)(
      float *echo, float *error, const float *h, const float *x, const float *uncertainty, const float *power,
      size_t count);
  void (*kalman_update)(
      const antiphon_kalman_constants *constants, float *h, float *uncertainty, const float *x, const float *power,
      const float *innovation, const float *inverse, size_t count);
  void (*dense_layer)(
      float *y, const float *weights, const float *bias, const float *x, size_t lanes, size_t inputs, size_t outputs);
  void (*logistic)(float *x, float gain, size_t count);
} antiphon_kernel_set;

/// One element at a time, as the C standard reads: the reference. Its transforms are those of the baseline.
const antiphon_kernel_set *antiphon_scalar_kernels(void);

/// Vectors of four floats: what each processor of this architecture has (SSE2, NEON).
const antiphon_kernel_set *antiphon_baseline_kernels(void);

/// Vectors of eight floats with fused multiply-add, or NULL where the processor or the architecture lacks them.
const antiphon_kernel_set *_Nullable antiphon_avx2_kernels(void);

/// The set in use.
const antiphon_kernel_set *antiphon_active_kernels(void);

#pragma clang assume_nonnull end
