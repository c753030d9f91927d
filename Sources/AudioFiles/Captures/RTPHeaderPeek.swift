/// The fixed fields of an RTP packet, for telling streams apart; full parsing belongs to the transport.
///
///     V2 P1 X1 CC4 | M1 PT7 | sequence16 | timestamp32 | SSRC32 | CC × 32 | if X: profile16 words16 …   (RFC 3550 §5.1)
struct RTPHeaderPeek {
  let payloadType: UInt8
  let marker: Bool
  let sequenceNumber: UInt16
  let timestamp: UInt32
  let ssrc: UInt32
  /// Where the media begins.
  let headerByteCount: Int
  /// Bytes of media on the wire, without header and padding.
  let payloadByteCount: Int

  /// `nil` for what is not RTP: another version, too short, or RTCP by RFC 5761 §4 (packet types 192 to 223).
  /// - Parameter originalByteCount: of the packet on the wire; a capture may have kept fewer.
  init?(_ bytes: [UInt8], originalByteCount: Int) {
    guard bytes.count >= 12, bytes[0] >> 6 == 2, !(192...223).contains(bytes[1]) else { return nil }
    var headerLength = 12 + Int(bytes[0] & 0x0F) * 4
    if bytes[0] & 0x10 != 0 {
      guard headerLength + 4 <= bytes.count else { return nil }
      headerLength += 4 + bytes.shortInteger(headerLength + 2, bigEndian: true) * 4
    }
    // The count of padding is the last byte, which a shortened record has not.
    let isWhole = bytes.count >= originalByteCount
    let padding = bytes[0] & 0x20 != 0 && isWhole ? Int(bytes[bytes.count - 1]) : 0
    guard headerLength + padding <= bytes.count else { return nil }
    headerByteCount = headerLength
    payloadType = bytes[1] & 0x7F
    marker = bytes[1] & 0x80 != 0
    sequenceNumber = UInt16(bytes.shortInteger(2, bigEndian: true))
    timestamp = UInt32(truncatingIfNeeded: bytes.integer(4, bigEndian: true))
    ssrc = UInt32(truncatingIfNeeded: bytes.integer(8, bigEndian: true))
    payloadByteCount = max(bytes.count, originalByteCount) - headerLength - padding
  }
}
