/// How a jitter buffer trades delay against concealment, and how much memory it owns. The defaults suit a voice call.
public struct JitterBufferSettings: Hashable, Sendable, BitwiseCopyable {
  /// The target delay never falls below this many milliseconds over the fastest of the last packets (0 to
  /// `maximumDelayMilliseconds`).
  public var minimumDelayMilliseconds = 0
  /// The target delay never rises above this many milliseconds over the same packets (up to 2,000).
  public var maximumDelayMilliseconds = 1_000
  /// The target before anything is known about the network, in milliseconds.
  public var initialDelayMilliseconds = 20
  /// How many milliseconds of delay are worth one per cent fewer late packets (1 to 200): low values give a
  /// conversation's quick turns, high ones an unbroken sound. Source: chosen on recorded-speech simulations.
  public var millisecondsPerLatePercent = 30.0
  /// How many packets wait at most (8 to 2,000).
  public var packetCapacity = 200
  /// The longest payload that is taken, in bytes (1 to 65,535).
  public var maximumPayloadSize = 1_500

  /// How long a hold lasts before it becomes a flush, in milliseconds (100 to 3,000). The packets of that time must fit.
  public var longestHoldMilliseconds = 2_000

  /// The defaults.
  public init() {}

  /// Traps on a setting that is out of range.
  func check() {
    precondition(
      (0...2_000).contains(maximumDelayMilliseconds),
      "JitterBuffer: maximumDelayMilliseconds \(maximumDelayMilliseconds) is outside 0 to 2000")
    precondition(
      (0...maximumDelayMilliseconds).contains(minimumDelayMilliseconds),
      "JitterBuffer: minimumDelayMilliseconds \(minimumDelayMilliseconds) is outside 0 to \(maximumDelayMilliseconds)")
    precondition(
      (0...2_000).contains(initialDelayMilliseconds),
      "JitterBuffer: initialDelayMilliseconds \(initialDelayMilliseconds) is outside 0 to 2000")
    precondition(
      (1...200).contains(millisecondsPerLatePercent),
      "JitterBuffer: millisecondsPerLatePercent \(millisecondsPerLatePercent) is outside 1 to 200")
    precondition(
      (100...3_000).contains(longestHoldMilliseconds),
      "JitterBuffer: longestHoldMilliseconds \(longestHoldMilliseconds) is outside 100 to 3000")
    precondition(
      (8...2_000).contains(packetCapacity), "JitterBuffer: packetCapacity \(packetCapacity) is outside 8 to 2000")
    precondition(
      (1...65_535).contains(maximumPayloadSize),
      "JitterBuffer: maximumPayloadSize \(maximumPayloadSize) is outside 1 to 65535")
  }
}
