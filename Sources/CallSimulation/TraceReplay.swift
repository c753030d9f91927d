public import AudioCodecs
public import JitterBuffer
public import RealtimeCore

/// Plays recorded or made-up packet arrivals through a jitter buffer, on virtual time.
///
/// Playout asks for 10 ms at 0, 10, 20, ... ms; each packet is inserted at its exact arrival, and never before the
/// playout call that comes after it. Same records, same samples.
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
    /// Index of the first sample of the call in `samples`.
    public var sample: Int
    /// The timestamp of that sample; `nil` before the first packet.
    public var timestamp: RTPTimestamp?
    /// Over the fastest packets of late, in nanoseconds.
    public var targetDelay: Int64
    /// Over the fastest packets of late, in nanoseconds.
    public var playoutDelay: Int64
  }

  /// The buffer under test, with its statistics.
  public var buffer: JitterBuffer
  /// All samples played, at `buffer.sampleRate`; sample n is played n sample periods after zero.
  public private(set) var samples: [Float] = []
  /// One point for each 10 ms.
  public private(set) var points: [Point] = []
  /// The statistics as they were just after the last arrival.
  public private(set) var statisticsAtLastArrival = JitterBufferStatistics()
  /// Samples played from the first to the last arrival.
  public private(set) var sampleCountBetweenArrivals = 0

  /// A replay through a new buffer.
  /// - Throws: when the decoder cannot be made.
  public init(
    format: CodecFormat, sampleRate: SampleRate = .hz48000, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws(CodecError) {
    buffer = try JitterBuffer(format: format, sampleRate: sampleRate, settings: settings)
  }

  /// Plays `arrivals` and `tailMilliseconds` beyond the last of them.
  /// - Parameter arrivals: in any order; those at the same instant keep theirs.
  public mutating func run(_ arrivals: [Arrival], tailMilliseconds: Int = 1_000) {
    let ordered = arrivals.enumerated()
      .sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }
      .map(\.element)
    guard let first = ordered.first, let last = ordered.last else { return }
    let frameCount = buffer.sampleRate.hertz / 100
    var frame = [Float](repeating: 0, count: frameCount)
    let end = last.instant.advanced(byMilliseconds: Double(tailMilliseconds))
    var next = 0
    var now = MediaInstant.zero
    while now < end {
      let waiting = next
      while next < ordered.count && ordered[next].instant <= now {
        insert(ordered[next])
        next += 1
      }
      if next == ordered.count && waiting < next { statisticsAtLastArrival = buffer.statistics }
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: now)
      points.append(
        Point(
          sample: samples.count, timestamp: buffer.position, targetDelay: buffer.targetDelay,
          playoutDelay: buffer.playoutDelay))
      samples += frame
      now = now.advanced(byMilliseconds: 10)
    }
    sampleCountBetweenArrivals =
      Int(last.instant.milliseconds(since: first.instant) * Double(buffer.sampleRate.hertz) / 1_000)
  }

  private mutating func insert(_ arrival: Arrival) {
    _ = buffer.insert(
      arrival.payload.span, sequenceNumber: arrival.sequenceNumber, timestamp: arrival.timestamp, at: arrival.instant)
  }
}
