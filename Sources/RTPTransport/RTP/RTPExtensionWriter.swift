internal import RealtimeCore

// RFC 8285 §4.2, the one-byte form, behind the fixed header:
//
//  |      0xBE      |      0xDE      |      words behind these four bytes     |
//  |  ID   | len-1  | data …                                     | padding 0 |

/// The header extension that each packet of a stream carries: the talker's level (RFC 6464), the number that transport-wide
/// congestion control counts by, and the media line's name (RFC 8843 §15), as far as SDP's `extmap` agreed on them.
///
/// Its length is the same in all packets, so a codec's payload has a fixed place.
@frozen
public struct RTPExtensionWriter: Sendable, BitwiseCopyable {
  /// Bytes between the fixed header and the payload: 0 without elements, else a multiple of 4.
  public let byteCount: Int

  // 0: not agreed on.
  private let audioLevel: UInt8
  private let transportSequence: UInt8
  private let mid: UInt8
  private let name: InlineArray<16, UInt8>
  private let nameByteCount: Int

  /// A stream without header extension.
  @_noLocks
  public init() {
    byteCount = 0
    audioLevel = 0
    transportSequence = 0
    mid = 0
    name = InlineArray(repeating: 0)
    nameByteCount = 0
  }

  /// Elements by their IDs. An ID outside 1 to 14 needs the two-byte form, which is not written: its element is left out,
  /// as is a name of more than 16 bytes or none.
  public init(audioLevel: UInt8?, transportSequence: UInt8?, mid: UInt8? = nil, name: String? = nil) {
    func usable(_ id: UInt8?) -> UInt8 { (1...14).contains(id ?? 0) ? id! : 0 }
    self.audioLevel = usable(audioLevel)
    self.transportSequence = usable(transportSequence)
    let bytes = Array((name ?? "").utf8)
    self.mid = (1...16).contains(bytes.count) ? usable(mid) : 0
    nameByteCount = self.mid == 0 ? 0 : bytes.count
    var characters = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<nameByteCount { characters[index] = bytes[index] }
    self.name = characters
    let elements =
      (self.audioLevel == 0 ? 0 : 2) + (self.transportSequence == 0 ? 0 : 3) + (self.mid == 0 ? 0 : 1 + nameByteCount)
    byteCount = elements == 0 ? 0 : 4 + (elements + 3) / 4 * 4
  }

  /// Whether packets carry a transport-wide number.
  public var numbersTransport: Bool { @_noLocks get { transportSequence != 0 } }

  /// Writes the extension behind the fixed header, whose X bit it sets. The caller has seen that there is room.
  @_noLocks
  func write(
    level: RTPPacket.AudioLevel, transportNumber: SequenceNumber, into packet: inout MutableSpan<UInt8>
  ) {
    guard byteCount > 0 else { return }
    packet[0] |= 0x10
    packet.storeBigEndian(UInt16(0xBEDE), at: RTPHeader.byteCount)
    packet.storeBigEndian(UInt16(truncatingIfNeeded: byteCount / 4 &- 1), at: RTPHeader.byteCount &+ 2)
    var offset = RTPHeader.byteCount &+ 4
    if audioLevel != 0 {
      packet[offset] = audioLevel << 4
      packet[offset &+ 1] = (level.isVoice ? 0x80 : 0) | UInt8(truncatingIfNeeded: level.decibelsBelowOverload & 0x7F)
      offset &+= 2
    }
    if transportSequence != 0 {
      packet[offset] = transportSequence << 4 | 1
      packet.storeBigEndian(transportNumber.rawValue, at: offset &+ 1)
      offset &+= 3
    }
    if mid != 0 {
      packet[offset] = mid << 4 | UInt8(truncatingIfNeeded: nameByteCount &- 1)
      for index in 0..<nameByteCount { packet[offset &+ 1 &+ index] = name[index] }
      offset &+= 1 &+ nameByteCount
    }
    while offset < RTPHeader.byteCount &+ byteCount {
      packet[offset] = 0
      offset &+= 1
    }
  }
}

extension RTPPacket.AudioLevel {
  /// Silence that is no speech.
  public static var silence: RTPPacket.AudioLevel {
    @_noLocks get { RTPPacket.AudioLevel(isVoice: false, decibelsBelowOverload: 127) }
  }
}
