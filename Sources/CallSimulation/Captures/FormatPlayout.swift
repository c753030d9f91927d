internal import AudioCodecs
internal import JitterBuffer
internal import RealtimeCore
internal import SignalProcessing

/// The jitter buffer of one payload type of a stream, at the rate of the output.
///
/// What a jitter buffer cannot know is when silence is meant: while a key is pressed, after a comfort-noise packet, before
/// another codec and behind the last packet, no sound is missing. So the end of the sound is kept here, and where
/// playout comes to it the buffer is told to stop (`flush` with nothing waiting fades within 5 ms) in place of
/// concealing.
final class FormatPlayout {
  private(set) var buffer: JitterBuffer
  private let format: CodecFormat
  private let channelCount: Int
  private let scale: UInt32
  private let ticksPerSample: Int64
  private var resampler: Resampler
  private var frame: SampleBuffer
  private var converted: SampleBuffer
  private var timestamps = TimestampUnwrapper()
  private var positions = TimestampUnwrapper()
  /// The timestamp behind the last sample of the newest packet.
  private var soundEnd: Int64?
  /// The timestamp that playout reaches next; `nil` while nothing plays.
  private var nextPosition: Int64?

  /// Samples of 10 ms at the buffer's rate.
  private let frameSampleCount: Int

  init(
    format: CodecFormat, channelCount: Int, outputRate: SampleRate?, settings: JitterBufferSettings
  ) throws {
    let buffer = try JitterBuffer(
      format: format.onSampleClock, sampleRate: outputRate ?? .hz48000, settings: settings)
    let rate = buffer.sampleRate
    let resampler = try Resampler(from: rate, to: outputRate ?? rate, quality: .high, skipsLatency: true)
    frameSampleCount = rate.hertz / 100
    frame = SampleBuffer(repeating: 0, count: frameSampleCount)
    converted = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: frameSampleCount) + 1)
    self.format = format
    // A packet of two channels of Opus is mixed down by its decoder.
    self.channelCount = format.codec == .opus ? 1 : channelCount
    scale = UInt32(format.samplesPerTick)
    ticksPerSample = Int64(max(1, format.onSampleClock.clockRate / rate.hertz))
    self.buffer = buffer
    self.resampler = resampler
  }

  /// Hands over a packet that came at `instant`.
  func insert(
    _ given: [UInt8], sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, at instant: MediaInstant
  ) -> InsertOutcome {
    let scaled = RTPTimestamp(timestamp.rawValue &* scale)
    let payload = channelCount > 1 ? Mixdown.mono(given, channelCount, format.codec) : given
    let outcome = buffer.insert(
      payload.span, sequenceNumber: sequenceNumber, timestamp: scaled, at: instant)
    if case .restarted = outcome {
      timestamps = TimestampUnwrapper()
      positions = TimestampUnwrapper()
      (soundEnd, nextPosition) = (nil, nil)
    }
    if outcome.isHeld {
      let end = timestamps.unwrap(scaled) + ticks(of: payload)
      soundEnd = max(soundEnd ?? end, end)
    }
    return outcome
  }

  private func ticks(of payload: [UInt8]) -> Int64 {
    let samples: Int
    if let bytes = format.bytesOfTwoSamples {
      samples = 2 * payload.count / bytes
    } else {
      samples = OpusPacketHeader(payload.span)?.sampleCount(at: buffer.sampleRate) ?? 0
    }
    return Int64(samples) * ticksPerSample
  }

  /// A number of the stream that another payload type has used.
  func noteForeignPacket(_ sequenceNumber: SequenceNumber) { buffer.noteForeignPacket(sequenceNumber: sequenceNumber) }

  /// Whether all sound that came has been played.
  var isDone: Bool { buffer.packetCount == 0 && samplesLeft == 0 }

  /// Plays the next 10 ms at `now` and hands them to `sink` at the output's rate.
  /// - Parameter stopsAtEnd: no sound is to be expected behind that which came.
  func play(at now: MediaInstant, stopsAtEnd: Bool, sink: (Span<Float>) throws -> Void) rethrows {
    if stopsAtEnd && samplesLeft < frameSampleCount {
      playToTheEnd(at: now)
    } else {
      pull(0..<frameSampleCount, at: now)
    }
    let made = Self.resample(frame, by: &resampler, into: &converted)
    try Self.hand(converted, made, to: sink)
  }

  /// Forgets the stream, not the counts; what waits is lost.
  func reset() {
    buffer.reset()
    timestamps = TimestampUnwrapper()
    positions = TimestampUnwrapper()
    (soundEnd, nextPosition) = (nil, nil)
  }

  /// What the resampler still holds.
  func drain(sink: (Span<Float>) throws -> Void) rethrows {
    while case let made = Self.drain(&resampler, into: &converted), made > 0 {
      try Self.hand(converted, made, to: sink)
    }
  }

  /// Samples up to the end of the sound; 0 when nothing plays.
  private var samplesLeft: Int {
    guard let soundEnd, let nextPosition else { return 0 }
    return Int(max(0, min(soundEnd - nextPosition, Int64(Int32.max))) / ticksPerSample)
  }

  /// Pieces of 1 ms, since only the first sample of each call tells its timestamp.
  private func playToTheEnd(at now: MediaInstant) {
    var made = 0
    while made < frameSampleCount {
      let left = samplesLeft
      // With packets waiting and nothing playing the first of them is not due yet.
      if left == 0 && buffer.packetCount == 0 { buffer.flush() }
      let step = min(max(1, frameSampleCount / 10), frameSampleCount - made)
      let count = left == 0 ? step : min(left, step)
      let instant = now.advanced(byNanoseconds: buffer.sampleRate.nanoseconds(sampleCount: made))
      pull(made..<made + count, at: instant)
      made += count
    }
  }

  private func pull(_ range: Range<Int>, at now: MediaInstant) {
    Self.pull(&buffer, into: &frame, range, at: now)
    nextPosition = buffer.position.map { positions.unwrap($0) + Int64(range.count) * ticksPerSample }
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
