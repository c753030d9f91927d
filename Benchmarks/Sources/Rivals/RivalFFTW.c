#include "RivalFFTW.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "Clock.h"

struct RivalFFTW {
  int length;
  size_t position;
  float *window, *samples;
  fftwf_complex *spectrum;
  fftwf_plan forward, inverse;
};

RivalFFTW *rival_fftw_create(int length) {
  RivalFFTW *fftw = calloc(1, sizeof *fftw);
  fftw->length = length;
  fftw->window = fftwf_alloc_real(length);
  fftw->samples = fftwf_alloc_real(length);
  fftw->spectrum = fftwf_alloc_complex(length / 2 + 1);
  fftw->forward = fftwf_plan_dft_r2c_1d(length, fftw->samples, fftw->spectrum, FFTW_MEASURE);
  fftw->inverse = fftwf_plan_dft_c2r_1d(length, fftw->spectrum, fftw->samples, FFTW_MEASURE);
  return fftw;
}

void rival_fftw_destroy(RivalFFTW *fftw) {
  fftwf_destroy_plan(fftw->forward);
  fftwf_destroy_plan(fftw->inverse);
  fftwf_free(fftw->window);
  fftwf_free(fftw->samples);
  fftwf_free(fftw->spectrum);
  free(fftw);
}

// A window must come into the plan's buffer somehow, so the copy counts.
static void transform(RivalFFTW *fftw, int goes_back) {
  memcpy(fftw->samples, fftw->window, fftw->length * sizeof(float));
  fftwf_execute(fftw->forward);
  if (!goes_back) return;
  fftwf_execute(fftw->inverse);
  const float scale = 1.f / (float)fftw->length;
  for (int i = 0; i < fftw->length; i++) fftw->samples[i] *= scale;
}

void rival_fftw_run(
    RivalFFTW *fftw, int goes_back, const float *samples, size_t sample_count, int calls_per_time, int64_t *times,
    size_t count) {
  for (size_t time = 0; time < count; time++) {
    if (fftw->position + fftw->length > sample_count) fftw->position = 0;
    memcpy(fftw->window, samples + fftw->position, fftw->length * sizeof(float));
    fftw->position += fftw->length;
    const int64_t start = bench_now();
    for (int call = 0; call < calls_per_time; call++) transform(fftw, goes_back);
    times[time] = bench_now() - start;
  }
}
