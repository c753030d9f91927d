/// One Opus packet as it stands in an Ogg file, ready to be sent over RTP.
public struct OpusPacket: Sendable, Hashable {
  /// TOC byte and frames, RFC 6716 §3.
  public let bytes: [UInt8]
  /// How long it plays, in samples at 48 kHz, by its TOC byte; 0 when that breaks the rules.
  public let sampleCount: Int

  init(bytes: [UInt8]) {
    self.bytes = bytes
    sampleCount = Self.sampleCount(of: bytes)
  }

  /// Configuration and frame count of the TOC byte (RFC 6716 §3.1): 2.5 to 120 ms.
  private static func sampleCount(of bytes: [UInt8]) -> Int {
    guard let toc = bytes.first else { return 0 }
    let configuration = Int(toc >> 3)
    let frame =
      configuration < 12
      ? [480, 960, 1_920, 2_880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : [120, 240, 480, 960][configuration & 3]
    let frames =
      switch toc & 3 {
      case 0: 1
      case 1, 2: 2
      default: bytes.count > 1 ? Int(bytes[1] & 0x3F) : 0
      }
    return frame * frames <= 5_760 ? frame * frames : 0
  }
}

/// Takes the packets out of an Ogg Opus file without decoding them (RFC 3533, RFC 7845), in constant memory.
///
///     "OggS" version8 flags8 granule64 serial32 page32 checksum32 segments8 { length8 }* { segment }*
///
/// Segments of 255 bytes go on in the next. Pages with a wrong checksum are left out and counted, as are those of other
/// streams. The pre-skip is told, not applied: packets cannot be cut.
public struct OggOpusPackets: ~Copyable {
  /// Channels of the first stream.
  public private(set) var channelCount = 0
  /// Samples at 48 kHz that a decoder drops at the start.
  public private(set) var preSkip = 0
  /// Pages that were left out because they were damaged.
  public private(set) var damagedPageCount = 0

  private var input: SequentialBytes
  private var ready: [OpusPacket] = []
  private var taken = 0
  private var unfinished: [UInt8] = []
  private var headersToCome = 2

  /// Longer packets are comments with pictures, or damage: no Opus packet comes near.
  private static let packetLimit = 61_440

  /// Opens `path` ("-" is standard input) and reads up to the first packet of sound.
  public init(path: String) throws(AudioFileError) {
    var packets = OggOpusPackets(SequentialBytes(try FileBytes(path: path)))
    try packets.readHeaders()
    self = packets
  }

  private init(_ input: consuming SequentialBytes) { self.input = input }

  /// The next packet; `nil` at the end.
  public mutating func next() throws(AudioFileError) -> OpusPacket? {
    while taken == ready.count {
      (ready, taken) = ([], 0)
      guard try readPage() else { return nil }
    }
    taken += 1
    return ready[taken - 1]
  }

  private mutating func readHeaders() throws(AudioFileError) {
    while headersToCome > 0 {
      guard try readPage() else { break }
    }
    if channelCount == 0 || headersToCome > 0 { throw .unrecognized(path: input.path, wanted: "an Ogg Opus file") }
  }

  /// Reads one page; `false` at the end of the file.
  private mutating func readPage() throws(AudioFileError) -> Bool {
    guard var page = try input.read(27) else { return false }
    while page.text(0) != "OggS" {  // lost: look for the next page byte by byte
      guard let byte = try input.readByte() else { return false }
      page.removeFirst()
      page.append(byte)
    }
    guard let lengths = try input.read(Int(page[26])), let body = try input.read(lengths.reduce(0) { $0 + Int($1) })
    else { return false }
    guard Self.checksum(of: page + lengths + body) == page.integer(22, bigEndian: false) else {
      damagedPageCount += 1
      unfinished = []
      return true
    }
    if page[5] & 1 == 0 { unfinished = [] }  // not a continuation: what was begun is lost
    if page[5] & 2 != 0 { headersToCome = 2 }  // first page of a stream, also of a chained one
    var offset = 0
    for length in lengths {
      if unfinished.count <= Self.packetLimit { unfinished += body[offset..<offset + Int(length)] }
      offset += Int(length)
      if length < 255 { take() }
    }
    return true
  }

  private mutating func take() {
    defer { unfinished = [] }
    if headersToCome == 2 {
      guard unfinished.count >= 19, unfinished.text(0) == "Opus", unfinished.text(4) == "Head" else { return }
      channelCount = Int(unfinished[9])
      preSkip = unfinished.shortInteger(10, bigEndian: false)
    }
    if headersToCome > 0 {
      headersToCome -= 1
    } else if !unfinished.isEmpty, unfinished.count <= Self.packetLimit {
      ready.append(OpusPacket(bytes: unfinished))
    }
  }

  /// CRC of a page, polynomial 0x04C11DB7, its own field counted as 0 (RFC 3533 §6).
  private static func checksum(of page: [UInt8]) -> Int64 {
    var register: UInt32 = 0
    for (index, byte) in page.enumerated() {
      register ^= UInt32((22..<26).contains(index) ? 0 : byte) << 24
      for _ in 0..<8 { register = register << 1 ^ (register >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }
    return Int64(register)
  }
}
