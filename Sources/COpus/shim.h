#pragma once
#include <opus.h>

// libopus for the audio path.
//
// A call is marked below when it neither takes a lock nor touches the heap. What that rests on, for libopus 1.3.1:
// - the library imports malloc and free, which are reached only through opus_alloc and opus_free in *_create and
//   *_destroy (src/opus_encoder.c, src/opus_decoder.c), and no pthread symbol at all (nm -D -u);
// - scratch memory is on the stack (variable-length arrays, celt/stack_alloc.h);
// - the tests count 0 heap operations per frame for encode, decode, concealment, FEC and every control below.

#define ANTIPHON_AUDIO_PATH __attribute__((swift_attr("@_noLocks")))

// Stack: up to some 100 kB for a 60 ms stereo frame; give the audio thread at least 256 kB.
ANTIPHON_AUDIO_PATH opus_int32 opus_encode_float(
    OpusEncoder *st, const float *pcm, int frame_size, unsigned char *data, opus_int32 max_data_bytes);
ANTIPHON_AUDIO_PATH int opus_decode_float(
    OpusDecoder *st, const unsigned char *data, opus_int32 len, float *pcm, int frame_size, int decode_fec);

// The ctl functions are variadic, which Swift cannot call. Each only checks a range and stores or reads a number;
// OPUS_RESET_STATE clears the state in place.

ANTIPHON_AUDIO_PATH static inline int antiphon_opus_encoder_set(OpusEncoder *encoder, int request, opus_int32 value) {
  return opus_encoder_ctl(encoder, request, value);
}
ANTIPHON_AUDIO_PATH static inline int antiphon_opus_encoder_get(OpusEncoder *encoder, int request, opus_int32 *value) {
  return opus_encoder_ctl(encoder, request, value);
}
ANTIPHON_AUDIO_PATH static inline int antiphon_opus_encoder_reset(OpusEncoder *encoder) {
  return opus_encoder_ctl(encoder, OPUS_RESET_STATE);
}
ANTIPHON_AUDIO_PATH static inline int antiphon_opus_decoder_set(OpusDecoder *decoder, int request, opus_int32 value) {
  return opus_decoder_ctl(decoder, request, value);
}
ANTIPHON_AUDIO_PATH static inline int antiphon_opus_decoder_get(OpusDecoder *decoder, int request, opus_int32 *value) {
  return opus_decoder_ctl(decoder, request, value);
}
ANTIPHON_AUDIO_PATH static inline int antiphon_opus_decoder_reset(OpusDecoder *decoder) {
  return opus_decoder_ctl(decoder, OPUS_RESET_STATE);
}
