#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// libopus called from C, mono at 48 kHz, with the settings that our encoder has by default.
typedef struct RivalOpusEncoder RivalOpusEncoder;

RivalOpusEncoder *rival_opus_encoder_create(int bitrate, int complexity, int frame_sample_count);
void rival_opus_encoder_destroy(RivalOpusEncoder *encoder);

/// Encodes `count` frames of `samples`, over and over from where the last call ended, and notes how long each took.
void rival_opus_encode(
    RivalOpusEncoder *encoder, const float *samples, size_t sample_count, int64_t *times, size_t count);
/// Of all packets so far.
uint64_t rival_opus_encoder_checksum(const RivalOpusEncoder *encoder);

typedef struct RivalOpusDecoder RivalOpusDecoder;

RivalOpusDecoder *rival_opus_decoder_create(void);
void rival_opus_decoder_destroy(RivalOpusDecoder *decoder);

/// Decodes `count` of the packets that lie between neighbouring `offsets` of `bytes`, otherwise as above.
void rival_opus_decode(
    RivalOpusDecoder *decoder, const uint8_t *bytes, const int32_t *offsets, size_t packet_count, int64_t *times,
    size_t count);
/// Of all samples so far.
uint64_t rival_opus_decoder_checksum(const RivalOpusDecoder *decoder);

#ifdef __cplusplus
}
#endif
