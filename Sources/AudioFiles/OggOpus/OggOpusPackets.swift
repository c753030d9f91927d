/// Takes the packets out of an Ogg Opus file without decoding them (RFC 7845), in constant memory.
///
/// Headers are left out, also those of chained streams. The pre-skip is told, not applied: packets cannot be cut.
/// - Threads: one at a time; blocks on the disk or pipe.
public struct OggOpusPackets: ~Copyable {
  /// Channels of the first stream.
  public let channelCount: Int
  /// Samples at 48 kHz that a decoder drops at the start.
  public let preSkip: Int
  /// Pages so far that were left out because their checksum was wrong.
  public var damagedPageCount: Int { pages.damagedPageCount }

  private var pages: OggPages
  /// Headers of the present stream that are still to come: "OpusHead", then "OpusTags".
  private var headersToCome = 1

  /// Opens `path` ("-" is standard input) and reads its first header.
  public init(path: String) throws(AudioFileError) {
    let file = try FileBytes(path: path)
    var pages = OggPages(SequentialBytes(file))
    guard let head = try pages.nextPacket(), head.beginsStream, Self.isHead(head.bytes) else {
      throw .unrecognized(path: path, wanted: "an Ogg Opus file")
    }
    channelCount = Int(head.bytes[9])
    preSkip = head.bytes.shortInteger(10, bigEndian: false)
    self.pages = pages
  }

  /// The next packet; `nil` at the end.
  public mutating func next() throws(AudioFileError) -> OpusPacket? {
    while let packet = try pages.nextPacket() {
      if packet.beginsStream { headersToCome = 2 }
      if headersToCome > 0 {
        headersToCome -= 1
      } else if !packet.bytes.isEmpty {
        return OpusPacket(bytes: packet.bytes)
      }
    }
    return nil
  }

  private static func isHead(_ bytes: [UInt8]) -> Bool { bytes.count >= 19 && bytes.starts(with: "OpusHead".utf8) }
}
