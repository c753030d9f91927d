public import RealtimeCore

// RFC 3550 §5.1 and §5.3.1:
//
//   0                   1                   2                   3
//   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |V=2|P|X|  CC   |M|     PT      |       sequence number         |
//  |                           timestamp                           |
//  |                             SSRC                              |
//  |                 contributing sources, CC words                |
//  +- if X +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |       defined by profile      |        length in words        |
//  |                       that many words                         |
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |    payload ...            if P: padding, its count comes last |

/// An RTP packet's fields and where its parts lie; the bytes stay where they are.
///
/// A payload of 0 bytes is legal: some senders keep a path open with it (RFC 6263 §4.1).
@frozen
public struct RTPPacket: Equatable, Sendable, BitwiseCopyable {
  /// The fixed fields.
  public let header: RTPHeader
  /// How many contributing sources follow the fixed header, 0 to 15, 4 bytes each.
  public let contributingSourceCount: Int
  /// The 16 bits that say how to read the header extension; `nil` when there is none.
  public let extensionProfile: UInt16?
  /// Where the header extension's data begins, after its own 4-byte head; the header's end when there is none.
  public let extensionStart: Int
  /// Where the payload begins.
  public let payloadStart: Int
  /// Where the payload ends and padding, if any, begins.
  public let payloadEnd: Int

  /// The bytes of the packet that are payload.
  @inlinable public var payloadRange: Range<Int> { @_noLocks get { payloadStart..<payloadEnd } }

  /// The bytes of the packet that are header extension data; empty when there is none.
  @inlinable public var extensionRange: Range<Int> {
    @_noLocks get { extensionStart..<(extensionProfile == nil ? extensionStart : payloadStart) }
  }

  /// Reads the packet that fills `datagram`; throws for every shape that RFC 3550 does not allow, and never traps.
  /// - Threads: any.
  @_noLocks
  public init(_ datagram: borrowing ByteView) throws(RTPError) {
    let byteCount = datagram.count
    guard byteCount >= RTPHeader.byteCount else { throw .tooShort(byteCount: byteCount) }
    let first = datagram[0]
    guard first >> 6 == 2 else { throw .wrongVersion(first >> 6) }
    let hasPadding = first & 0x20 != 0
    let hasExtension = first & 0x10 != 0

    contributingSourceCount = Int(first & 0x0F)
    var headerEnd = RTPHeader.byteCount &+ 4 &* contributingSourceCount
    if hasExtension {
      let start = headerEnd &+ 4
      guard start <= byteCount else { throw .headerOverrun(needed: start, byteCount: byteCount) }
      extensionProfile = datagram.bigEndian16(at: headerEnd)
      extensionStart = start
      headerEnd = start &+ 4 &* Int(datagram.bigEndian16(at: headerEnd &+ 2))
    } else {
      extensionProfile = nil
      extensionStart = headerEnd
    }
    guard headerEnd <= byteCount else { throw .headerOverrun(needed: headerEnd, byteCount: byteCount) }

    var end = byteCount
    if hasPadding {
      let padding = Int(datagram[byteCount &- 1])
      guard padding >= 1, padding <= byteCount &- headerEnd else {
        throw .wrongPadding(count: padding, available: byteCount &- headerEnd)
      }
      end = byteCount &- padding
    }
    payloadStart = headerEnd
    payloadEnd = end
    header = RTPHeader(
      marker: datagram[1] & 0x80 != 0, payloadType: datagram[1],
      sequenceNumber: SequenceNumber(datagram.bigEndian16(at: 2)), timestamp: RTPTimestamp(datagram.bigEndian32(at: 4)),
      ssrc: datagram.bigEndian32(at: 8))
  }

  /// Reads the packet that fills `datagram`; see `init(_:)` for views.
  public init(_ datagram: Span<UInt8>) throws(RTPError) {
    try self.init(ByteView(datagram))
  }

  /// A contributing source: someone whose sound a mixer put into this packet. `nil` outside the list.
  @_noLocks
  public func contributingSource(_ index: Int, in datagram: borrowing ByteView) -> UInt32? {
    let offset = RTPHeader.byteCount &+ 4 &* index
    guard index >= 0, index < contributingSourceCount, offset &+ 4 <= datagram.count else { return nil }
    return datagram.bigEndian32(at: offset)
  }
  /// A contributing source; see `contributingSource(_:in:)` for views.
  public func contributingSource(_ index: Int, in datagram: Span<UInt8>) -> UInt32? {
    contributingSource(index, in: ByteView(datagram))
  }
}
