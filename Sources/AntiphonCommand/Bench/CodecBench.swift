import Antiphon

/// Every codec alone, 20 ms a call.
struct CodecBench {
  private let voice: MadeUpVoice
  private let frameCount: Int

  init(_ voice: MadeUpVoice, seconds: Int) {
    self.voice = voice
    frameCount = seconds * 50
  }

  func rows() throws -> [BenchRow] {
    var rows: [BenchRow] = []
    for complexity in [0, 5, 9] {
      let settings = OpusEncoderSettings(complexity: complexity)
      rows += try self.rows("Opus 48 kHz, 32 kbit/s, complexity \(complexity)", .opus(), .hz48000, settings)
    }
    rows += try self.rows("G.711 µ-law", .pcmu, .hz8000, OpusEncoderSettings())
    rows += try self.rows("G.711 A-law", .pcma, .hz8000, OpusEncoderSettings())
    rows += try self.rows("L16 48 kHz", .l16(.hz48000), .hz48000, OpusEncoderSettings())
    return rows
  }

  private func rows(
    _ name: String, _ format: CodecFormat, _ rate: SampleRate, _ settings: OpusEncoderSettings
  ) throws -> [BenchRow] {
    let voice = rate == MadeUpVoice.rate ? voice : try voice.resampled(to: rate)
    var encoder = try AudioEncoder(format, sampleRate: rate, opus: settings)
    var decoder = try AudioDecoder(format, sampleRate: rate)
    var frame = SampleBuffer(repeating: 0, count: encoder.frameSampleCount)
    var decoded = SampleBuffer(repeating: 0, count: encoder.frameSampleCount)
    var payload = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
    var encoding = CallTimes(count: frameCount)
    var decoding = CallTimes(count: frameCount)
    var position = 0
    for _ in 0..<frameCount {
      voice.copy(to: &frame, at: &position)
      let start = ContinuousClock.now
      let byteCount = try Self.encode(frame, by: &encoder, into: &payload)
      encoding.add(since: start)
      let middle = ContinuousClock.now
      try Self.decode(payload, byteCount, by: &decoder, into: &decoded)
      decoding.add(since: middle)
    }
    return [
      BenchRow("\(name): encode, 20 ms", frameMilliseconds: 20, times: encoding),
      BenchRow("\(name): decode, 20 ms", frameMilliseconds: 20, times: decoding),
    ]
  }

  private static func encode(
    _ frame: borrowing SampleBuffer, by encoder: inout AudioEncoder, into payload: inout ByteBuffer
  ) throws -> Int {
    var bytes = payload.mutableSpan
    return try encoder.encode(frame.view, into: &bytes)
  }

  private static func decode(
    _ payload: borrowing ByteBuffer, _ byteCount: Int, by decoder: inout AudioDecoder, into frame: inout SampleBuffer
  ) throws {
    var samples = frame.mutableSpan
    _ = try decoder.decode(payload.view(0..<byteCount), into: &samples)
  }
}
