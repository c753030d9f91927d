internal import RealtimeCore

/// Notices that somebody speaks into a muted microphone: four levels in a row above -35 dB say so, three below take it
/// back, and it is told once in 3 s at most, as in the vendor's SDK.
struct MutedSpeechDetector: Sendable {
  private var aboveCount = 0
  private var belowCount = 0
  private var isLatched = false
  private var lastTold: MediaInstant?

  private static let threshold = -35.0
  private static let pause: Int64 = 3_000_000_000

  /// - Parameter level: of the last 20 ms or so, in dBFS.
  /// - Returns: whether the app is to be told now.
  mutating func take(_ level: Double, isMuted: Bool, at now: MediaInstant) -> Bool {
    guard isMuted else {
      (aboveCount, belowCount, isLatched) = (0, 0, false)
      return false
    }
    if level > Self.threshold {
      aboveCount += 1
      belowCount = 0
    } else {
      belowCount += 1
      aboveCount = 0
      if belowCount >= 3 { isLatched = false }
    }
    guard aboveCount >= 4, !isLatched else { return false }
    isLatched = true
    if let lastTold, now.nanoseconds - lastTold.nanoseconds < Self.pause { return false }
    lastTold = now
    return true
  }
}
