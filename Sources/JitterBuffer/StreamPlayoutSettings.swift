/// How a stream's playout trades its start against breaks, and how much it can store.
public struct StreamPlayoutSettings: Hashable, Sendable, BitwiseCopyable {
  /// How many seconds of audio can wait (1 to 600), at 2 bytes a sample: 120 s at 24 kHz are 5.8 MB.
  public var capacitySeconds = 120
  /// Playout begins at the earliest this many milliseconds after an answer's first sample came, or with as much in store
  /// (0 to `maximumReserveMilliseconds`).
  public var minimumReserveMilliseconds = 40
  /// However slow the producer was, playout waits no longer than this (up to 5,000).
  public var maximumReserveMilliseconds = 1_500
  /// How long a hold lasts before it becomes a flush, in milliseconds (100 to 10,000).
  public var longestHoldMilliseconds = 2_000

  /// The defaults.
  public init() {}

  /// Throws for the first setting that is out of its range; what is made with such settings traps.
  public func validate() throws(SettingOutOfRange) {
    try SettingOutOfRange.check("capacitySeconds", capacitySeconds, 1...600)
    try SettingOutOfRange.check("maximumReserveMilliseconds", maximumReserveMilliseconds, 0...5_000)
    try SettingOutOfRange.check(
      "minimumReserveMilliseconds", minimumReserveMilliseconds, 0...maximumReserveMilliseconds)
    try SettingOutOfRange.check("longestHoldMilliseconds", longestHoldMilliseconds, 100...10_000)
  }

  /// Traps on a setting that is out of range.
  func check() {
    do throws(SettingOutOfRange) { try validate() } catch { preconditionFailure("StreamPlayout: \(error)") }
  }
}
