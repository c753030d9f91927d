// Loops of the echo canceller: one partition of its adaptive filter, and the small network that tells residual echo from
// the near end. Conventions as in audio_loops.h.
#pragma once
#include <stddef.h>
#include "no_locks.h"

#pragma clang assume_nonnull begin

/// What one update of a filter partition does; see antiphon_kalman_update.
typedef struct {
  float keep;             // state transition factor A: how much of the response is the same one block later
  float share;            // new samples per block over the transform's length
  float forgetting;       // 1 - A²
  float smallest_change;  // power that the forgetting adds even where the response is 0
} antiphon_kalman_constants;

/// One partition's part in the echo and in its expected error: echo[k] += h[k] x[k], complex, and
/// error[k] += uncertainty[k] power[k].
ANTIPHON_NO_LOCKS void antiphon_kalman_predict(
    float *echo, float *error, const float *h, const float *x, const float *uncertainty, const float *power,
    size_t count);

/// Moves one partition along the Kalman gain and renews its uncertainty P, with A etc. from `constants`:
/// h[k] = A (h[k] + P[k] conj(x[k]) innovation[k]), complex, plus 1e-30 against denormals, and
/// P[k] = A² (1 - share min(1, P[k] power[k] inverse[k])) P[k] + (1 - A²) (|h[k]|² + smallest_change).
ANTIPHON_NO_LOCKS void antiphon_kalman_update(
    const antiphon_kalman_constants *constants, float *h, float *uncertainty, const float *x, const float *power,
    const float *innovation, const float *inverse, size_t count);

/// A layer for many bands at once: y[o · lanes + l] = bias[o] + Σ over i of weights[i · outputs + o] x[i · lanes + l].
ANTIPHON_NO_LOCKS void antiphon_dense_layer(
    float *y, const float *weights, const float *bias, const float *x, size_t lanes, size_t inputs, size_t outputs);

/// x[i] = 1 / (1 + exp(-gain x[i])), to 1e-6; |gain x[i]| beyond 60 counts as 60.
ANTIPHON_NO_LOCKS void antiphon_logistic(float *x, float gain, size_t count);

/// One parameter of the network that EchoControl's NearEndMask runs; 0 outside. For set-up.
float antiphon_echo_mask_parameter(size_t index);

#pragma clang assume_nonnull end
