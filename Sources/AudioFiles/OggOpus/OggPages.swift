/// Puts packets together from the pages of an Ogg stream (RFC 3533).
///
///     "OggS" version8 flags8 granule64 serial32 page32 checksum32 segments8 { length8 }* { segment }*
///
/// A segment of 255 bytes goes on in the next one, if need be on the next page. Pages with a wrong checksum are left out
/// and counted; between pages the next "OggS" is looked for.
struct OggPages: ~Copyable {
  struct Packet {
    let bytes: [UInt8]
    /// It is the first of a page that begins a stream.
    let beginsStream: Bool
  }

  private(set) var damagedPageCount = 0

  private var input: SequentialBytes
  private var ready: [Packet] = []
  private var taken = 0
  private var unfinished: [UInt8] = []

  /// Longer packets are comments with pictures, or damage: no Opus packet comes near. Their rest is dropped.
  private static let packetLimit = 61_440

  init(_ input: consuming SequentialBytes) { self.input = input }

  /// The next packet; `nil` at the end.
  mutating func nextPacket() throws(AudioFileError) -> Packet? {
    while taken == ready.count {
      (ready, taken) = ([], 0)
      guard try readPage() else { return nil }
    }
    taken += 1
    return ready[taken - 1]
  }

  /// Reads one page; `false` at the end of the file.
  private mutating func readPage() throws(AudioFileError) -> Bool {
    guard var header = try input.read(27) else { return false }
    while header.text(0) != "OggS" {
      guard let byte = try input.readByte() else { return false }
      header.removeFirst()
      header.append(byte)
    }
    guard let lengths = try input.read(Int(header[26])) else { return false }
    guard let body = try input.read(lengths.reduce(0) { $0 + Int($1) }) else { return false }
    guard Self.isIntact(header + lengths + body) else {
      damagedPageCount += 1
      unfinished = []
      return true
    }
    let (continues, begins) = (header[5] & 1 != 0, header[5] & 2 != 0)
    if !continues { unfinished = [] }
    var offset = 0
    for length in lengths {
      if unfinished.count <= Self.packetLimit { unfinished += body[offset..<offset + Int(length)] }
      offset += Int(length)
      if length < 255 {
        ready.append(Packet(bytes: unfinished, beginsStream: begins && ready.isEmpty))
        unfinished = []
      }
    }
    return true
  }

  /// Whether a whole page, from its "OggS" to its last segment, has the right checksum.
  static func isIntact(_ page: [UInt8]) -> Bool { checksum(of: page) == UInt32(page.integer(22, bigEndian: false)) }

  /// CRC of a page, polynomial 0x04C11DB7, with its own field as 0 (RFC 3533 §6).
  private static func checksum(of page: [UInt8]) -> UInt32 {
    var register: UInt32 = 0
    for (index, byte) in page.enumerated() {
      register ^= UInt32((22..<26).contains(index) ? 0 : byte) << 24
      for _ in 0..<8 { register = register << 1 ^ (register >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }
    return register
  }
}
