// SpanDSP 0.0.6: its G.722 only. The calls that the audio path makes are repeated with the mark that the Swift checker
// wants. What that rests on: g722_decode and g722_encode (g722.c) are integer loops over the state; the only function
// they call is vec_circular_dot_prodi16, two inner products (vector_int.c). g722_*_init clears the state it is given, and
// allocates one only when given none. Measured: no heap operation per frame (`G722Tests`).
#pragma once
#include <stdint.h>
#include <spandsp/telephony.h>
#include <spandsp/g722.h>

#define ANTIPHON_AUDIO_PATH __attribute__((swift_attr("@_noLocks")))

// Writes two samples for each byte at 64 kbit/s.
ANTIPHON_AUDIO_PATH int g722_decode(g722_decode_state_t *s, int16_t amp[], const uint8_t g722_data[], int len);
// Writes one byte for each two samples at 64 kbit/s.
ANTIPHON_AUDIO_PATH int g722_encode(g722_encode_state_t *s, uint8_t g722_data[], const int16_t amp[], int len);

// `s` is never null here, so nothing is allocated.
ANTIPHON_AUDIO_PATH static inline void antiphon_g722_decoder_reset(g722_decode_state_t *s) {
  (void)g722_decode_init(s, 64000, 0);
}
ANTIPHON_AUDIO_PATH static inline void antiphon_g722_encoder_reset(g722_encode_state_t *s) {
  (void)g722_encode_init(s, 64000, 0);
}
