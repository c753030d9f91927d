import RealtimeCore

/// The timestamps of several payload types on one time line, in ticks that all their clocks divide.
///
/// Payload types of one clock rate share one run of timestamps, so a change between them is nothing. At a change to
/// another rate nobody can know how the sender goes on: RFC 7160 §4 wants the new clock read as if it had run from the
/// start, many senders just go on counting, others begin anew. So the first packet behind the change is placed by who calls
/// (`place`), and the ones behind it follow by their own clock.
struct TimestampLines: Sendable, BitwiseCopyable {
  private struct Line: Sendable, BitwiseCopyable {
    var unwrapper = TimestampUnwrapper()
    /// Ticks of the common line for one of this clock.
    var scale: Int64 = 1
    /// Where this clock's zero lies on the common line.
    var shift: Int64 = 0

    @_noLocks
    init() {}
  }

  private var lines = InlineArray<8, Line>(repeating: Line())
  private var lineOfFormat = InlineArray<8, Int>(repeating: 0)
  /// The line of the newest packet: the one that timestamps from outside are meant on.
  private(set) var current = 0

  /// - Parameter rates: each format's clock, in Hz.
  init(rates: [Int], commonRate: Int) {
    for (format, rate) in rates.enumerated() {
      lineOfFormat[format] = rates.firstIndex(of: rate) ?? format
      lines[format].scale = Int64(commonRate / rate)
    }
  }

  /// Whether packets of `format` are stamped by another clock than the newest packet.
  @_noLocks
  func isOtherClock(_ format: Int) -> Bool { lineOfFormat[format] != current }

  /// Ticks of the common line for one of `format`'s clock.
  @_noLocks
  func scale(_ format: Int) -> Int64 { lines[lineOfFormat[format]].scale }

  /// Where a timestamp of the current clock lies, near the newest one.
  @_noLocks
  func time(of timestamp: RTPTimestamp) -> Int64 {
    var unwrapper = lines[current].unwrapper
    return unwrapper.unwrap(timestamp) &* lines[current].scale &+ lines[current].shift
  }

  /// Where the timestamp of a packet lies; it becomes the newest of its clock, if it is later than those before.
  @_noLocks
  mutating func note(_ timestamp: RTPTimestamp, _ format: Int) -> Int64 {
    let line = lineOfFormat[format]
    return lines[line].unwrapper.unwrap(timestamp) &* lines[line].scale &+ lines[line].shift
  }

  /// The timestamp of the current clock at `time`.
  @_noLocks
  func timestamp(at time: Int64) -> RTPTimestamp {
    let ticks = time &- lines[current].shift
    let scale = lines[current].scale
    // Towards minus infinity, for times before the clock's zero.
    let quotient = ticks >= 0 ? ticks / scale : 0 &- (scale &- 1 &- ticks) / scale
    return RTPTimestamp(UInt32(truncatingIfNeeded: quotient))
  }

  /// Goes over to the clock of `format`, whose `timestamp` lies at `time`.
  @_noLocks
  mutating func place(_ timestamp: RTPTimestamp, _ format: Int, at time: Int64) {
    current = lineOfFormat[format]
    lines[current].unwrapper = TimestampUnwrapper()
    lines[current].shift = 0
    var unwrapper = TimestampUnwrapper()
    lines[current].shift = time &- unwrapper.unwrap(timestamp) &* lines[current].scale
  }

  /// Forgets everything; the next packet is of `format`, and its clock's zero is the line's.
  @_noLocks
  mutating func reset(to format: Int) {
    for line in 0..<8 {
      lines[line].unwrapper = TimestampUnwrapper()
      lines[line].shift = 0
    }
    current = lineOfFormat[format]
  }
}
