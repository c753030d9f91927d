#include "RivalOpus.h"

#include <opus/opus.h>
#include <stdlib.h>
#include <string.h>

#include "Checksum.h"
#include "Clock.h"

enum { RATE = 48000, LONGEST_FRAME = RATE * 60 / 1000, PACKET_ROOM = 1276, LONGEST_PAYLOAD = 6000 };

struct RivalOpusEncoder {
  OpusEncoder *opus;
  int frame;
  size_t position;
  uint64_t checksum;
  float samples[LONGEST_FRAME];
  unsigned char packet[PACKET_ROOM];
};

RivalOpusEncoder *rival_opus_encoder_create(int bitrate, int complexity, int frame_sample_count) {
  RivalOpusEncoder *encoder = calloc(1, sizeof *encoder);
  int error = OPUS_OK;
  encoder->opus = opus_encoder_create(RATE, 1, OPUS_APPLICATION_VOIP, &error);
  if (error != OPUS_OK) abort();
  encoder->frame = frame_sample_count;
  opus_encoder_ctl(encoder->opus, OPUS_SET_BITRATE(bitrate));
  opus_encoder_ctl(encoder->opus, OPUS_SET_COMPLEXITY(complexity));
  opus_encoder_ctl(encoder->opus, OPUS_SET_VBR(1));
  opus_encoder_ctl(encoder->opus, OPUS_SET_VBR_CONSTRAINT(0));
  return encoder;
}

void rival_opus_encoder_destroy(RivalOpusEncoder *encoder) {
  opus_encoder_destroy(encoder->opus);
  free(encoder);
}

void rival_opus_encode(
    RivalOpusEncoder *encoder, const float *samples, size_t sample_count, int64_t *times, size_t count) {
  for (size_t call = 0; call < count; call++) {
    if (encoder->position + encoder->frame > sample_count) encoder->position = 0;
    memcpy(encoder->samples, samples + encoder->position, encoder->frame * sizeof(float));
    const int64_t start = bench_now();
    const opus_int32 written =
        opus_encode_float(encoder->opus, encoder->samples, encoder->frame, encoder->packet, PACKET_ROOM);
    times[call] = bench_now() - start;
    if (written < 0) abort();
    encoder->checksum = bench_checksum(encoder->checksum, encoder->packet, written);
    encoder->position += encoder->frame;
  }
}

uint64_t rival_opus_encoder_checksum(const RivalOpusEncoder *encoder) { return encoder->checksum; }

struct RivalOpusDecoder {
  OpusDecoder *opus;
  size_t position;
  uint64_t checksum;
  unsigned char packet[LONGEST_PAYLOAD];
  float samples[LONGEST_FRAME];
};

RivalOpusDecoder *rival_opus_decoder_create(void) {
  RivalOpusDecoder *decoder = calloc(1, sizeof *decoder);
  int error = OPUS_OK;
  decoder->opus = opus_decoder_create(RATE, 1, &error);
  if (error != OPUS_OK) abort();
  return decoder;
}

void rival_opus_decoder_destroy(RivalOpusDecoder *decoder) {
  opus_decoder_destroy(decoder->opus);
  free(decoder);
}

void rival_opus_decode(
    RivalOpusDecoder *decoder, const uint8_t *bytes, const int32_t *offsets, size_t packet_count, int64_t *times,
    size_t count) {
  for (size_t call = 0; call < count; call++) {
    if (decoder->position == packet_count) decoder->position = 0;
    const int32_t from = offsets[decoder->position], size = offsets[decoder->position + 1] - from;
    memcpy(decoder->packet, bytes + from, size);
    const int64_t start = bench_now();
    const int written =
        opus_decode_float(decoder->opus, decoder->packet, size, decoder->samples, LONGEST_FRAME, 0);
    times[call] = bench_now() - start;
    if (written < 0) abort();
    decoder->checksum = bench_checksum(decoder->checksum, decoder->samples, written * sizeof(float));
    decoder->position++;
  }
}

uint64_t rival_opus_decoder_checksum(const RivalOpusDecoder *decoder) { return decoder->checksum; }
