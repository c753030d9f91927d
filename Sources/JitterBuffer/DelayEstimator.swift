import RealtimeCore

/// The playout delay to aim at, from how late packets come.
///
/// Two memories look at the same packets. The fast one (2 s) lets the target grow within a few packets when the network
/// becomes worse; the slow one (15 s) keeps it up as long as lateness comes again and again. The larger of their
/// cheapest delays counts; it grows at once and shrinks at a steady pace.
/// - Source: cost form instead of the quantile in Moon, Kurose & Towsley 1998 (see `LatenessHistogram`).
struct DelayEstimator: ~Copyable {
  /// What to add to the base transit, in nanoseconds.
  private(set) var target: Int64
  /// The same without the limits that the settings set.
  private(set) var unlimitedTarget: Int64
  private var peak = SlidingMinimum(window: 300)
  private var slow: LatenessHistogram
  private var lastUpdate = MediaInstant(nanoseconds: 0)
  private let latePrice: Float
  private let minimum: Int64
  private let maximum: Int64
  private let initial: Int64
  private var seen = 0

  /// The target sinks by at most this share of the passing time: 50 ms per second.
  static var shrinkingPace: Double { @_noLocks get { 0.05 } }
  /// Packets until the histograms say more than the initial target.
  static var warmUpPacketCount: Int { @_noLocks get { 10 } }

  init(settings: JitterBufferSettings) {
    let binCount = settings.maximumDelayMilliseconds / 2 + 1
    slow = LatenessHistogram(memory: 750, binCount: binCount)
    latePrice = Float(settings.millisecondsPerLatePercent * 100 * 1e6)
    minimum = Int64(settings.minimumDelayMilliseconds) * 1_000_000
    maximum = Int64(settings.maximumDelayMilliseconds) * 1_000_000
    initial = Int64(settings.initialDelayMilliseconds) * 1_000_000
    target = min(maximum, max(minimum, initial))
    unlimitedTarget = target
  }

  /// Takes the lateness of one packet.
  /// - Parameter reserve: nanoseconds to add for a purpose other than lateness (waiting for in-band FEC).
  @_noLocks
  mutating func note(lateness: Int64, base: Int64, reserve: Int64, at now: MediaInstant) {
    slow.add(lateness: lateness)
    seen &+= 1
    var wanted = slow.cheapestDelay(latePrice: latePrice)
    wanted = wanted &+ reserve
    if seen < Self.warmUpPacketCount { wanted = max(wanted, initial) }
    wanted = 0 &- peak.push(0 &- (base &+ wanted)) &- base
    let passed = Double(max(0, min(1_000_000_000, now.nanoseconds(since: lastUpdate))))
    unlimitedTarget = max(wanted, unlimitedTarget &- Int64(passed * Self.shrinkingPace))
    target = min(maximum, max(minimum, unlimitedTarget))
    lastUpdate = now
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    peak.reset()
    slow.reset()
    seen = 0
    unlimitedTarget = initial
    target = min(maximum, max(minimum, initial))
  }
}
