internal import Networking
internal import RealtimeCore
internal import SignalProcessing

/// The caller's sound as it comes over the wire, to what the mind hears: 16 kHz.
struct CallerSound: ~Copyable {
  private var decoder: FramedAudioDecoder
  private var resampler: Resampler

  init(_ format: FramedAudioFormat) {
    decoder = FramedAudioDecoder(format)
    resampler = Self.resampler(from: format.sampleRate, to: .hz16000)
  }

  /// The samples of a message of any length.
  mutating func decode(_ bytes: [UInt8]) -> [Float] {
    let count = decoder.sampleCount(of: bytes.count)
    // Room for one at least: the decoder keeps half a sample only when it may write.
    var samples = [Float](repeating: 0, count: max(1, count))
    var span = samples.mutableSpan
    _ = decoder.decode(bytes.span, into: &span)
    return resample(Array(samples.prefix(count)))
  }

  /// The same for sound that is decoded already, at the format's rate.
  mutating func resample(_ samples: [Float]) -> [Float] {
    var output = [Float](repeating: 0, count: max(1, resampler.maximumOutputSampleCount(forInput: samples.count)))
    var span = output.mutableSpan
    let made = resampler.process(samples.span, into: &span).produced
    output.removeLast(output.count - made)
    return output
  }

  static func resampler(from input: SampleRate, to output: SampleRate, skipsLatency: Bool = false) -> Resampler {
    do { return try Resampler(from: input, to: output, skipsLatency: skipsLatency) } catch {
      preconditionFailure("the demo agent's formats have rates of 8 to 48 kHz, not \(input) and \(output): \(error)")
    }
  }
}

/// The agent's sound to what goes over the wire.
///
/// Each sentence begins and ends in silence, so each is resampled for itself: as long as it was, to the sample.
struct AgentSound: ~Copyable {
  let format: FramedAudioFormat
  private let encoder: FramedAudioEncoder
  private var resampler: Resampler

  init(_ format: FramedAudioFormat) {
    self.format = format
    encoder = FramedAudioEncoder(format)
    resampler = CallerSound.resampler(from: .hz16000, to: format.sampleRate, skipsLatency: true)
  }

  /// The bytes of one sentence.
  mutating func encode(_ speech: Speech) -> [UInt8] {
    let samples =
      speech.sampleRate == .hz16000
      ? Self.resample(speech.samples, by: &resampler)
      : Self.resample(speech.samples, from: speech.sampleRate, to: format.sampleRate)
    var bytes = [UInt8](repeating: 0, count: samples.count * format.bytesPerSample)
    guard !bytes.isEmpty else { return [] }
    var span = bytes.mutableSpan
    _ = encoder.encode(samples.span, into: &span)
    return bytes
  }

  /// All of `samples` at another rate.
  static func resample(_ samples: [Float], from input: SampleRate, to output: SampleRate) -> [Float] {
    guard input != output else { return samples }
    var resampler = CallerSound.resampler(from: input, to: output, skipsLatency: true)
    return resample(samples, by: &resampler)
  }

  private static func resample(_ samples: [Float], by resampler: inout Resampler) -> [Float] {
    guard !samples.isEmpty else { return [] }
    let room = resampler.maximumOutputSampleCount(forInput: samples.count) + 16
    var made = [Float](repeating: 0, count: room)
    var span = made.mutableSpan
    var count = resampler.process(samples.span, into: &span).produced
    var tail = span.part(count..<room)
    count += resampler.drain(into: &tail)
    resampler.reset()
    made.removeLast(room - count)
    return made
  }
}
