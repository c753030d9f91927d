// Wrapping numbers of RTP (RFC 3550 §5.1; comparison as serial numbers, RFC 1982). Nothing here can trap on any bits
// that a network may send.

/// A 16-bit RTP sequence number; arithmetic wraps.
@frozen
public struct SequenceNumber: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The number as it is on the wire.
  public var rawValue: UInt16

  /// The number with these bits.
  @inlinable
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  /// The shorter way from this number to `other`: -32768...32767, positive when `other` is newer.
  @inlinable
  public func distance(to other: SequenceNumber) -> Int { Int(Int16(bitPattern: other.rawValue &- rawValue)) }

  /// The number `steps` further on, wrapped.
  @inlinable
  public func advanced(by steps: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: steps))
  }

  /// Whether this number is later than `other`, half the circle at most away.
  @inlinable
  public func isNewer(than other: SequenceNumber) -> Bool { other.distance(to: self) > 0 }

  /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
  @inlinable
  public static func == (left: SequenceNumber, right: SequenceNumber) -> Bool { left.rawValue == right.rawValue }

  /// The number as it is on the wire, in decimal.
  public var description: String { "\(rawValue)" }
}

/// A 32-bit RTP timestamp in ticks of the media clock; arithmetic wraps.
@frozen
public struct RTPTimestamp: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The timestamp as it is on the wire.
  public var rawValue: UInt32

  /// The timestamp with these bits.
  @inlinable
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// The shorter way from this timestamp to `other`, in ticks; positive when `other` is later.
  @inlinable
  public func distance(to other: RTPTimestamp) -> Int { Int(Int32(bitPattern: other.rawValue &- rawValue)) }

  /// The timestamp `ticks` further on, wrapped.
  @inlinable
  public func advanced(by ticks: Int) -> RTPTimestamp {
    RTPTimestamp(rawValue &+ UInt32(truncatingIfNeeded: ticks))
  }

  /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
  @inlinable
  public static func == (left: RTPTimestamp, right: RTPTimestamp) -> Bool { left.rawValue == right.rawValue }

  /// The number as it is on the wire, in decimal.
  public var description: String { "\(rawValue)" }
}

/// Turns wrapping sequence numbers into ones that only grow over a call, as long as neighbours differ by under 32,768.
@frozen
public struct SequenceUnwrapper: Sendable, BitwiseCopyable {
  @usableFromInline var last: Int64 = -1

  /// An unwrapper that has seen nothing.
  @inlinable
  public init() {}

  /// The unwrapped number: the first is its own value plus one turn of the circle; the later ones lie nearest to the newest seen before.
  @inlinable
  public mutating func unwrap(_ number: SequenceNumber) -> Int64 {
    guard last >= 0 else {
      // Starting one turn up leaves room for packets that are older than the first.
      last = Int64(number.rawValue) + 65_536
      return last
    }
    let step = SequenceNumber(UInt16(truncatingIfNeeded: last)).distance(to: number)
    let unwrapped = last &+ Int64(step)
    if step > 0 { last = unwrapped }
    return unwrapped
  }
}

/// Turns wrapping timestamps into ones that only grow over a call, as long as neighbours differ by under 2³¹ ticks.
@frozen
public struct TimestampUnwrapper: Sendable, BitwiseCopyable {
  @usableFromInline var last: Int64 = -1

  /// An unwrapper that has seen nothing.
  @inlinable
  public init() {}

  /// The unwrapped timestamp in ticks; see `SequenceUnwrapper.unwrap(_:)`.
  @inlinable
  public mutating func unwrap(_ timestamp: RTPTimestamp) -> Int64 {
    guard last >= 0 else {
      last = Int64(timestamp.rawValue) + 4_294_967_296
      return last
    }
    let step = RTPTimestamp(UInt32(truncatingIfNeeded: last)).distance(to: timestamp)
    let unwrapped = last &+ Int64(step)
    if step > 0 { last = unwrapped }
    return unwrapped
  }
}
