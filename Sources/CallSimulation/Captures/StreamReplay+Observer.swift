public import JitterBuffer
public import RealtimeCore

/// Follows a replay: what came and what was played.
public protocol StreamReplayObserver: AnyObject {
  /// A packet of the stream has come.
  func received(_ packet: StreamReplay.Packet)
  /// The next 10 ms were played; the resampler to the output's rate may give some samples more or less.
  func played(_ samples: Span<Float>, _ point: StreamReplay.Point) throws
}

extension StreamReplay {
  /// What became of a packet.
  public enum Outcome: Sendable {
    /// It waits in the jitter buffer, or came to the end of the line.
    case inserted, tooLate, duplicate, malformed, implausible
    /// A key, or comfort noise.
    case event
    /// Of a payload type that is not decoded here.
    case undecodable
    /// The capture kept only its beginning.
    case cutShort
  }

  /// A packet as it came.
  public struct Packet: Sendable {
    /// Since the replay's beginning, on its own time.
    public let arrival: MediaInstant
    /// Arrival minus the place on the media clock, in ms over the first packet's; `nil` for what is no sound.
    public let transitMilliseconds: Double?
    /// It came after one with a later number.
    public let isReordered: Bool
    /// What became of it.
    public let outcome: Outcome
  }

  /// Where playout stands.
  public struct Point: Sendable {
    /// When the 10 ms began, on the replay's own time.
    public let instant: MediaInstant
    /// Over the fastest packets of late, in nanoseconds; 0 while nothing plays.
    public let playoutDelay: Int64
    /// Over the fastest packets of late, in nanoseconds.
    public let targetDelay: Int64
    /// The counters of all buffers behind these 10 ms.
    public let statistics: JitterBufferStatistics
    /// The sender pauses: a key is pressed, or it sent comfort noise.
    public let isPause: Bool
  }
}
