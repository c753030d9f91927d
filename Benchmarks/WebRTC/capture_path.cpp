// WebRTC's capture path as a rival: echo canceller (AEC3) with high-pass filter, noise suppression, gain control (AGC2)
// and Opus, 48 kHz mono, straight on Debian's static library of WebRTC.
//
//   capture_path NEAR_END FAR_END      files of raw floats; for the protocol see Bench/ProgramLoop.swift

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <opus/opus.h>
#include <pthread.h>
#include <time.h>

#include "modules/audio_processing/include/audio_processing.h"

namespace {

constexpr int kRate = 48000;
constexpr size_t kBlock = kRate / 100;
constexpr size_t kFrame = 2 * kBlock;

int64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

std::vector<float> ReadFloats(const char *path) {
  std::vector<float> samples;
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rb"), std::fclose);
  if (!file) return samples;
  float chunk[4096];
  while (size_t count = std::fread(chunk, sizeof(float), 4096, file.get())) {
    samples.insert(samples.end(), chunk, chunk + count);
  }
  return samples;
}

rtc::scoped_refptr<webrtc::AudioProcessing> MakeProcessing() {
  rtc::scoped_refptr<webrtc::AudioProcessing> processing = webrtc::AudioProcessingBuilder().Create();
  webrtc::AudioProcessing::Config config;
  config.pipeline.maximum_internal_processing_rate = kRate;
  config.high_pass_filter.enabled = true;
  config.echo_canceller.enabled = true;
  config.noise_suppression.enabled = true;
  config.noise_suppression.level = webrtc::AudioProcessing::Config::NoiseSuppression::kHigh;
  config.gain_controller2.enabled = true;
  config.gain_controller2.adaptive_digital.enabled = true;
  processing->ApplyConfig(config);
  return processing;
}

OpusEncoder *MakeEncoder() {
  int error = OPUS_OK;
  OpusEncoder *encoder = opus_encoder_create(kRate, 1, OPUS_APPLICATION_VOIP, &error);
  if (error != OPUS_OK) std::abort();
  opus_encoder_ctl(encoder, OPUS_SET_BITRATE(32000));
  opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(9));
  opus_encoder_ctl(encoder, OPUS_SET_VBR_CONSTRAINT(0));
  return encoder;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const std::vector<float> near_end = ReadFloats(argv[1]), far_end = ReadFloats(argv[2]);
  const size_t total = std::min(near_end.size(), far_end.size());
  if (total < kFrame) return 2;

  const auto processing = MakeProcessing();
  OpusEncoder *encoder = MakeEncoder();
  const webrtc::StreamConfig mono(kRate, 1);
  std::vector<float> played(kBlock), cleaned(kFrame);
  unsigned char packet[1276];

  size_t position = 0;
  unsigned long calls = 0;
  while (std::scanf("%lu", &calls) == 1) {
    std::vector<int64_t> times(calls);
    for (int64_t &time : times) {
      if (position + kFrame > total) position = 0;
      const int64_t start = Now();
      for (size_t block = 0; block < kFrame; block += kBlock) {
        const float *far_block = &far_end[position + block];
        const float *near_block = &near_end[position + block];
        float *out = &cleaned[block];
        float *heard = played.data();
        processing->ProcessReverseStream(&far_block, mono, mono, &heard);
        processing->set_stream_delay_ms(40);
        processing->ProcessStream(&near_block, mono, mono, &out);
      }
      if (opus_encode_float(encoder, cleaned.data(), kFrame, packet, sizeof packet) < 0) return 1;
      time = Now() - start;
      position += kFrame;
    }
    std::fwrite(times.data(), sizeof(int64_t), times.size(), stdout);
    std::fflush(stdout);
  }
  opus_encoder_destroy(encoder);
}
