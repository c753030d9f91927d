public import AudioCodecs

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
  /// The longest payload that is taken, in bytes (1 to 65,535); longer ones too where a format has them, see
  /// `payloadByteCount(for:)`.
  public var maximumPayloadSize = 1_500

  /// How long a hold lasts before it becomes a flush, in milliseconds (100 to 3,000). The packets of that time must fit.
  public var longestHoldMilliseconds = 2_000

  /// The defaults.
  public init() {}

  /// The longest payload that a buffer of `formats` takes, in bytes: no packet that was negotiated is too long.
  public func payloadByteCount(for formats: [CodecFormat]) -> Int {
    formats.reduce(maximumPayloadSize) { min(65_535, max($0, $1.longestPayloadByteCount)) }
  }

  /// Throws for the first setting that is out of its range; what is made with such settings traps.
  public func validate() throws(SettingOutOfRange) {
    try SettingOutOfRange.check("maximumDelayMilliseconds", maximumDelayMilliseconds, 0...2_000)
    try SettingOutOfRange.check("minimumDelayMilliseconds", minimumDelayMilliseconds, 0...maximumDelayMilliseconds)
    try SettingOutOfRange.check("initialDelayMilliseconds", initialDelayMilliseconds, 0...2_000)
    try SettingOutOfRange.check("millisecondsPerLatePercent", millisecondsPerLatePercent, 1...200)
    try SettingOutOfRange.check("longestHoldMilliseconds", longestHoldMilliseconds, 100...3_000)
    try SettingOutOfRange.check("packetCapacity", packetCapacity, 8...2_000)
    try SettingOutOfRange.check("maximumPayloadSize", maximumPayloadSize, 1...65_535)
  }

  /// Traps on a setting that is out of range.
  func check() {
    do throws(SettingOutOfRange) { try validate() } catch { preconditionFailure("JitterBuffer: \(error)") }
  }
}
