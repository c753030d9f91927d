// SpeexDSP 1.2.1: declarations only. The calls that the audio path makes are repeated with the mark that the Swift
// checker wants; each says what was read in the library's source or measured to trust it. Measured for all of them: no
// heap operation in steady state (the tests named `…NeverTouchesTheHeap`). The library's only lock-like or slow calls
// are `calloc`/`realloc`/`free` in the create, set-rate and destroy functions, and `fprintf` in warnings.
#pragma once
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
#include <speex/speex_resampler.h>

#define ANTIPHON_AUDIO_PATH __attribute__((swift_attr("@_noLocks")))

// resample.c: copies at most 160 samples at a time into memory made by init, then inner products. `realloc` happens only
// in update_filter, which a change of rate or quality calls, never processing.
ANTIPHON_AUDIO_PATH int speex_resampler_process_float(
    SpeexResamplerState *st, spx_uint32_t channel_index, const float *in, spx_uint32_t *in_len, float *out,
    spx_uint32_t *out_len);
// resample.c: one division.
ANTIPHON_AUDIO_PATH int speex_resampler_get_input_latency(SpeexResamplerState *st);
// resample.c: sets the read position to half the filter length.
ANTIPHON_AUDIO_PATH int speex_resampler_skip_zeros(SpeexResamplerState *st);
// resample.c: clears counters and filter memory.
ANTIPHON_AUDIO_PATH int speex_resampler_reset_mem(SpeexResamplerState *st);

// preprocess.c: loops over arrays made by init, one FFT each way (smallft.c, in place), libm. Returns the voice flag.
ANTIPHON_AUDIO_PATH int speex_preprocess_run(SpeexPreprocessState *st, spx_int16_t *x);

// mdf.c: loops and FFTs over arrays made by init. Its one slow spot is a warning on stderr when the filter has made
// things worse for 50 frames in a row; `EchoCanceller` resets the filter before that count is reached.
ANTIPHON_AUDIO_PATH void speex_echo_cancellation(
    SpeexEchoState *st, const spx_int16_t *rec, const spx_int16_t *play, spx_int16_t *out);
// mdf.c: clears arrays made by init.
ANTIPHON_AUDIO_PATH void speex_echo_state_reset(SpeexEchoState *st);

// preprocess.c: stores one number for each of these requests. The general call takes `void *` and warns on stderr about
// unknown requests, so only these are open to the audio path.
ANTIPHON_AUDIO_PATH static inline int antiphon_preprocess_set(SpeexPreprocessState *st, int request, spx_int32_t value) {
  return speex_preprocess_ctl(st, request, &value);
}
static inline int antiphon_preprocess_set_echo_state(SpeexPreprocessState *st, SpeexEchoState *echo) {
  return speex_preprocess_ctl(st, SPEEX_PREPROCESS_SET_ECHO_STATE, echo);
}
static inline int antiphon_echo_set_sample_rate(SpeexEchoState *st, spx_int32_t hertz) {
  return speex_echo_ctl(st, SPEEX_ECHO_SET_SAMPLING_RATE, &hertz);
}
