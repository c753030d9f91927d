#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// SpeexDSP called from C, one channel of floats in -1...1, as a C program that has floats would do it: the echo
// canceller and the preprocessor work on 16-bit samples, so both conversions are part of the call.
//
// Each `run` processes `count` frames of the given samples, over and over from where the last one ended, and notes how
// long each took; each checksum is of all output so far.

typedef struct RivalResampler RivalResampler;
RivalResampler *rival_resampler_create(int from, int to, int quality, int frame_sample_count);
void rival_resampler_destroy(RivalResampler *resampler);
void rival_resampler_run(
    RivalResampler *resampler, const float *samples, size_t sample_count, int64_t *times, size_t count);
uint64_t rival_resampler_checksum(const RivalResampler *resampler);

typedef struct RivalPreprocessor RivalPreprocessor;
RivalPreprocessor *rival_preprocessor_create(int sample_rate, int noise_attenuation);
void rival_preprocessor_destroy(RivalPreprocessor *preprocessor);
void rival_preprocessor_run(
    RivalPreprocessor *preprocessor, const float *samples, size_t sample_count, int64_t *times, size_t count);
uint64_t rival_preprocessor_checksum(const RivalPreprocessor *preprocessor);

typedef struct RivalEcho RivalEcho;
/// Suppresses residual echo by up to 40 dB, 15 dB while the near end speaks.
RivalEcho *rival_echo_create(int sample_rate, int tail_milliseconds);
void rival_echo_destroy(RivalEcho *echo);
void rival_echo_run(
    RivalEcho *echo, const float *near_end, const float *far_end, size_t sample_count, int64_t *times, size_t count);
uint64_t rival_echo_checksum(const RivalEcho *echo);

#ifdef __cplusplus
}
#endif
