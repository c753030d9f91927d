#pragma once
#include <opus.h>
#include <opusenc.h>

// Swift cannot call variadic functions: one inline function for each setting in use. Each returns OPE_OK or an error.

static inline int antiphon_ope_set_bitrate(OggOpusEnc *encoder, opus_int32 bits_per_second) {
  return ope_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

static inline int antiphon_ope_set_complexity(OggOpusEnc *encoder, opus_int32 complexity) {
  return ope_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int antiphon_ope_set_variable_bitrate(OggOpusEnc *encoder, opus_int32 is_variable) {
  return ope_encoder_ctl(encoder, OPUS_SET_VBR(is_variable));
}

static inline int antiphon_ope_set_frame_duration(OggOpusEnc *encoder, opus_int32 code) {
  return ope_encoder_ctl(encoder, OPUS_SET_EXPERT_FRAME_DURATION(code));
}

static inline int antiphon_ope_set_serial_number(OggOpusEnc *encoder, opus_int32 number) {
  return ope_encoder_ctl(encoder, OPE_SET_SERIALNO(number));
}
