public import AudioCodecs
public import JitterBuffer
public import RealtimeCore

/// Plays recorded or made-up packet arrivals through a jitter buffer, on virtual time.
///
/// Playout asks for 10 ms at 0, 10, 20, ... ms; each packet is inserted at its exact arrival, and never before the
/// playout call that comes after it. Same records, same samples. Nothing is kept, so a replay may last for days:
///
///     while let arrival = source.next(arrivedBy: replay.now) { replay.insert(arrival) }
///     let point = replay.play(into: &frame)
///
/// `run` does that for arrivals in an array.
public struct TraceReplay: ~Copyable {
  /// One copy of a packet that reached the receiver.
  public struct Arrival: Sendable {
    /// As in the RTP header.
    public var sequenceNumber: SequenceNumber
    /// As in the RTP header.
    public var timestamp: RTPTimestamp
    /// Without the RTP header.
    public var payload: [UInt8]
    /// On the axis on which playout begins at zero.
    public var instant: MediaInstant

    /// A copy that came at `instant`.
    public init(
      sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, payload: [UInt8], instant: MediaInstant
    ) {
      self.sequenceNumber = sequenceNumber
      self.timestamp = timestamp
      self.payload = payload
      self.instant = instant
    }
  }

  /// Where the playout stood at one call.
  public struct Point: Sendable {
    /// Index of the first sample of the call, counted from zero time.
    public var sample: Int
    /// The timestamp of that sample; `nil` before the first packet.
    public var timestamp: RTPTimestamp?
    /// Over the fastest packets of late, in nanoseconds.
    public var targetDelay: Int64
    /// Over the fastest packets of late, in nanoseconds.
    public var playoutDelay: Int64
  }

  /// The buffer under test, with its statistics.
  public private(set) var buffer: JitterBuffer
  /// When the next 10 ms will be asked for.
  public private(set) var now = MediaInstant.zero
  /// Samples of 10 ms: what `play` fills.
  public let frameSampleCount: Int
  /// The statistics as they were just after the last arrival so far.
  public private(set) var statisticsAtLastArrival = JitterBufferStatistics()
  private var playedSampleCount = 0
  private var arrivals: ClosedRange<MediaInstant>?

  /// A replay through a new buffer.
  /// - Throws: when the decoder cannot be made.
  public init(
    format: CodecFormat, sampleRate: SampleRate = .hz48000, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws(CodecError) {
    let buffer = try JitterBuffer(format: format, sampleRate: sampleRate, settings: settings)
    frameSampleCount = buffer.sampleRate.hertz / 100
    self.buffer = buffer
  }

  /// Sample periods from the first to the last arrival so far.
  public var sampleCountBetweenArrivals: Int {
    guard let arrivals else { return 0 }
    let milliseconds = arrivals.upperBound.milliseconds(since: arrivals.lowerBound)
    return Int(milliseconds * Double(buffer.sampleRate.hertz) / 1_000)
  }

  /// Hands over a packet, which must have come by `now`; in the order of arrival.
  public mutating func insert(_ arrival: Arrival) {
    precondition(arrival.instant <= now, "TraceReplay: a packet of the future, at \(arrival.instant); now is \(now)")
    _ = buffer.insert(
      arrival.payload.span, sequenceNumber: arrival.sequenceNumber, timestamp: arrival.timestamp, at: arrival.instant)
    let first = arrivals?.lowerBound ?? arrival.instant
    arrivals = min(first, arrival.instant)...max(arrivals?.upperBound ?? first, arrival.instant)
    statisticsAtLastArrival = buffer.statistics
  }

  /// Plays the next 10 ms: exactly `frameSampleCount` samples.
  public mutating func play(into frame: inout MutableSpan<Float>) -> Point {
    let count = frame.count
    precondition(count == frameSampleCount, "TraceReplay: \(count) samples in place of \(frameSampleCount)")
    buffer.playout(into: &frame, at: now)
    let point = Point(
      sample: playedSampleCount, timestamp: buffer.position, targetDelay: buffer.targetDelay,
      playoutDelay: buffer.playoutDelay)
    playedSampleCount += count
    now = now.advanced(byMilliseconds: 10)
    return point
  }

  /// Plays `arrivals` and `tailMilliseconds` beyond the last of them.
  /// - Parameter arrivals: in any order; those at the same instant keep theirs.
  /// - Parameter sink: is given each 10 ms as they are played.
  public mutating func run(
    _ arrivals: [Arrival], tailMilliseconds: Int = 1_000, sink: (Span<Float>, Point) throws -> Void
  ) rethrows {
    let ordered = arrivals.enumerated()
      .sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
    guard let last = ordered.last else { return }
    let end = last.instant.advanced(byMilliseconds: Double(tailMilliseconds))
    var frame = [Float](repeating: 0, count: frameSampleCount)
    var next = 0
    while now < end {
      while next < ordered.count && ordered[next].instant <= now {
        insert(ordered[next])
        next += 1
      }
      var samples = frame.mutableSpan
      let point = play(into: &samples)
      try sink(frame.span, point)
    }
  }

  /// As `run(_:tailMilliseconds:sink:)`; returns all samples and points. For tests and short clips.
  public mutating func run(_ arrivals: [Arrival], tailMilliseconds: Int = 1_000) -> (samples: [Float], points: [Point])
  {
    var samples: [Float] = []
    var points: [Point] = []
    run(arrivals, tailMilliseconds: tailMilliseconds) { frame, point in
      for index in 0..<frame.count { samples.append(frame[index]) }
      points.append(point)
    }
    return (samples, points)
  }
}
