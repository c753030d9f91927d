import RealtimeCore

/// How late packets come, from their exact times of arrival.
///
/// A packet's transit is its arrival minus its place on the media clock; both count from the first packet, so a transit
/// has an unknown constant in it and only differences mean anything. Two sliding minima are kept: the *floor* over many
/// packets is what delays are reported against, the *base* over few packets follows the network's queue as it fills and
/// drains. A packet's lateness is its transit minus the base. Sliding minima are immune to clock drift (200 ppm move
/// them by 0.2 ms per second) and to a change of route once a window has passed.
struct ArrivalHistory: ~Copyable {
  /// Least transit among the last 16 packets (a third of a second of 20 ms packets), in nanoseconds.
  private(set) var base: Int64 = 0
  /// Least transit among the last 500 packets, in nanoseconds.
  private(set) var floor: Int64 = 0
  /// Packets seen since the last reset.
  private(set) var count = 0
  private var shortWindow: SlidingMinimum
  private var longWindow: SlidingMinimum
  private var lastStep = MediaInstant(nanoseconds: 0)

  static let basePacketCount = 16
  static let floorPacketCount = 500
  /// Packets that come within 4 ms are one step of the windows: those held up together in one stall say only once that
  /// the network is slow.
  static var leastStep: Int64 { @_noLocks get { 4_000_000 } }

  init() {
    shortWindow = SlidingMinimum(window: Self.basePacketCount)
    longWindow = SlidingMinimum(window: Self.floorPacketCount)
  }

  /// Takes the transit of a packet seen for the first time.
  /// - Returns: its lateness over the base, 0 or more nanoseconds.
  @_noLocks
  mutating func note(transit: Int64, at arrival: MediaInstant) -> Int64 {
    let isApart = arrival.nanoseconds(since: lastStep) >= Self.leastStep
    if isApart || count == 0 { lastStep = arrival }
    base = shortWindow.push(transit, startsStep: isApart)
    floor = longWindow.push(transit, startsStep: isApart)
    count &+= 1
    return transit &- base
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    shortWindow.reset()
    longWindow.reset()
    base = 0
    floor = 0
    count = 0
  }
}
