import RealtimeCore

/// Uncompressed 16-bit samples, most significant byte first (RFC 3551 §4.5.11).
enum L16 {
  /// Writes as many samples as both sides have room for; returns the bytes written.
  @_noLocks
  static func encode(_ frame: borrowing SampleView, into payload: inout MutableSpan<UInt8>) -> Int {
    let count = Swift.min(frame.count, payload.count / 2)
    for i in 0..<count {
      let value = linear16(frame[i])
      payload[2 &* i] = UInt8(truncatingIfNeeded: value >> 8)
      payload[2 &* i &+ 1] = UInt8(truncatingIfNeeded: value)
    }
    return count &* 2
  }

  /// Reads as many samples as both sides have room for; returns how many.
  @_noLocks
  static func decode(_ payload: borrowing ByteView, into frame: inout MutableSpan<Float>) -> Int {
    let count = Swift.min(payload.count / 2, frame.count)
    for i in 0..<count {
      let upper = Int(Int8(bitPattern: payload[2 &* i]))
      frame[i] = floatSample(upper << 8 | Int(payload[2 &* i &+ 1]))
    }
    return count
  }
}
