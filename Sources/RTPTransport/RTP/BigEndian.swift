internal import RealtimeCore

// Numbers on the wire: most significant byte first. Subscripts are checked, so a wrong offset traps in a test.

extension BufferView where Element == UInt8 {
  @_noLocks
  func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset &+ 1])
  }

  @_noLocks
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset &+ 2))
  }
}

extension MutableSpan where Element == UInt8 {
  @_noLocks
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset &+ 1]) << 16 | UInt32(self[offset &+ 2]) << 8
      | UInt32(self[offset &+ 3])
  }

  @_noLocks
  mutating func storeBigEndian(_ value: UInt16, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value >> 8)
    self[offset &+ 1] = UInt8(truncatingIfNeeded: value)
  }

  @_noLocks
  mutating func storeBigEndian(_ value: UInt32, at offset: Int) {
    storeBigEndian(UInt16(truncatingIfNeeded: value >> 16), at: offset)
    storeBigEndian(UInt16(truncatingIfNeeded: value), at: offset &+ 2)
  }
}
