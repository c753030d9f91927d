// RFC 6347 §4.1: a record is type8 version16 epoch16 sequence48 length16 and so many bytes. A datagram holds whole records.

/// Packs what OpenSSL has written into datagrams: a memory BIO keeps records, not the ends of datagrams.
enum DTLSRecords {
  static let headByteCount = 13

  /// As few datagrams of up to `limit` bytes as hold the records in order; a longer record goes alone.
  static func datagrams(_ bytes: [UInt8], limit: Int) -> [[UInt8]] {
    var found: [[UInt8]] = []
    var start = 0
    var offset = 0
    while offset + headByteCount <= bytes.count {
      let end = min(
        bytes.count, offset + headByteCount + Int(bytes[offset + 11]) << 8 + Int(bytes[offset + 12]))
      if end - start > limit, offset > start {
        found.append(Array(bytes[start..<offset]))
        start = offset
      }
      offset = end
    }
    if offset > start { found.append(Array(bytes[start..<offset])) }
    return found
  }
}
