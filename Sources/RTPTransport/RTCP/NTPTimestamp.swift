/// Wall-clock time in sender reports: seconds since 1900 in 32 bits, and 32 bits of their fraction (RFC 3550 §4).
@frozen
public struct NTPTimestamp: Hashable, Sendable, BitwiseCopyable {
  /// All 64 bits; wraps in 2036.
  public var rawValue: UInt64

  /// The timestamp with these bits.
  @inlinable
  @_noLocks
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The time of a wall clock that counts seconds from 1970, as `Date().timeIntervalSince1970` does. What is no number, or
  /// more than 2⁶² s away, counts as 1970.
  public init(secondsSince1970 seconds: Double) {
    let seconds = seconds.magnitude < 0x1p62 ? seconds : 0
    let whole = seconds.rounded(.down)
    let fraction = UInt64((seconds - whole) * 4_294_967_296)
    rawValue = (UInt64(bitPattern: Int64(whole)) &+ 2_208_988_800) << 32 | Swift.min(fraction, 0xFFFF_FFFF)
  }

  /// The middle 32 bits, units of 1/65,536 s, by which reports name each other.
  @inlinable
  public var middle: UInt32 { @_noLocks get { UInt32(truncatingIfNeeded: rawValue >> 16) } }

  /// The time `nanoseconds` later.
  @_noLocks
  public func advanced(byNanoseconds nanoseconds: Int64) -> NTPTimestamp {
    // Whole seconds apart: 2³² times more than a few seconds of nanoseconds would not fit.
    var seconds = nanoseconds / 1_000_000_000
    var rest = nanoseconds % 1_000_000_000
    if rest < 0 {
      rest &+= 1_000_000_000
      seconds &-= 1
    }
    let fraction = (UInt64(truncatingIfNeeded: rest) &<< 32) / 1_000_000_000
    return NTPTimestamp(rawValue: rawValue &+ UInt64(bitPattern: seconds) &<< 32 &+ fraction)
  }
}
