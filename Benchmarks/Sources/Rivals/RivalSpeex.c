#include "RivalSpeex.h"

#include <math.h>
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <speex/speex_resampler.h>
#include <stdlib.h>
#include <string.h>

#include "Checksum.h"
#include "Clock.h"

enum { LONGEST_FRAME = 480, RESAMPLED_ROOM = 6 * LONGEST_FRAME + 16 };

static void to_int16(const float *samples, spx_int16_t *out, int count) {
  for (int i = 0; i < count; i++) {
    const float scaled = samples[i] * 32768.f;
    out[i] = (spx_int16_t)lrintf(scaled > 32767.f ? 32767.f : scaled < -32768.f ? -32768.f : scaled);
  }
}

static void to_float(const spx_int16_t *samples, float *out, int count) {
  for (int i = 0; i < count; i++) out[i] = (float)samples[i] * (1 / 32768.f);
}

struct RivalResampler {
  SpeexResamplerState *speex;
  int frame;
  size_t position;
  uint64_t checksum;
  float in[LONGEST_FRAME];
  float out[RESAMPLED_ROOM];
};

RivalResampler *rival_resampler_create(int from, int to, int quality, int frame_sample_count) {
  RivalResampler *resampler = calloc(1, sizeof *resampler);
  int error = RESAMPLER_ERR_SUCCESS;
  resampler->speex = speex_resampler_init(1, from, to, quality, &error);
  if (error != RESAMPLER_ERR_SUCCESS) abort();
  resampler->frame = frame_sample_count;
  return resampler;
}

void rival_resampler_destroy(RivalResampler *resampler) {
  speex_resampler_destroy(resampler->speex);
  free(resampler);
}

void rival_resampler_run(
    RivalResampler *resampler, const float *samples, size_t sample_count, int64_t *times, size_t count) {
  for (size_t call = 0; call < count; call++) {
    if (resampler->position + resampler->frame > sample_count) resampler->position = 0;
    memcpy(resampler->in, samples + resampler->position, resampler->frame * sizeof(float));
    const int64_t start = bench_now();
    spx_uint32_t taken = resampler->frame, made = RESAMPLED_ROOM;
    speex_resampler_process_float(resampler->speex, 0, resampler->in, &taken, resampler->out, &made);
    times[call] = bench_now() - start;
    resampler->checksum = bench_checksum(resampler->checksum, resampler->out, made * sizeof(float));
    resampler->position += resampler->frame;
  }
}

uint64_t rival_resampler_checksum(const RivalResampler *resampler) { return resampler->checksum; }

struct RivalPreprocessor {
  SpeexPreprocessState *speex;
  int frame;
  size_t position;
  uint64_t checksum;
  spx_int16_t work[LONGEST_FRAME];
  float samples[LONGEST_FRAME];
};

static SpeexPreprocessState *create_preprocess_state(int frame, int sample_rate, spx_int32_t noise_attenuation) {
  SpeexPreprocessState *state = speex_preprocess_state_init(frame, sample_rate);
  spx_int32_t off = 0, on = 1, suppression = -noise_attenuation;
  speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_AGC, &off);
  speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_DENOISE, &on);
  speex_preprocess_ctl(state, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, &suppression);
  return state;
}

RivalPreprocessor *rival_preprocessor_create(int sample_rate, int noise_attenuation) {
  RivalPreprocessor *preprocessor = calloc(1, sizeof *preprocessor);
  preprocessor->frame = sample_rate / 100;
  preprocessor->speex = create_preprocess_state(preprocessor->frame, sample_rate, noise_attenuation);
  return preprocessor;
}

void rival_preprocessor_destroy(RivalPreprocessor *preprocessor) {
  speex_preprocess_state_destroy(preprocessor->speex);
  free(preprocessor);
}

void rival_preprocessor_run(
    RivalPreprocessor *preprocessor, const float *samples, size_t sample_count, int64_t *times, size_t count) {
  RivalPreprocessor *p = preprocessor;
  for (size_t call = 0; call < count; call++) {
    if (p->position + p->frame > sample_count) p->position = 0;
    memcpy(p->samples, samples + p->position, p->frame * sizeof(float));
    const int64_t start = bench_now();
    to_int16(p->samples, p->work, p->frame);
    speex_preprocess_run(p->speex, p->work);
    to_float(p->work, p->samples, p->frame);
    times[call] = bench_now() - start;
    p->checksum = bench_checksum(p->checksum, p->samples, p->frame * sizeof(float));
    p->position += p->frame;
  }
}

uint64_t rival_preprocessor_checksum(const RivalPreprocessor *preprocessor) { return preprocessor->checksum; }

struct RivalEcho {
  SpeexEchoState *speex;
  SpeexPreprocessState *suppressor;
  int frame;
  size_t position;
  uint64_t checksum;
  spx_int16_t near_end[LONGEST_FRAME], far_end[LONGEST_FRAME], residue[LONGEST_FRAME];
  float samples[LONGEST_FRAME], played[LONGEST_FRAME];
};

RivalEcho *rival_echo_create(int sample_rate, int tail_milliseconds) {
  RivalEcho *echo = calloc(1, sizeof *echo);
  echo->frame = sample_rate / 100;
  echo->speex = speex_echo_state_init(echo->frame, sample_rate / 1000 * tail_milliseconds);
  echo->suppressor = create_preprocess_state(echo->frame, sample_rate, 0);
  spx_int32_t rate = sample_rate, silent = -40, speaking = -15;
  speex_echo_ctl(echo->speex, SPEEX_ECHO_SET_SAMPLING_RATE, &rate);
  speex_preprocess_ctl(echo->suppressor, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, &silent);
  speex_preprocess_ctl(echo->suppressor, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, &speaking);
  speex_preprocess_ctl(echo->suppressor, SPEEX_PREPROCESS_SET_ECHO_STATE, echo->speex);
  return echo;
}

void rival_echo_destroy(RivalEcho *echo) {
  speex_preprocess_state_destroy(echo->suppressor);
  speex_echo_state_destroy(echo->speex);
  free(echo);
}

void rival_echo_run(
    RivalEcho *echo, const float *near_end, const float *far_end, size_t sample_count, int64_t *times, size_t count) {
  for (size_t call = 0; call < count; call++) {
    if (echo->position + echo->frame > sample_count) echo->position = 0;
    memcpy(echo->samples, near_end + echo->position, echo->frame * sizeof(float));
    memcpy(echo->played, far_end + echo->position, echo->frame * sizeof(float));
    const int64_t start = bench_now();
    to_int16(echo->played, echo->far_end, echo->frame);
    to_int16(echo->samples, echo->near_end, echo->frame);
    speex_echo_cancellation(echo->speex, echo->near_end, echo->far_end, echo->residue);
    speex_preprocess_run(echo->suppressor, echo->residue);
    to_float(echo->residue, echo->samples, echo->frame);
    times[call] = bench_now() - start;
    echo->checksum = bench_checksum(echo->checksum, echo->samples, echo->frame * sizeof(float));
    echo->position += echo->frame;
  }
}

uint64_t rival_echo_checksum(const RivalEcho *echo) { return echo->checksum; }
