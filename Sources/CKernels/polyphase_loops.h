// The loops of polyphase.h over vectors of LANES floats. Included after vector_loops.h, whose types and names it uses.
//
// Outputs that lie `phases` apart use the same row, so up to four of them are computed at once: each coefficient is
// loaded once for all, and eight sums run without waiting for each other. Every output has two sums of its own, added up
// in one fixed order; hence it is the same to the last bit with any number of neighbours.
#include "polyphase.h"

#define STEP (2 * LANES)

typedef float quad __attribute__((vector_size(16)));

#if LANES == 8
static inline __attribute__((always_inline)) quad NAME(fold)(floats v) {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
#else
static inline __attribute__((always_inline)) quad NAME(fold)(floats v) { return v; }
#endif

static inline __attribute__((always_inline)) float NAME(quad_sum)(quad q) { return (q[0] + q[2]) + (q[1] + q[3]); }

// y[n · apart] = Σ row[j] · x[n · hop + j] for n < outputs, which is 1...4 and known where this is inlined.
static inline __attribute__((always_inline)) void NAME(share_row)(
    const float *row, size_t taps, const float *x, size_t hop, float *y, size_t apart, int outputs) {
  floats even[4] = {{0}}, odd[4] = {{0}};
  for (size_t j = 0; j < taps; j += STEP) {
    const floats h0 = LOAD(row + j), h1 = LOAD(row + j + LANES);
#pragma clang loop unroll(full)
    for (int n = 0; n < outputs; n++) {
      even[n] += h0 * LOAD(x + n * hop + j);
      odd[n] += h1 * LOAD(x + n * hop + j + LANES);
    }
  }
  if (outputs < 4) {
#pragma clang loop unroll(full)
    for (int n = 0; n < outputs; n++) y[n * apart] = NAME(quad_sum)(NAME(fold)(even[n] + odd[n]));
    return;
  }
  const quad a = NAME(fold)(even[0] + odd[0]), b = NAME(fold)(even[1] + odd[1]);
  const quad c = NAME(fold)(even[2] + odd[2]), d = NAME(fold)(even[3] + odd[3]);
  const quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const quad sum = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  y[0] = sum[0], y[apart] = sum[1], y[2 * apart] = sum[2], y[3 * apart] = sum[3];
}

static void NAME(polyphase)(
    const antiphon_filter_bank *bank, const float *x, size_t phase, size_t step, float *y, size_t count) {
  const size_t phases = bank->phases, taps = bank->taps, whole = step / phases, part = step % phases;
  for (size_t first = 0; first < phases && first < count; first++) {
    const float *row = bank->rows + phase * taps, *in = x;
    size_t k = first;
    for (; k + 3 * phases < count; k += 4 * phases, in += 4 * step)
      NAME(share_row)(row, taps, in, step, y + k, phases, 4);
    if (k + 2 * phases < count)
      NAME(share_row)(row, taps, in, step, y + k, phases, 3);
    else if (k + phases < count)
      NAME(share_row)(row, taps, in, step, y + k, phases, 2);
    else if (k < count)
      NAME(share_row)(row, taps, in, step, y + k, phases, 1);
    phase += part, x += whole;
    if (phase >= phases) phase -= phases, x++;
  }
}

static void NAME(polyphase_between)(
    const antiphon_filter_bank *bank, const float *x, int64_t position, int64_t step, int64_t unit, float *y,
    size_t count) {
  const size_t taps = bank->taps;
  const int64_t whole = step / unit, part = step % unit;
  x += position / unit, position %= unit;
  for (size_t k = 0; k < count; k++) {
    float weights[4];
    const float *row = bank->rows + antiphon_row_weights(bank, position, unit, weights) * taps;
    floats even[4] = {{0}}, odd[4] = {{0}};
    for (size_t j = 0; j < taps; j += STEP) {
      const floats x0 = LOAD(x + j), x1 = LOAD(x + j + LANES);
#pragma clang loop unroll(full)
      for (int r = 0; r < 4; r++) {
        even[r] += x0 * LOAD(row + r * taps + j);
        odd[r] += x1 * LOAD(row + r * taps + j + LANES);
      }
    }
    floats sum = {0};
    for (int r = 0; r < 4; r++) sum += weights[r] * (even[r] + odd[r]);
    y[k] = NAME(quad_sum)(NAME(fold)(sum));
    position += part, x += whole;
    if (position >= unit) position -= unit, x++;
  }
}
