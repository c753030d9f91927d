public import RealtimeCore

/// What a datagram is, told from its first two bytes, when several protocols share one port (RFC 7983, RFC 5761 §4).
@frozen
public enum DatagramKind: Sendable, BitwiseCopyable {
  /// First byte 128 to 191.
  case rtp
  /// As RTP, but with a packet type of 192 to 223 in the second byte.
  case rtcp
  /// First byte 0 to 3.
  case stun
  /// First byte 20 to 63.
  case dtls
  /// First byte 64 to 79.
  case turnChannel
  /// None of these, or too short to tell.
  case unknown

  /// Looks at the first two bytes of `datagram`, protected or not.
  @_noLocks
  public init(_ datagram: borrowing ByteView) {
    guard datagram.count >= 2 else {
      self = .unknown
      return
    }
    let first = datagram[0]
    let second = datagram[1]
    if first >> 6 == 2 {
      self = second >= 192 && second <= 223 ? .rtcp : .rtp
    } else if first <= 3 {
      self = .stun
    } else if first >= 20 && first <= 63 {
      self = .dtls
    } else if first >= 64 && first <= 79 {
      self = .turnChannel
    } else {
      self = .unknown
    }
  }

  /// Looks at the first two bytes of `datagram`; see `init(_:)` for views.
  public init(_ datagram: Span<UInt8>) { self.init(ByteView(datagram)) }
}
