// The fast Fourier transform of real samples; see split_radix_loops.h for the method.
#pragma once
#include <stdint.h>
#include "no_locks.h"

#pragma clang assume_nonnull begin

/// Tables and scratch of one transform, owned by the caller. `length` is the number of samples n, a power of two from
/// 32; N = n / 2 is the length of the complex transform inside.
typedef struct {
  int32_t length;
  int32_t batches16;               ///< groups of 8 leaves of 16 points
  int32_t batches8;                ///< groups of 8 leaves of 8 points
  const int32_t *sources;          ///< which complex input goes where: [batch][point][lane], leaves of 16 first
  const int32_t *targets;          ///< where each leaf's result starts: [batch][lane]
  const float *twiddles;           ///< for N, N/2, ... 32: cos(2πk/N) and sin(2πk/N) in groups of 8 for k < N/4
  const float *split_twiddles;     ///< cos(2πk/n), then sin(2πk/n), for k = 1...N/2
  float *real;                     ///< N floats, and 16 more that idle lanes write to
  float *imaginary;                ///< as `real`
  float *packed;                   ///< 2 N floats
} antiphon_fft_plan;

/// spectrum[k] = Σ samples[i] exp(-2πi·ik/n) for k = 0...n/2, interleaved: n + 2 floats.
ANTIPHON_NO_LOCKS void antiphon_fft_forward(const antiphon_fft_plan *plan, const float *samples, float *spectrum);

/// The inverse of it, scaled by 1/n. The imaginary parts of the first and last bin are not looked at.
ANTIPHON_NO_LOCKS void antiphon_fft_inverse(const antiphon_fft_plan *plan, const float *spectrum, float *samples);

/// The two with vectors of four floats, whatever the processor has: to test and time what other machines run.
ANTIPHON_NO_LOCKS void antiphon_baseline_fft_forward(
    const antiphon_fft_plan *plan, const float *samples, float *spectrum);
ANTIPHON_NO_LOCKS void antiphon_baseline_fft_inverse(
    const antiphon_fft_plan *plan, const float *spectrum, float *samples);

#pragma clang assume_nonnull end
