import RealtimeCore

/// Maps the sender's timestamps to nanoseconds since the stream's first packet, and back.
///
/// The sums wrap instead of trapping, and seconds are split off first: timestamps come from the network.
struct MediaClock: Sendable, BitwiseCopyable {
  /// Ticks per second.
  let rate: Int64
  /// Unwrapped timestamp and arrival of the first packet: the zero of both axes.
  private(set) var originTimestamp: Int64 = 0
  private(set) var originArrival = MediaInstant(nanoseconds: 0)
  /// Whether a first packet has set the zero.
  private(set) var isSet = false

  init(rate: Int) { self.rate = Int64(rate) }

  @_noLocks
  mutating func set(timestamp: Int64, arrival: MediaInstant) {
    originTimestamp = timestamp
    originArrival = arrival
    isSet = true
  }

  @_noLocks
  mutating func reset() { isSet = false }

  /// Nanoseconds that `ticks` last.
  @_noLocks
  func nanoseconds(ticks: Int64) -> Int64 {
    (ticks / rate) &* 1_000_000_000 &+ (ticks % rate) &* 1_000_000_000 / rate
  }

  /// Ticks in `nanoseconds`, rounded towards zero.
  @_noLocks
  func ticks(nanoseconds: Int64) -> Int64 {
    (nanoseconds / 1_000_000_000) &* rate &+ (nanoseconds % 1_000_000_000) &* rate / 1_000_000_000
  }

  /// How long after its place on the media clock something happened to `timestamp`: its transit when it arrived, its
  /// playout offset when it was played. Both count from the first packet's arrival.
  @_noLocks
  func offset(of timestamp: Int64, at instant: MediaInstant) -> Int64 {
    instant.nanoseconds(since: originArrival) &- nanoseconds(ticks: timestamp &- originTimestamp)
  }

  /// The timestamp whose offset at `instant` is `offset`.
  @_noLocks
  func timestamp(offset: Int64, at instant: MediaInstant) -> Int64 {
    originTimestamp &+ ticks(nanoseconds: instant.nanoseconds(since: originArrival) &- offset)
  }
}
