/// A file read from front to back in pieces whose size the file itself tells; nothing is allocated for bytes that are
/// not there.
struct SequentialBytes: ~Copyable {
  let path: String
  /// How many bytes were taken so far.
  private(set) var offset: Int64 = 0
  private let file: FileBytes
  private var block: [UInt8] = []
  private var blockStart: Int64 = 0

  private static let blockSize = 64 << 10

  init(_ file: FileBytes) {
    file.stopRemembering()
    self.file = file
    path = file.path
  }

  /// Takes the next `count` bytes; `nil`, and nothing is taken, when the file has fewer.
  mutating func read(_ count: Int) throws(AudioFileError) -> [UInt8]? {
    guard let start = try require(count) else { return nil }
    offset += Int64(count)
    return Array(block[start..<start + count])
  }

  /// Takes one byte; `nil` at the end.
  mutating func readByte() throws(AudioFileError) -> UInt8? {
    guard let start = try require(1) else { return nil }
    offset += 1
    return block[start]
  }

  /// Passes over `count` bytes; `false` when the file ends before.
  mutating func skip(_ count: Int64) throws(AudioFileError) -> Bool {
    var rest = count
    while rest > 0 {
      let step = Int(min(rest, Int64(Self.blockSize)))
      guard try require(step) != nil else { return false }
      offset += Int64(step)
      rest -= Int64(step)
    }
    return true
  }

  /// Whether nothing is left.
  mutating func isAtEnd() throws(AudioFileError) -> Bool { try require(1) == nil }

  /// Passes over all that is left of a record the file ends in; returns the length of the file.
  mutating func end() throws(AudioFileError) -> Int64 {
    while try require(Self.blockSize) != nil { offset += Int64(Self.blockSize) }
    offset = blockStart + Int64(block.count)
    return offset
  }

  /// Makes `count` bytes stand in the block; returns where, or `nil` when there are fewer.
  private mutating func require(_ count: Int) throws(AudioFileError) -> Int? {
    let taken = Int(offset - blockStart)
    if block.count - taken >= count { return taken }
    block.removeFirst(taken)
    blockStart = offset
    while block.count < count {
      let more = file.bytes(at: blockStart + Int64(block.count), count: Self.blockSize)
      if let failure = file.failure {
        throw .readFailed(path: path, byte: failure.byte, reason: systemMessage(failure.code))
      }
      if more.isEmpty { return nil }
      block += more
    }
    return 0
  }
}
