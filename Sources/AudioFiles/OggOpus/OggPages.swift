/// Puts packets together from the pages of an Ogg stream (RFC 3533).
///
///     "OggS" version8 flags8 granule64 serial32 page32 checksum32 segments8 { length8 }* { segment }*
///
/// A segment of 255 bytes goes on in the next one, if need be on the next page. Pages with a wrong checksum are left out
/// and counted, and the next "OggS" is looked for from their own on: their length may be what is wrong.
struct OggPages: ~Copyable {
  struct Packet {
    let bytes: [UInt8]
    /// It is the first of a page that begins a stream.
    let beginsStream: Bool
  }

  private(set) var intactPageCount = 0
  private(set) var damagedPageCount = 0

  private var input: SequentialBytes
  /// Bytes of a damaged page, to be looked through again.
  private var returned: [UInt8] = []
  /// The last page found says that it is longer than the file; if another one comes, it was damaged, else cut.
  private var isCut = false
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
    guard var header = try take(27) else { return false }
    while header.text(0) != "OggS" {
      guard let byte = try take(1) else { return false }
      header.removeFirst()
      header += byte
    }
    if isCut { damagedPageCount += 1 }
    isCut = false
    guard let lengths = try take(Int(header[26])) else { return lookAgain(header) }
    guard let body = try take(lengths.reduce(0) { $0 + Int($1) }) else { return lookAgain(header + lengths) }
    guard Self.isIntact(header + lengths + body) else {
      damagedPageCount += 1
      unfinished = []
      returned = Array(header[4...]) + lengths + body + returned
      return true
    }
    intactPageCount += 1
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

  private mutating func lookAgain(_ page: [UInt8]) -> Bool {
    isCut = true
    unfinished = []
    returned = Array(page[4...]) + returned
    return true
  }

  /// The next `count` bytes; `nil`, and nothing is taken, when there are fewer.
  private mutating func take(_ count: Int) throws(AudioFileError) -> [UInt8]? {
    guard !returned.isEmpty else { return try input.read(count) }
    guard returned.count < count else {
      defer { returned.removeFirst(count) }
      return Array(returned[..<count])
    }
    guard let rest = try input.read(count - returned.count) else { return nil }
    defer { returned = [] }
    return returned + rest
  }

  /// Reads all pages there are.
  mutating func readToEnd() throws(AudioFileError) { while try nextPacket() != nil {} }

  /// Whether a whole page, from its "OggS" to its last segment, has the right checksum.
  static func isIntact(_ page: [UInt8]) -> Bool { checksum(of: page) == UInt32(page.integer(22, bigEndian: false)) }

  /// CRC of a page, polynomial 0x04C11DB7, with its own field as 0 (RFC 3533 §6).
  private static func checksum(of page: [UInt8]) -> UInt32 {
    var register: UInt32 = 0
    for (index, byte) in page.enumerated() {
      let next = (22..<26).contains(index) ? 0 : byte
      register = register << 8 ^ remainders[Int(UInt8(register >> 24) ^ next)]
    }
    return register
  }

  /// What each byte leaves behind when the polynomial has divided it.
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { register, _ in
      register << 1 ^ (register >> 31 == 1 ? 0x04C1_1DB7 : 0)
    }
  }
}
