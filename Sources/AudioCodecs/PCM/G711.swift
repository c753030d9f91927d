import RealtimeCore

/// The logarithmic codes of telephony, 64 kbit/s at 8 kHz (ITU-T Recommendation G.711, 1988).
///
/// Both laws code a sign, one of 8 segments and one of 16 equal steps within it; each segment's steps are twice as wide
/// as those of the segment below. That is what integer arithmetic does with the position of the highest bit, so there
/// are no tables. Linear values are the standard's, scaled to 16 bits: times 4 for µ-law (14 bits), 8 for A-law (13).
///
/// A value that lies exactly on a decision value goes up when positive and towards zero when negative, as in the ITU-T
/// Software Tool Library (G.191), which takes the one's complement of negative values.
public enum G711 {
  /// The two laws.
  public enum Law: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// North America and Japan; G.711 table 2.
    case mu
    /// Elsewhere; G.711 table 1.
    case a
  }

  /// The code of a 16-bit linear value; what is outside -32,768...32,767 is clipped.
  @_noLocks
  public static func encode(_ linear: Int, _ law: Law) -> UInt8 {
    let clipped = Swift.max(-32_768, Swift.min(linear, 32_767))
    let isNegative = clipped < 0
    let magnitude = isNegative ? ~clipped : clipped
    switch law {
    case .mu:
      // 33 more, and segment k spans 32·2^k to 64·2^k; all bits are sent inverted (table 2, note 1).
      let biased = Swift.min(magnitude >> 2 &+ 33, 0x1FFF)
      let segment = 58 &- biased.leadingZeroBitCount
      let step = biased >> (segment &+ 1) & 0xF
      return UInt8(truncatingIfNeeded: ~(segment << 4 | step)) ^ (isNegative ? 0x80 : 0)
    case .a:
      // The two lowest segments have equal steps; even bits are sent inverted (table 1, note 2).
      let steps = magnitude >> 4
      let segment = Swift.max(0, 60 &- steps.leadingZeroBitCount)
      let step = steps >> Swift.max(0, segment &- 1) & 0xF
      return UInt8(truncatingIfNeeded: segment << 4 | step) ^ (isNegative ? 0x55 : 0xD5)
    }
  }

  /// The 16-bit linear value of a code: the middle of its interval, -32,124...32,124 (µ) or -32,256...32,256 (A).
  @_noLocks
  public static func decode(_ code: UInt8, _ law: Law) -> Int {
    switch law {
    case .mu:
      let bits = Int(~code)
      let magnitude = ((bits & 0xF) &* 2 &+ 33) << (bits >> 4 & 7) &- 33
      return bits & 0x80 == 0 ? magnitude &* 4 : magnitude &* -4
    case .a:
      let bits = Int(code ^ 0x55)
      let segment = bits >> 4 & 7
      let step = (bits & 0xF) &* 2 &+ 1
      let magnitude = segment == 0 ? step : (step &+ 32) << (segment &- 1)
      return bits & 0x80 != 0 ? magnitude &* 8 : magnitude &* -8
    }
  }

  /// Codes as many samples as both sides have room for; returns how many.
  @_noLocks
  static func encode(_ frame: borrowing SampleView, into payload: inout MutableSpan<UInt8>, _ law: Law) -> Int {
    let count = Swift.min(frame.count, payload.count)
    for i in 0..<count { payload[i] = encode(linear16(frame[i]), law) }
    return count
  }

  /// Decodes as many codes as both sides have room for; returns how many.
  @_noLocks
  static func decode(_ payload: borrowing ByteView, into frame: inout MutableSpan<Float>, _ law: Law) -> Int {
    let count = Swift.min(payload.count, frame.count)
    for i in 0..<count { frame[i] = floatSample(decode(payload[i], law)) }
    return count
  }
}
