// Filters that change the sample rate: each output sample is the dot product of a stretch of input with one row of a
// filter bank, or with a row interpolated between four of them.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "no_locks.h"

#pragma clang assume_nonnull begin

/// Rows of coefficients, owned by the caller. Row p holds the filter delayed by p / phases of an input sample.
typedef struct {
  const float *rows;  ///< `phases` rows; for `antiphon_polyphase_between` three more: -1 before, phases and phases + 1 behind
  size_t taps;        ///< coefficients in a row, a multiple of 16
  size_t phases;      ///< rows to an input sample
} antiphon_filter_bank;

/// y[k] = Σ row(n mod phases)[j] · x[n / phases + j] with n = phase + k · step: a ratio of small whole numbers.
/// The sum for one k does not depend on `count` nor on where the call begins: cut a stream anywhere.
ANTIPHON_NO_LOCKS void antiphon_polyphase(
    const antiphon_filter_bank *bank, const float *x, size_t phase, size_t step, float *y, size_t count);

/// The same at any ratio: with n = position + k · step, output k uses x from n / unit on and the row that belongs to
/// the remainder, interpolated by the cubic through four neighbouring rows.
/// (count + 1) · step and position must stay below 2⁶².
ANTIPHON_NO_LOCKS void antiphon_polyphase_between(
    const antiphon_filter_bank *bank, const float *x, int64_t position, int64_t step, int64_t unit, float *y,
    size_t count);

/// The first of the four rows to use at `fraction` / `unit` of an input sample, and their weights (Lagrange).
static inline size_t antiphon_row_weights(
    const antiphon_filter_bank *bank, int64_t fraction, int64_t unit, float *weights) {
  const double place = (double)fraction * ((double)bank->phases / (double)unit);
  size_t row = (size_t)place;
  row = row < bank->phases ? row : bank->phases - 1;  // a fraction just below 1 may round up
  const double u = place - (double)row, before = u + 1, next = u - 1, last = u - 2;
  weights[0] = (float)(u * next * last * (-1.0 / 6.0));
  weights[1] = (float)(before * next * last * 0.5);
  weights[2] = (float)(before * u * last * -0.5);
  weights[3] = (float)(before * u * next * (1.0 / 6.0));
  return row;
}

#pragma clang assume_nonnull end
