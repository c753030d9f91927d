/// How a simulated network treats packets: a description in numbers, from which a seeded source draws each packet's fate.
///
/// The shapes follow published measurements, not recordings: losses in bursts by the Gilbert-Elliott model, Wi-Fi that
/// stalls and then delivers all at once, LTE whose queue ramps up and drains in steps of its 8 ms retransmission.
public struct NetworkProfile: Sendable, Equatable {
  /// Delay of a packet that meets no obstacle, in ms.
  public var baseDelayMilliseconds = 20.0
  /// Mean of the exponential part of each packet's delay, in ms.
  public var jitterMilliseconds = 0.0
  /// Chance per packet that a burst of losses begins, 0 to 1.
  public var lossBurstProbability = 0.0
  /// Mean length of a burst of losses, in packets; 1 or more.
  public var meanLossBurstLength = 1.0
  /// Stalls per second: for a while nothing arrives, then everything that waited.
  public var stallsPerSecond = 0.0
  /// Shortest and longest stall, in ms.
  public var stallMilliseconds: ClosedRange<Double> = 0...0
  /// Chance per packet to be sent a way round that is up to `reorderMilliseconds` longer, 0 to 1.
  public var reorderProbability = 0.0
  /// Longest extra delay of such a packet, in ms.
  public var reorderMilliseconds = 0.0
  /// Chance per packet to arrive twice, 0 to 1.
  public var duplicateProbability = 0.0
  /// Height of a queue that fills and drains again, in ms.
  public var rampMilliseconds = 0.0
  /// Length of one fill and drain, in seconds.
  public var rampPeriodSeconds = 4.0
  /// Steps of the link's own retransmission, in ms; 0 for none.
  public var retransmissionMilliseconds = 0.0
  /// Chance per packet to need such a step, 0 to 1.
  public var retransmissionProbability = 0.0

  /// A network that only delays, by 20 ms.
  public init() {}

  /// A wired network: 20 ms, hardly any jitter.
  public static var clean: NetworkProfile {
    var profile = NetworkProfile()
    profile.jitterMilliseconds = 0.3
    return profile
  }

  /// A busy Wi-Fi: stalls of 40 to 140 ms and a little loss.
  public static var wifi: NetworkProfile {
    var profile = NetworkProfile()
    profile.jitterMilliseconds = 3
    profile.stallsPerSecond = 0.4
    profile.stallMilliseconds = 40...140
    profile.lossBurstProbability = 0.004
    profile.meanLossBurstLength = 1.4
    return profile
  }

  /// A moving phone: a queue that ramps up to 90 ms, retransmission steps of 8 ms, rare stalls.
  public static var lte: NetworkProfile {
    var profile = NetworkProfile()
    profile.baseDelayMilliseconds = 35
    profile.jitterMilliseconds = 2
    profile.rampMilliseconds = 90
    profile.rampPeriodSeconds = 5
    profile.retransmissionMilliseconds = 8
    profile.retransmissionProbability = 0.1
    profile.stallsPerSecond = 0.1
    profile.stallMilliseconds = 60...180
    profile.lossBurstProbability = 0.002
    profile.meanLossBurstLength = 1.6
    return profile
  }

  /// A bad path: about 8 % loss in bursts, jitter, reordering, some duplicates.
  public static var lossy: NetworkProfile {
    var profile = NetworkProfile()
    profile.baseDelayMilliseconds = 40
    profile.jitterMilliseconds = 6
    profile.lossBurstProbability = 0.05
    profile.meanLossBurstLength = 1.7
    profile.reorderProbability = 0.02
    profile.reorderMilliseconds = 40
    profile.duplicateProbability = 0.01
    return profile
  }
}
