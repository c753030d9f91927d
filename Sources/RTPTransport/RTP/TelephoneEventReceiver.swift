public import RealtimeCore

/// Tells pressed keys from the packets that repeat them (RFC 4733 §2.5.2): one start and one end for each key, though
/// packets get lost, come twice or late.
/// - Threads: any one at a time. Never allocates.
public struct TelephoneEventReceiver: Sendable, BitwiseCopyable {
  /// What a packet brought to light.
  public enum Change: Hashable, Sendable, BitwiseCopyable {
    /// A key went down.
    case started(code: UInt8)
    /// A key was let go after so many ticks of the RTP clock. A start may never have come: then it is told with the end.
    case ended(code: UInt8, duration: UInt16, wasStarted: Bool)
    /// Nothing new.
    case none
  }

  private var timestamp: RTPTimestamp?
  private var isDown = false

  /// No key has been pressed.
  public init() {}

  /// Takes the event of a packet with this timestamp.
  @_noLocks
  public mutating func receive(_ event: TelephoneEvent, at timestamp: RTPTimestamp) -> Change {
    if let last = self.timestamp {
      let step = last.distance(to: timestamp)
      // Behind the newest key: a late copy of an earlier one.
      if step < 0 || (step == 0 && !isDown) { return .none }
      if step == 0 {
        guard event.isEnd else { return .none }
        isDown = false
        return .ended(code: event.code, duration: event.duration, wasStarted: true)
      }
    }
    self.timestamp = timestamp
    isDown = !event.isEnd
    return event.isEnd
      ? .ended(code: event.code, duration: event.duration, wasStarted: false) : .started(code: event.code)
  }
}
