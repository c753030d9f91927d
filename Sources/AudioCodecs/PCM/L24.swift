import RealtimeCore

/// Uncompressed 24-bit samples, most significant byte first (RFC 3190 §4). A float has 24 bits too, so nothing is lost.
enum L24 {
  /// Writes as many samples as both sides have room for; returns the bytes written.
  @_noLocks
  static func encode(_ frame: borrowing SampleView, into payload: inout MutableSpan<UInt8>) -> Int {
    let count = Swift.min(frame.count, payload.count / 3)
    for i in 0..<count {
      let value = linear24(frame[i])
      payload[3 &* i] = UInt8(truncatingIfNeeded: value >> 16)
      payload[3 &* i &+ 1] = UInt8(truncatingIfNeeded: value >> 8)
      payload[3 &* i &+ 2] = UInt8(truncatingIfNeeded: value)
    }
    return count &* 3
  }

  /// Reads as many samples as both sides have room for; returns how many.
  @_noLocks
  static func decode(_ payload: borrowing ByteView, into frame: inout MutableSpan<Float>) -> Int {
    let count = Swift.min(payload.count / 3, frame.count)
    for i in 0..<count {
      let upper = Int(Int8(bitPattern: payload[3 &* i]))
      let value = upper << 16 | Int(payload[3 &* i &+ 1]) << 8 | Int(payload[3 &* i &+ 2])
      frame[i] = Float(value) * (1 / 8_388_608)
    }
    return count
  }

  /// The 24-bit value of a float sample, rounded to nearest and clipped; NaN gives 0.
  @_noLocks
  private static func linear24(_ sample: Float) -> Int {
    let scaled = sample * 8_388_608
    if scaled >= 8_388_607 { return 8_388_607 }
    guard scaled > -8_388_608 else { return scaled.isNaN ? 0 : -8_388_608 }
    // Adding half a step would round: above half of full scale a float has no bit left for it.
    let whole = Int(scaled)
    let rest = scaled - Float(whole)
    return rest >= 0.5 ? whole &+ 1 : rest <= -0.5 ? whole &- 1 : whole
  }
}
