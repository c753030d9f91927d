public import RealtimeCore

// RFC 4733 §2.3:
//
//   0                   1                   2                   3
//  |     event     |E|R| volume    |          duration             |

/// What one packet says of a pressed key (RFC 4733 §2.3).
@frozen
public struct TelephoneEvent: Hashable, Sendable, BitwiseCopyable {
  /// 0 to 9: the digit; 10: `*`; 11: `#`; 12 to 15: A to D; others by IANA's registry.
  public var code: UInt8
  /// Whether the key has been let go.
  public var isEnd: Bool
  /// Power as -dBm0, 0 to 63.
  public var volume: UInt8
  /// How long the key has been down so far, in ticks of the RTP clock.
  public var duration: UInt16

  /// The bytes of a payload.
  public static var byteCount: Int { @_noLocks get { 4 } }

  /// A key that is down.
  @_noLocks
  public init(code: UInt8, isEnd: Bool = false, volume: UInt8 = 10, duration: UInt16) {
    self.code = code
    self.isEnd = isEnd
    self.volume = volume
    self.duration = duration
  }

  /// Reads the first event of a payload; `nil` when it is shorter than one.
  @_noLocks
  public init?(_ payload: borrowing ByteView) {
    guard payload.count >= 4 else { return nil }
    code = payload[0]
    isEnd = payload[1] & 0x80 != 0
    volume = payload[1] & 0x3F
    duration = payload.bigEndian16(at: 2)
  }

  /// As `init(_:)` for views.
  public init?(_ payload: Span<UInt8>) { self.init(ByteView(payload)) }

  /// Writes the payload to `place`, of at least 4 bytes.
  @_noLocks
  public func write(into place: inout MutableSpan<UInt8>) {
    place[0] = code
    place[1] = (isEnd ? 0x80 : 0) | (volume & 0x3F)
    place.storeBigEndian(duration, at: 2)
  }

  /// The code of a key on a telephone, `nil` for other characters: 0 to 9, `*`, `#`, A to D.
  public static func code(of key: Character) -> UInt8? {
    guard let place = Array("0123456789*#ABCD").firstIndex(of: Character(key.uppercased())) else { return nil }
    return UInt8(place)
  }

  /// The key of a code, `nil` for codes that are no key.
  public static func key(of code: UInt8) -> Character? {
    code < 16 ? Array("0123456789*#ABCD")[Int(code)] : nil
  }
}
