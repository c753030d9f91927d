import RealtimeCore

/// When to play what is sent, from how late packets come.
///
/// The aim is an offset on the media clock: what the sender stamped T is to be played at T + `target`. It is the sum of
/// two parts. The *base*, the least transit of late, follows the network's queue within half a second, up and down. The
/// *margin* above it covers the lateness of single packets, as far as it is frequent enough to be worth the delay. The
/// highest sum of the last 300 packets (6 s of 20 ms packets) counts, then sinks steadily: playout that followed each
/// move of the network would be stretched all the time, and stretching is heard more than 50 ms of delay.
/// - Source: cost form instead of the quantile in Moon, Kurose & Towsley 1998 (see `LatenessHistogram`).
struct DelayEstimator: ~Copyable {
  /// The offset aimed at, in nanoseconds on the axis of the transits.
  private(set) var target: Int64 = 0
  /// The same without the limits that the settings set.
  private(set) var unlimitedTarget: Int64 = 0
  private var lateness: LatenessHistogram
  /// Of negated sums: their least is the highest sum.
  private var peak = SlidingMinimum(window: 300)
  private var lastUpdate = MediaInstant(nanoseconds: 0)
  private var count = 0
  private let latePrice: Float
  private let minimum: Int64
  private let maximum: Int64
  private let initial: Int64

  /// The target sinks by this share of the passing time: 50 ms per second.
  static var sinkingPace: Double { @_noLocks get { 0.05 } }
  /// Packets until the histogram says more than the initial margin.
  static var warmUpPacketCount: Int { @_noLocks get { 10 } }

  init(settings: JitterBufferSettings) {
    // 750 packets of 20 ms: what happened 15 s ago counts about a third.
    lateness = LatenessHistogram(memory: 750, binCount: settings.maximumDelayMilliseconds / 2 + 1)
    latePrice = Float(settings.millisecondsPerLatePercent * 100 * 1e6)
    minimum = Int64(settings.minimumDelayMilliseconds) * 1_000_000
    maximum = Int64(settings.maximumDelayMilliseconds) * 1_000_000
    initial = Int64(settings.initialDelayMilliseconds) * 1_000_000
  }

  /// Takes one packet.
  /// - Parameter late: its transit minus `base`.
  /// - Parameter reserve: nanoseconds to add for another purpose than lateness (waiting for in-band FEC).
  @_noLocks
  mutating func note(late: Int64, base: Int64, reserve: Int64, at now: MediaInstant) {
    lateness.add(lateness: late)
    var margin = lateness.cheapestDelay(latePrice: latePrice) &+ reserve
    if count < Self.warmUpPacketCount { margin = max(margin, initial) }
    let highest = 0 &- peak.push(0 &- (base &+ margin))
    if count == 0 {
      unlimitedTarget = highest
    } else {
      let passed = Double(max(0, min(1_000_000_000, now.nanoseconds(since: lastUpdate))))
      unlimitedTarget = max(highest, unlimitedTarget &- Int64(passed * Self.sinkingPace))
    }
    target = min(base &+ maximum, max(base &+ minimum, unlimitedTarget))
    lastUpdate = now
    count &+= 1
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    lateness.reset()
    peak.reset()
    count = 0
    target = 0
    unlimitedTarget = 0
  }
}
