import AudioCodecs
import RealtimeCore
import Rivals

/// Encoding and decoding of speech: Opus over bitrates, complexities and frame lengths beside the same loop in C,
/// G.711 and L16 alone. The delay is a frame's length and the encoder's look-ahead.
func codecRows(_ options: Options) throws -> [Row] {
  let speech = try Speech("mic.wav", at: .hz48000)
  var contests: [Contest] = []
  let bitrates = options.isQuick ? [32_000] : [12_000, 24_000, 32_000, 64_000, 128_000]
  let complexities = options.isQuick ? [5] : [0, 5, 10]
  let frameDurations = options.isQuick ? [2_500, 20_000, 60_000] : [2_500, 5_000, 10_000, 20_000, 40_000, 60_000]
  for bitrate in bitrates {
    for frameDuration in frameDurations {
      for complexity in complexities {
        contests.append(
          try opusEncoding(bitrate: bitrate, complexity: complexity, frameDuration: frameDuration, speech))
      }
      contests.append(try opusDecoding(bitrate: bitrate, frameDuration: frameDuration, speech))
    }
  }
  let telephone = try Speech("mic.wav", at: .hz8000)
  let wideband = try Speech("mic.wav", at: .hz16000)
  for (name, format, voice) in [
    ("G.711 µ-law", CodecFormat.pcmu, telephone), ("G.711 A-law", .pcma, telephone),
    ("L16 16 kHz", .l16(.hz16000), wideband), ("L16 48 kHz", .l16(.hz48000), speech),
  ] {
    let encoder = try AudioEncoder(format, sampleRate: voice.sampleRate)
    let payloads = try Payloads(AudioEncoder(format, sampleRate: voice.sampleRate), voice)
    let decoder = try AudioDecoder(format, sampleRate: voice.sampleRate)
    contests.append(
      Contest(
        task: "\(name) 20 ms encode", millisecondsOfAudio: 20, algorithmicDelayMilliseconds: 20,
        contenders: [Entrant("Antiphon", EncoderLoop(encoder, voice))]))
    contests.append(
      Contest(
        task: "\(name) 20 ms decode", millisecondsOfAudio: 20,
        contenders: [Entrant("Antiphon", DecoderLoop(decoder, payloads))]))
  }
  return contests.flatMap {
    $0.rows(.codecs, rounds: options.isQuick ? 3 : 9, audioPerRound: options.isQuick ? 500 : 2_000)
  }
}

private func opusEncoding(bitrate: Int, complexity: Int, frameDuration: Int, _ speech: Speech) throws -> Contest {
  let encoder = try opusEncoder(bitrate, complexity, frameDuration)
  let rival = RivalEncoderLoop(
    bitrate: bitrate, complexity: complexity, frameSampleCount: encoder.frameSampleCount, speech)
  let milliseconds = Double(frameDuration) / 1_000
  return Contest(
    task: "Opus \(bitrate / 1_000) kbit/s \(milliseconds) ms encode, complexity \(complexity)",
    millisecondsOfAudio: milliseconds,
    algorithmicDelayMilliseconds: milliseconds + Double(encoder.algorithmicDelay) / 48,
    contenders: [Entrant("Antiphon", EncoderLoop(encoder, speech)), Entrant("libopus in C", rival)])
}

/// The encoder's complexity hardly changes what a decoder has to do, so one stands for all.
private func opusDecoding(bitrate: Int, frameDuration: Int, _ speech: Speech) throws -> Contest {
  let payloads = try Payloads(opusEncoder(bitrate, 5, frameDuration), speech)
  let decoder = try AudioDecoder(.opus(packetDuration: frameDuration), sampleRate: .hz48000)
  let milliseconds = Double(frameDuration) / 1_000
  return Contest(
    task: "Opus \(bitrate / 1_000) kbit/s \(milliseconds) ms decode", millisecondsOfAudio: milliseconds,
    contenders: [
      Entrant("Antiphon", DecoderLoop(decoder, payloads)), Entrant("libopus in C", RivalDecoderLoop(payloads)),
    ])
}

private func opusEncoder(_ bitrate: Int, _ complexity: Int, _ frameDuration: Int) throws -> AudioEncoder {
  try AudioEncoder(
    .opus(packetDuration: frameDuration), sampleRate: .hz48000,
    opus: OpusEncoderSettings(bitrate: .bitsPerSecond(bitrate), complexity: complexity))
}
