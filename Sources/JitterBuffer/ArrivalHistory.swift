import RealtimeCore

/// How late packets come, from their exact times of arrival.
///
/// A packet's transit is its arrival minus its place on the media clock; both count from the first packet, so a transit
/// has an unknown constant in it and only differences mean anything. Two sliding minima are kept: the *floor* over many
/// packets is what delays are reported against, the *base* over few packets follows the network's queue as it fills and
/// drains. A packet's lateness is its transit minus the base. Sliding minima are immune to clock drift (200 ppm move
/// them by 0.2 ms per second) and to a change of route once a window has passed.
struct ArrivalHistory: ~Copyable {
  /// Least transit among the last 12 packets (a quarter of a second of 20 ms packets), in nanoseconds.
  private(set) var base: Int64 = 0
  /// Least transit among the last 500 packets, in nanoseconds.
  private(set) var floor: Int64 = 0
  /// Packets seen since the last reset.
  private(set) var count = 0
  private var shortWindow: SlidingMinimum
  private var longWindow: SlidingMinimum

  static let basePacketCount = 12
  static let floorPacketCount = 500

  init() {
    shortWindow = SlidingMinimum(window: Self.basePacketCount)
    longWindow = SlidingMinimum(window: Self.floorPacketCount)
  }

  /// Takes the transit of a packet seen for the first time.
  /// - Returns: its lateness over the base, 0 or more nanoseconds.
  @_noLocks
  mutating func note(transit: Int64) -> Int64 {
    base = shortWindow.push(transit)
    floor = longWindow.push(transit)
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
