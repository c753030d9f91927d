// Loops over samples and spectra. Any length, any alignment; areas may not overlap unless an argument serves as input
// and output at once. Each call goes to the version for this processor, chosen before main() runs.
//
// A spectrum is interleaved complex: real part, imaginary part, real part, ... ; its `count` is in complex values.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "no_locks.h"

#pragma clang assume_nonnull begin

/// Sum of a[i] * b[i].
ANTIPHON_NO_LOCKS float antiphon_dot(const float *a, const float *b, size_t count);

/// Sum of x[i] * x[i].
ANTIPHON_NO_LOCKS float antiphon_energy(const float *x, size_t count);

/// Largest |x[i]|; 0 when empty. NaN counts as 0.
ANTIPHON_NO_LOCKS float antiphon_peak(const float *x, size_t count);

/// x[i] *= gain.
ANTIPHON_NO_LOCKS void antiphon_scale(float *x, float gain, size_t count);

/// sum[i] += gain * x[i].
ANTIPHON_NO_LOCKS void antiphon_mix(float *sum, const float *x, float gain, size_t count);

/// product[i] = a[i] * b[i]; `product` may be `a` or `b`.
ANTIPHON_NO_LOCKS void antiphon_multiply(float *product, const float *a, const float *b, size_t count);

/// sum[k] += a[k] * b[k], complex.
ANTIPHON_NO_LOCKS void antiphon_complex_multiply_accumulate(
    float *sum, const float *a, const float *b, size_t count);

/// sum[k] += conj(a[k]) * b[k], complex: a cross spectrum, or the gradient of an adaptive filter.
ANTIPHON_NO_LOCKS void antiphon_complex_conjugate_multiply_accumulate(
    float *sum, const float *a, const float *b, size_t count);

/// power[k] = |spectrum[k]|².
ANTIPHON_NO_LOCKS void antiphon_power_spectrum(float *power, const float *spectrum, size_t count);

/// Replaces NaN and infinities by 0 and limits the others to -limit...limit, in place. Returns how many were not finite.
ANTIPHON_NO_LOCKS size_t antiphon_sanitize(float *x, float limit, size_t count);

/// pcm[i] = x[i] * 32768, rounded to the nearest (halves to even), limited to -32768...32767; NaN becomes 0.
ANTIPHON_NO_LOCKS void antiphon_int16_from_float(int16_t *pcm, const float *x, size_t count);

/// x[i] = pcm[i] / 32768: the exact inverse for every 16-bit value.
ANTIPHON_NO_LOCKS void antiphon_float_from_int16(float *x, const int16_t *pcm, size_t count);

#pragma clang assume_nonnull end
