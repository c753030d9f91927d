public import RealtimeCore

// RFC 3550 §6.4. One datagram holds several packets, one behind the other:
//
//   0                   1                   2                   3
//   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |V=2|P|  count  |     type      |   length in words, less one   |
//  |                    SSRC of who sends it                       |
//  |                     depends on the type ...                   |

/// One control packet's head and where its body lies; the bytes stay where they are.
@frozen
public struct RTCPPacket: Equatable, Sendable, BitwiseCopyable {
  /// What a packet is about.
  @frozen
  public enum Kind: Sendable, BitwiseCopyable {
    /// Type 200: what its sender has sent and received.
    case senderReport
    /// Type 201: what its sender has received.
    case receiverReport
    /// Type 202: who its sender is.
    case sourceDescription
    /// Type 203: its sources leave.
    case goodbye
    /// Type 205, format 1: packets that are missing (RFC 4585 §6.2.1).
    case negativeAcknowledgement
    /// Type 205, format 15: when packets arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1).
    case transportFeedback
    /// Any other.
    case other
  }

  /// What the packet is about.
  public let kind: Kind
  /// The type on the wire, 192 to 223.
  public let type: UInt8
  /// The five bits that count reports or sources, or name the feedback's format.
  public let count: Int
  /// Where the body begins, behind the first 4 bytes.
  public let bodyStart: Int
  /// Where the body ends and padding, if any, begins.
  public let bodyEnd: Int
  /// Where the next packet begins.
  public let end: Int

  /// Reads the packet that begins at `offset`; throws for every shape that the RFC does not allow, and never traps.
  @_noLocks
  public init(_ datagram: borrowing ByteView, at offset: Int = 0) throws(RTCPError) {
    let byteCount = datagram.count
    guard offset >= 0, offset <= byteCount, byteCount &- offset >= 4 else {
      throw .tooShort(byteCount: byteCount &- offset)
    }
    let first = datagram[offset]
    guard first >> 6 == 2 else { throw .wrongVersion(first >> 6) }
    let type = datagram[offset &+ 1]
    guard type >= 192, type <= 223 else { throw .wrongType(type) }
    let end = offset &+ 4 &+ 4 &* Int(datagram.bigEndian16(at: offset &+ 2))
    guard end <= byteCount else { throw .lengthOverrun(needed: end, byteCount: byteCount) }
    var bodyEnd = end
    if first & 0x20 != 0 {
      let padding = Int(datagram[end &- 1])
      let available = end &- offset &- 4
      // Only the last packet of a datagram is padded (§6.4.1).
      guard end == byteCount, padding >= 4, padding & 3 == 0, padding <= available else {
        throw .wrongPadding(count: padding, available: available)
      }
      bodyEnd = end &- padding
    }
    let count = Int(first & 0x1F)
    self.type = type
    self.count = count
    self.end = end
    bodyStart = offset &+ 4
    self.bodyEnd = bodyEnd
    kind =
      switch type {
      case 200: .senderReport
      case 201: .receiverReport
      case 202: .sourceDescription
      case 203: .goodbye
      case 205: count == 1 ? .negativeAcknowledgement : count == 15 ? .transportFeedback : .other
      default: .other
      }
  }

  /// The source that sent the packet; `nil` when the packet names none.
  @_noLocks
  public func sender(in datagram: borrowing ByteView) -> UInt32? { word(0, in: datagram) }

  /// The word at `index` of the body; `nil` outside it.
  @_noLocks
  func word(_ index: Int, in datagram: borrowing ByteView) -> UInt32? {
    guard index >= 0, index < 16_384 else { return nil }
    let offset = bodyStart &+ 4 &* index
    guard offset &+ 4 <= bodyEnd, offset &+ 4 <= datagram.count else { return nil }
    return datagram.bigEndian32(at: offset)
  }

  /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
  @_noLocks
  public static func == (left: RTCPPacket, right: RTCPPacket) -> Bool {
    left.type == right.type && left.count == right.count && left.bodyStart == right.bodyStart
      && left.bodyEnd == right.bodyEnd && left.end == right.end
  }
}
