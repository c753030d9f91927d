/// A point on a monotonic time axis that the caller owns, in whole nanoseconds.
///
/// The engine never asks a clock: each call says what time it is. A call on a sound device passes a monotonic clock's
/// reading, a simulation passes virtual time.
@frozen
public struct MediaInstant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the caller's zero; may be negative.
  public var nanoseconds: Int64

  /// The caller's zero.
  @inlinable public static var zero: MediaInstant { MediaInstant(nanoseconds: 0) }

  /// The instant `nanoseconds` after zero.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The instant `milliseconds` after zero, to the nearest nanosecond; not a number counts as 0, and times beyond 292
  /// years stop there.
  @inlinable
  public init(milliseconds: Double) { nanoseconds = Int64(clampingNanoseconds: milliseconds * 1e6) }

  /// Milliseconds since zero.
  @inlinable
  public var milliseconds: Double { Double(nanoseconds) * 1e-6 }

  /// The instant `nanoseconds` later (wraps silently after 292 years, so that no input can trap).
  @inlinable
  public func advanced(byNanoseconds nanoseconds: Int64) -> MediaInstant {
    MediaInstant(nanoseconds: self.nanoseconds &+ nanoseconds)
  }

  /// The instant `milliseconds` later.
  @inlinable
  public func advanced(byMilliseconds milliseconds: Double) -> MediaInstant {
    MediaInstant(nanoseconds: nanoseconds &+ Int64(clampingNanoseconds: milliseconds * 1e6))
  }

  /// Nanoseconds from `earlier` to this instant.
  @inlinable
  public func nanoseconds(since earlier: MediaInstant) -> Int64 { nanoseconds &- earlier.nanoseconds }

  /// Milliseconds from `earlier` to this instant.
  @inlinable
  public func milliseconds(since earlier: MediaInstant) -> Double { Double(nanoseconds(since: earlier)) * 1e-6 }

  /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
  @inlinable
  public static func == (left: MediaInstant, right: MediaInstant) -> Bool { left.nanoseconds == right.nanoseconds }

  /// Whether the left instant is earlier.
  @inlinable
  public static func < (left: MediaInstant, right: MediaInstant) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Int64 {
  /// The nearest whole number, ties away from zero (`rounded()` is not for the audio path).
  @inlinable
  init(clampingNanoseconds value: Double) {
    guard !value.isNaN else {
      self = 0
      return
    }
    let clamped = Swift.max(-9.2e18, Swift.min(9.2e18, value))
    let whole = Int64(clamped)  // toward zero
    let rest = clamped - Double(whole)
    self = rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }
}
