/// Who sends, seen from the end that wrote it (RFC 8866 §6.7).
public enum MediaDirection: String, Hashable, Sendable, CaseIterable {
  /// Both.
  case sendReceive = "sendrecv"
  /// Only the writer: it has put the other on hold, or plays an announcement.
  case sendOnly = "sendonly"
  /// Only the other.
  case receiveOnly = "recvonly"
  /// Nobody; RTCP goes on.
  case inactive

  /// The direction in which the writer sends and receives so.
  public init(sends: Bool, receives: Bool) {
    self = sends ? (receives ? .sendReceive : .sendOnly) : (receives ? .receiveOnly : .inactive)
  }

  /// Whether the writer sends.
  public var sends: Bool { self == .sendReceive || self == .sendOnly }
  /// Whether the writer receives.
  public var receives: Bool { self == .sendReceive || self == .receiveOnly }
  /// The same seen from the other end.
  public var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

  /// What both allow.
  public func intersection(_ other: MediaDirection) -> MediaDirection {
    MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
  }
}
