internal import AudioCodecs
internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore
internal import SignalProcessing

/// The jitter buffer of a captured stream, with a resampler to the rate of the output behind it.
///
/// What a jitter buffer cannot know is that nothing more comes. Where the caller knows, playout that comes to the end of
/// the sound tells the buffer to stop (`flush` with nothing waiting fades within 5 ms) in place of concealing.
final class StreamPlayer {
  private(set) var buffer: JitterBuffer
  private let channelCounts: [UInt8: Int]
  private let codecs: [UInt8: Codec]
  private var resampler: Resampler
  private var frame: SampleBuffer
  private var converted: SampleBuffer
  /// Samples of 10 ms at the buffer's rate.
  private let frameSampleCount: Int

  /// - Parameter outputRate: `nil` is the highest rate among the decoders.
  init(_ stream: CapturedStream, outputRate: SampleRate?, settings: JitterBufferSettings) throws {
    // More codecs than a buffer takes are no call.
    let formats = Array(stream.formats.prefix(8))
    if formats.isEmpty { throw StreamReplayError.nothingToDecode }
    let buffer = try JitterBuffer(formats: formats, sampleRate: outputRate ?? .hz48000, settings: settings)
    let rate = buffer.sampleRate
    let resampler = try Resampler(from: rate, to: outputRate ?? rate, quality: .high, skipsLatency: true)
    frameSampleCount = rate.hertz / 100
    frame = SampleBuffer(repeating: 0, count: frameSampleCount)
    converted = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: frameSampleCount) + 1)
    codecs = Dictionary(uniqueKeysWithValues: formats.map { ($0.payloadType, $0.codec) })
    channelCounts = Dictionary(
      uniqueKeysWithValues: stream.payloads.map { ($0.use.payloadType, $0.name?.channelCount ?? 1) })
    self.buffer = buffer
    self.resampler = resampler
  }

  /// The rate of the output.
  var sampleRate: SampleRate { resampler.outputRate }

  /// The buffer's counters, in samples of the output's rate.
  var statistics: JitterBufferStatistics {
    buffer.statistics.scaled(by: Double(sampleRate.hertz) / Double(buffer.sampleRate.hertz))
  }

  /// Hands over the sound of a packet that came at `instant`.
  func insert(_ payload: [UInt8], _ header: RTPHeader, at instant: MediaInstant) -> InsertOutcome {
    let type = header.payloadType
    let channels = channelCounts[type] ?? 1
    // A packet of two channels of Opus is mixed down by its decoder.
    let mono =
      channels > 1 && codecs[type] != .opus ? Mixdown.mono(payload, channels, codecs[type] ?? .opus) : payload
    return buffer.insert(
      mono.span, payloadType: type, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, at: instant)
  }

  /// Hands over a packet with copies of earlier ones (RED).
  func insertRedundant(_ payload: [UInt8], _ header: RTPHeader, at instant: MediaInstant) -> InsertOutcome {
    // 13 is the one number of noise descriptions for 8 kHz codecs (RFC 3551 §6).
    buffer.insertRedundant(
      ByteView(payload.span), noiseType: 13, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp,
      at: instant)
  }

  /// Hands over a description of noise.
  func insertNoise(_ payload: [UInt8], _ header: RTPHeader, at instant: MediaInstant) -> InsertOutcome {
    buffer.insertComfortNoise(
      ByteView(payload.span), sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, at: instant)
  }

  /// A number of the stream that is no sound.
  func noteForeignPacket(_ sequenceNumber: SequenceNumber) { buffer.noteForeignPacket(sequenceNumber: sequenceNumber) }

  /// Whether all sound that came has been played.
  var isDone: Bool { buffer.packetCount == 0 && buffer.samplesToEnd == 0 }

  /// Plays the next 10 ms at `now` and hands them to `sink` at the output's rate.
  /// - Parameter stopsAtEnd: no sound is to be expected behind that which came.
  func play(at now: MediaInstant, stopsAtEnd: Bool, sink: (Span<Float>) throws -> Void) rethrows {
    if stopsAtEnd && buffer.samplesToEnd < frameSampleCount {
      playToTheEnd(at: now)
    } else {
      Self.pull(&buffer, into: &frame, 0..<frameSampleCount, at: now)
    }
    let made = Self.resample(frame, by: &resampler, into: &converted)
    try Self.hand(converted, made, to: sink)
  }

  /// Forgets the stream, not the counts; what waits is lost.
  func reset() { buffer.reset() }

  /// What the resampler still holds.
  func drain(sink: (Span<Float>) throws -> Void) rethrows {
    while case let made = Self.drain(&resampler, into: &converted), made > 0 {
      try Self.hand(converted, made, to: sink)
    }
  }

  /// Pieces of 1 ms, or up to the end of the sound.
  private func playToTheEnd(at now: MediaInstant) {
    var made = 0
    while made < frameSampleCount {
      let left = buffer.samplesToEnd
      // With packets waiting and nothing playing the first of them is not due yet.
      if left == 0 && buffer.packetCount == 0 { buffer.flush() }
      let step = min(max(1, frameSampleCount / 10), frameSampleCount - made)
      let count = left == 0 ? step : min(left, step)
      let instant = now.advanced(byNanoseconds: buffer.sampleRate.nanoseconds(sampleCount: made))
      Self.pull(&buffer, into: &frame, made..<made + count, at: instant)
      made += count
    }
  }

  // Static, since a span of one property would hold on to all of self.
  private static func pull(
    _ buffer: inout JitterBuffer, into frame: inout SampleBuffer, _ range: Range<Int>, at now: MediaInstant
  ) {
    var samples = frame.mutableSpan(range)
    buffer.playout(into: &samples, at: now)
  }

  private static func hand(
    _ samples: borrowing SampleBuffer, _ count: Int, to sink: (Span<Float>) throws -> Void
  ) rethrows {
    try sink(samples.span.extracting(0..<count))
  }

  private static func resample(
    _ frame: borrowing SampleBuffer, by resampler: inout Resampler, into output: inout SampleBuffer
  ) -> Int {
    var room = output.mutableSpan
    return resampler.process(frame.view, into: &room).produced
  }

  private static func drain(_ resampler: inout Resampler, into output: inout SampleBuffer) -> Int {
    var room = output.mutableSpan
    return resampler.drain(into: &room)
  }
}
