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
  public var millisecondsPerLatePercent = 25.0
  /// How many packets wait at most (8 to 2,000).
  public var packetCapacity = 200
  /// The longest payload that is taken, in bytes (1 to 65,535).
  public var maximumPayloadSize = 1_500

  /// The defaults.
  public init() {}

  func check() throws(JitterBufferError) {
    let longest = Double(maximumDelayMilliseconds)
    try Self.check(.maximumDelayMilliseconds, longest, 0...2_000)
    try Self.check(.minimumDelayMilliseconds, Double(minimumDelayMilliseconds), 0...longest)
    try Self.check(.initialDelayMilliseconds, Double(initialDelayMilliseconds), 0...2_000)
    try Self.check(.millisecondsPerLatePercent, millisecondsPerLatePercent, 1...200)
    try Self.check(.packetCapacity, Double(packetCapacity), 8...2_000)
    try Self.check(.maximumPayloadSize, Double(maximumPayloadSize), 1...65_535)
  }

  private static func check(
    _ setting: JitterBufferError.Setting, _ value: Double, _ allowed: ClosedRange<Double>
  ) throws(JitterBufferError) {
    guard allowed.contains(value) else { throw .settingOutOfRange(setting, given: value, allowed: allowed) }
  }
}
