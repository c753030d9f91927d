/// Whether an Ogg stream reaches its end (RFC 3533 §6: the last page of a logical stream carries a flag).
enum OggStreamEnd {
  /// Two of the longest pages there are: at least one whole page lies in so many bytes at the end of a file.
  static let tailByteCount = 2 * 65_307

  /// `tail` is the end of the file. `nil` where no whole page stands in it.
  static func isReached(tail: [UInt8]) -> Bool? {
    guard tail.count >= 27 else { return nil }
    for start in stride(from: tail.count - 27, through: 0, by: -1)
    where tail[start] == 0x4F && tail[start + 1] == 0x67 && tail[start + 2] == 0x67 && tail[start + 3] == 0x53 {
      let lengths = start + 27..<start + 27 + Int(tail[start + 26])
      guard lengths.upperBound <= tail.count else { continue }
      let end = lengths.upperBound + tail[lengths].reduce(0) { $0 + Int($1) }
      guard end <= tail.count, OggPages.isIntact(Array(tail[start..<end])) else { continue }
      // Bytes behind the last whole page that begin another one: that one was cut.
      let isCut = tail[end...].starts(with: "OggS".utf8)
      return tail[start + 5] & 4 != 0 && !isCut
    }
    return nil
  }

  /// The warning for a file, or a copy of one, that can be read at any place.
  static func warnings(of file: FileBytes) -> [AudioFileWarning] {
    guard let length = file.length else { return [] }
    let count = min(Int(length), tailByteCount)
    let tail = file.bytes(at: length - Int64(count), count: count)
    return isReached(tail: tail) == true ? [] : [.endMissing]
  }
}
