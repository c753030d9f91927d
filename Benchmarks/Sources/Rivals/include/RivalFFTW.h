#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// FFTW in single precision called from C: measured plans, executed straight on buffers that it has itself.
typedef struct RivalFFTW RivalFFTW;

/// A forward transform of `length` real samples and an inverse one, which is scaled by 1/length.
RivalFFTW *rival_fftw_create(int length);
void rival_fftw_destroy(RivalFFTW *fftw);

/// Takes `count` windows of `samples`, over and over from where the last call ended, and transforms each
/// `calls_per_time` times forward, or forward and back again; each time is for all of these.
void rival_fftw_run(
    RivalFFTW *fftw, int goes_back, const float *samples, size_t sample_count, int calls_per_time, int64_t *times,
    size_t count);

#ifdef __cplusplus
}
#endif
