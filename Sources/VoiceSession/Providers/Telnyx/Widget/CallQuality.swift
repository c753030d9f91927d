internal import Foundation

/// How good a call sounds, from what can be measured at this end.
///
/// - Source: the E-model's shape (ITU-T G.107) as the provider's clients reduce it; their constants.
public struct CallQuality: Sendable, Hashable {
  /// In words.
  public enum Rating: String, Sendable, Hashable, CaseIterable {
    /// Above 4.2.
    case excellent
    /// From 4.1.
    case good
    /// From 3.7.
    case fair
    /// From 3.1.
    case poor
    /// Below.
    case bad
    /// Nothing was measured.
    case unknown
  }

  /// Variation of the packets' way, in milliseconds.
  public var jitterMilliseconds: Double
  /// The way there and back, in milliseconds.
  public var roundTripMilliseconds: Double
  /// Share of the packets that did not come, in percent.
  public var lossPercent: Double

  /// From measurements.
  public init(jitterMilliseconds: Double, roundTripMilliseconds: Double, lossPercent: Double) {
    self.jitterMilliseconds = jitterMilliseconds
    self.roundTripMilliseconds = roundTripMilliseconds
    self.lossPercent = lossPercent
  }

  /// The mean opinion score, 1...5; not a number when nothing was measured.
  public var meanOpinionScore: Double {
    let delay = jitterMilliseconds + roundTripMilliseconds / 2
    let delayImpairment = 0.024 * delay + (delay > 177.3 ? 0.11 * (delay - 177.3) : 0)
    let lossImpairment = 20 * log(1 + lossPercent)
    let rating = 93.2 - delayImpairment - lossImpairment
    guard rating.isFinite else { return .nan }
    // Below zero the cubic would rise again; there G.107 has the lowest score.
    guard rating > 0 else { return 1 }
    let score = 1 + 0.035 * rating + 7e-6 * rating * (rating - 60) * (100 - rating)
    return min(5, max(1, score))
  }

  /// In words.
  public var rating: Rating {
    switch meanOpinionScore {
    case let score where !score.isFinite: .unknown
    case let score where score > 4.2: .excellent
    case 4.1...: .good
    case 3.7...: .fair
    case 3.1...: .poor
    default: .bad
    }
  }
}

/// Makes a quality of each second of what the engine has counted.
struct CallQualityMeter: Sendable {
  private var received = 0
  private var lost = 0

  /// - Returns: `nil` when no packet has come since the last call.
  mutating func take(_ snapshot: MediaSnapshot) -> CallQuality? {
    let inbound = snapshot.statistics.inboundRTP
    let (came, missed) = (inbound.packetsReceived - received, max(0, inbound.packetsLost - lost))
    (received, lost) = (inbound.packetsReceived, inbound.packetsLost)
    guard came + missed > 0 else { return nil }
    return CallQuality(
      jitterMilliseconds: inbound.jitter * 1_000,
      roundTripMilliseconds: (snapshot.statistics.remoteInboundRTP.roundTripTime ?? 0) * 1_000,
      lossPercent: 100 * Double(missed) / Double(came + missed))
  }
}
