public import RealtimeCore

/// Presses keys one after the other, in the rhythm of a stream's frames (RFC 4733 §2.5.1).
///
/// While a key is down, each frame's time brings a packet with the key's start as timestamp and the duration so far; the
/// last one goes out three times. Between two keys there is a pause in which the microphone is heard.
/// - Threads: any one at a time. Never allocates.
public struct TelephoneEventSender: Sendable, BitwiseCopyable {
  /// A packet to send in place of a frame.
  public struct Packet: Hashable, Sendable, BitwiseCopyable {
    /// The payload.
    public let event: TelephoneEvent
    /// When the key went down, on the RTP clock.
    public let timestamp: RTPTimestamp
    /// Whether it is the key's first.
    public let marker: Bool
    /// How many times it goes out, each time with a sequence number of its own.
    public let copies: Int
  }

  private struct Key: BitwiseCopyable {
    var code: UInt8
    var ticks: Int
  }

  private var keys = InlineArray<32, Key>(repeating: Key(code: 0, ticks: 0))
  private var first = 0
  private var count = 0
  private var start: RTPTimestamp?
  private var elapsed = 0
  private var pauseLeft = 0
  private let pause: Int

  /// - Parameter pauseTicks: at least this long between two keys, in ticks of the RTP clock, 0 or more.
  public init(pauseTicks: Int) { pause = pauseTicks }

  /// Whether a key is down or waits.
  public var isBusy: Bool { @_noLocks get { count > 0 } }

  /// Presses a key behind those that wait.
  /// - Parameter ticks: how long, 1 to 65,535 ticks of the RTP clock; more counts as 65,535.
  /// - Returns: false when 32 wait already.
  @_noLocks
  public mutating func press(_ code: UInt8, ticks: Int) -> Bool {
    guard count < 32 else { return false }
    keys[(first &+ count) & 31] = Key(code: code, ticks: Swift.max(1, Swift.min(65_535, ticks)))
    count &+= 1
    return true
  }

  /// What goes out in place of the frame that begins at `timestamp`; `nil`: the frame itself.
  @_noLocks
  public mutating func next(at timestamp: RTPTimestamp, ticksPerFrame: Int) -> Packet? {
    if pauseLeft > 0 {
      pauseLeft &-= ticksPerFrame
      return nil
    }
    guard count > 0 else { return nil }
    let key = keys[first]
    let isFirst = start == nil
    let begin = start ?? timestamp
    start = begin
    elapsed &+= ticksPerFrame
    let isEnd = elapsed >= key.ticks
    // The end lies where the frame does: a tone that stops in mid-frame is not asked for by any keypad.
    let duration = UInt16(truncatingIfNeeded: Swift.min(65_535, elapsed))
    if isEnd {
      start = nil
      elapsed = 0
      pauseLeft = pause
      first = (first &+ 1) & 31
      count &-= 1
    }
    return Packet(
      event: TelephoneEvent(code: key.code, isEnd: isEnd, duration: duration), timestamp: begin, marker: isFirst,
      copies: isEnd ? 3 : 1)
  }
}
