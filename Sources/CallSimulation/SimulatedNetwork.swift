import Foundation
public import RealtimeCore

/// A one-way network on virtual time: datagrams go in with the time they are sent, and come out in the order in which
/// they arrive. It holds no socket, thread or clock; the same seed gives the same network.
public struct SimulatedNetwork: Sendable {
  /// Where each datagram's fate comes from.
  public enum Model: Sendable {
    /// Drawn from a profile.
    case profile(NetworkProfile)
    /// Read from a recorded or made trace: the n-th datagram meets the fate of row n, from the beginning again after
    /// the last. Each row holds the delays of its copies in ms; none: lost.
    case trace([[Double]])
  }

  private struct Flight {
    let arrival: MediaInstant
    let order: Int
    let datagram: [UInt8]
  }

  private let model: Model
  private var random: SplitMix
  private var inFlight: [Flight] = []  // kept sorted, latest arrival first, so that delivery pops the end
  private var sentCount = 0
  private var isLosing = false
  private var stallEnd = -Double.infinity
  private var nextStall: Double?

  /// Datagrams that were sent, lost and duplicated so far.
  public private(set) var counts = Counts()

  /// What became of the datagrams, in numbers.
  public struct Counts: Sendable, Equatable {
    public var sent = 0
    public var lost = 0
    public var duplicated = 0
    /// Sum of the delays of all first copies, in ms.
    var totalDelayMilliseconds = 0.0

    /// Mean delay of what was not lost, in ms; `nil` before the first.
    public var meanDelayMilliseconds: Double? {
      sent > lost ? totalDelayMilliseconds / Double(sent - lost) : nil
    }
  }

  /// A network whose every draw follows from `seed`.
  public init(_ model: Model, seed: UInt64) {
    self.model = model
    random = SplitMix(state: seed)
  }

  /// Sends a datagram at `now`.
  public mutating func send(_ datagram: [UInt8], at now: MediaInstant) {
    counts.sent += 1
    let delays = fate(at: now.milliseconds)
    if delays.isEmpty { counts.lost += 1 }
    if let first = delays.first { counts.totalDelayMilliseconds += max(0, first) }
    if delays.count > 1 { counts.duplicated += delays.count - 1 }
    for delay in delays {
      let arrival = now.advanced(byMilliseconds: max(0, delay))
      let flight = Flight(arrival: arrival, order: sentCount, datagram: datagram)
      sentCount += 1
      let place = inFlight.partitioningIndex { ($0.arrival, $0.order) < (arrival, flight.order) }
      inFlight.insert(flight, at: place)
    }
  }

  /// When the next datagram arrives; `nil` when none is on the way.
  public var nextArrival: MediaInstant? { inFlight.last?.arrival }

  /// The next datagram that has arrived by `now`, with its arrival; `nil` when there is none.
  public mutating func deliver(by now: MediaInstant) -> (datagram: [UInt8], arrival: MediaInstant)? {
    guard let next = inFlight.last, next.arrival <= now else { return nil }
    inFlight.removeLast()
    return (next.datagram, next.arrival)
  }

  private mutating func fate(at now: Double) -> [Double] {
    switch model {
    case .trace(let rows):
      return rows.isEmpty ? [0] : rows[(counts.sent - 1) % rows.count]
    case .profile(let profile):
      return fate(under: profile, at: now)
    }
  }

  private mutating func fate(under profile: NetworkProfile, at now: Double) -> [Double] {
    // Gilbert-Elliott: in the losing state every packet is lost; it is left with chance 1 / mean length.
    isLosing =
      isLosing
      ? random.unit() >= 1 / max(1, profile.meanLossBurstLength)
      : random.unit() < profile.lossBurstProbability
    if isLosing { return [] }

    var delay = profile.baseDelayMilliseconds + random.exponential(mean: profile.jitterMilliseconds)
    if profile.rampMilliseconds > 0 {
      // Fills over three quarters of the period, drains in the last one.
      let phase = (now / 1_000 / profile.rampPeriodSeconds).truncatingRemainder(dividingBy: 1)
      delay += profile.rampMilliseconds * (phase < 0.75 ? phase / 0.75 : (1 - phase) / 0.25)
    }
    while random.unit() < profile.retransmissionProbability { delay += profile.retransmissionMilliseconds }
    if random.unit() < profile.reorderProbability { delay += random.unit() * profile.reorderMilliseconds }
    delay = max(delay, stallDelay(under: profile, arrival: now + delay) - now)
    if random.unit() < profile.duplicateProbability { return [delay, delay + random.unit() * 5] }
    return [delay]
  }

  /// When a packet that would arrive at `arrival` does so, with stalls: those that fall into one arrive at its end.
  private mutating func stallDelay(under profile: NetworkProfile, arrival: Double) -> Double {
    guard profile.stallsPerSecond > 0 else { return arrival }
    var next = nextStall ?? random.exponential(mean: 1_000 / profile.stallsPerSecond)
    while next <= arrival {
      let length =
        profile.stallMilliseconds.lowerBound
        + random.unit() * (profile.stallMilliseconds.upperBound - profile.stallMilliseconds.lowerBound)
      stallEnd = max(stallEnd, next + length)
      next += random.exponential(mean: 1_000 / profile.stallsPerSecond)
    }
    nextStall = next
    return max(arrival, stallEnd)
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same on every machine.
struct SplitMix: Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Uniform in 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Exponentially distributed; 0 where the mean is.
  mutating func exponential(mean: Double) -> Double { mean > 0 ? -mean * log(1 - unit()) : 0 }
}

extension Array {
  /// The first index whose element satisfies `belongsToSecond`, in an array where all that do stand behind all that
  /// don't.
  fileprivate func partitioningIndex(where belongsToSecond: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongsToSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
