public import RealtimeCore

/// Chooses how many bits a second an adaptive codec sends, from what the receiver reports of loss and round trip.
///
/// Little loss lets the bitrate grow by 8 % a second, much loss or a growing queue takes it back, and in between it stays,
/// as in Google's congestion control (draft-ietf-rmcat-gcc-02 §6). For speech it is the smaller half of the answer: what
/// share of packets to expect lost, so that the codec sends copies along, follows loss at once.
/// - Threads: any one at a time. Never allocates.
public struct BitrateControl: Sendable, BitwiseCopyable {
  /// What it keeps within, in bits per second.
  public let bounds: (lowest: Int, highest: Int)
  /// The bitrate to send with now, in bits per second.
  public private(set) var bitrate: Int
  /// The share of packets to expect lost, in percent, 0...30.
  public private(set) var expectedLossPercent = 0

  private var loss = 0.0
  private var shortestRoundTrip = Double.infinity
  private var lastReport: MediaInstant?
  private var lastDecrease: MediaInstant?

  /// - Parameters:
  ///   - bounds: in bits per second; for Opus within 6,000 to 510,000.
  ///   - start: where it begins; kept within the bounds.
  public init(bounds: ClosedRange<Int>, start: Int) {
    self.bounds = (bounds.lowerBound, bounds.upperBound)
    bitrate = min(max(start, bounds.lowerBound), bounds.upperBound)
  }

  /// Takes a receiver's report.
  /// - Parameters:
  ///   - fractionLost: share of packets lost since the report before, 0...1.
  ///   - roundTripTime: in seconds; `nil` when unknown.
  @_noLocks
  public mutating func update(fractionLost: Double, roundTripTime: Double?, at now: MediaInstant) {
    let fraction = Swift.max(0, Swift.min(1, fractionLost))
    // Up at once, down slowly: losses come in bursts.
    loss = fraction > loss ? fraction : loss + 0.2 * (fraction - loss)
    expectedLossPercent = Swift.min(30, Int(loss * 100 + 0.5))

    var queue = 0.0
    if let roundTripTime, roundTripTime >= 0 {
      // The path's own length may grow with a new route: the shortest is forgotten, by half a percent a report.
      shortestRoundTrip = Swift.min(shortestRoundTrip * 1.005, roundTripTime)
      queue = roundTripTime - shortestRoundTrip
    }
    let elapsed = lastReport.map { Double(now.nanoseconds(since: $0)) * 1e-9 } ?? 0
    lastReport = now

    if fraction > 0.1 || queue > 0.2 {
      guard mayDecrease(roundTripTime ?? 0.2, at: now) else { return }
      lastDecrease = now
      let factor = Swift.min(1 - 0.5 * fraction, queue > 0.2 ? 0.85 : 1)
      set(Double(bitrate) * factor)
    } else if fraction < 0.02 && queue < 0.1 {
      set(Double(bitrate) * (1 + 0.08 * Swift.max(0, Swift.min(2, elapsed))))
    }
  }

  /// A decrease shows in the reports only after the way there and back.
  @_noLocks
  private func mayDecrease(_ roundTripTime: Double, at now: MediaInstant) -> Bool {
    guard let lastDecrease else { return true }
    return Double(now.nanoseconds(since: lastDecrease)) * 1e-9 >= 0.3 + Swift.max(0, Swift.min(5, roundTripTime))
  }

  @_noLocks
  private mutating func set(_ value: Double) {
    bitrate = Swift.min(Swift.max(Int(value), bounds.lowest), bounds.highest)
  }
}
