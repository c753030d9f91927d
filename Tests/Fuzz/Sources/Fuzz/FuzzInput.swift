/// Fuzzed bytes as a list of commands, taken from the front; behind the end there are only zeros.
struct FuzzInput {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isEmpty: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8 {
    guard offset < bytes.count else { return 0 }
    offset += 1
    return bytes[offset - 1]
  }

  /// Two bytes, big endian.
  mutating func short() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }

  /// Four bytes, big endian.
  mutating func long() -> UInt32 { UInt32(short()) << 16 | UInt32(short()) }

  /// Bytes behind their length of two bytes, or as many as there are.
  mutating func chunk() -> [UInt8] {
    let end = min(bytes.count, offset + Int(short()) + 2)
    let start = min(offset, end)
    offset = end
    return Array(bytes[start..<end])
  }
}
