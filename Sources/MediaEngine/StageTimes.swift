public import RealtimeCore

/// The steps of both paths whose cost can be observed.
public enum MediaStage: Int, CaseIterable, Sendable {
  case captureResampling, echoCancellation, noiseSuppression, automaticGain, voiceActivity, captureLevels, encoding
  case protection, unprotection, jitterBuffering, renderLevels, renderResampling, echoReference

  /// How many there are.
  public static let count = 13

  /// The stage's name in reports.
  public var name: String {
    switch self {
    case .captureResampling: "capture resampling"
    case .echoCancellation: "echo cancellation"
    case .noiseSuppression: "noise suppression"
    case .automaticGain: "automatic gain"
    case .voiceActivity: "voice activity"
    case .captureLevels: "band levels (user)"
    case .encoding: "encoding"
    case .protection: "RTP and SRTP out"
    case .unprotection: "SRTP and RTP in"
    case .jitterBuffering: "jitter buffer and decoding"
    case .renderLevels: "band levels (agent)"
    case .renderResampling: "render resampling"
    case .echoReference: "echo reference"
    }
  }
}

/// How long one stage took, call by call, as a histogram of processor ticks.
///
/// The audio thread may neither ask the system for the time nor keep a list that grows. It may read the processor's tick
/// counter, a register, and add one to a bucket: sixteen buckets an octave, so a quantile is exact to 6 %.
public struct StageTimes: ~Copyable {
  private static let bucketsPerOctave = 16
  private static let bucketCount = 40 * bucketsPerOctave

  private var buckets = FixedBuffer<UInt32>(repeating: 0, count: bucketCount)
  /// Calls that were measured.
  public private(set) var callCount = 0
  /// Ticks of all calls together.
  public private(set) var totalTicks: UInt64 = 0
  /// Ticks of the longest call.
  public private(set) var longestTicks: UInt64 = 0

  init() {}

  @_noLocks
  mutating func record(_ ticks: UInt64) {
    callCount &+= 1
    totalTicks &+= ticks
    if ticks > longestTicks { longestTicks = ticks }
    buckets[Self.bucket(of: ticks)] &+= 1
  }

  /// The ticks that a share of the calls, 0 to 1, stayed within, exact to 6 %; 0 before the first call. Not for the
  /// audio thread.
  public func quantile(_ share: Double) -> UInt64 {
    guard callCount > 0 else { return 0 }
    let rank = max(1, Int((Double(callCount) * min(1, max(0, share))).rounded(.up)))
    var seen = 0
    for index in 0..<Self.bucketCount {
      seen += Int(buckets[index])
      if seen >= rank { return min(Self.upperEdge(of: index), longestTicks) }
    }
    return longestTicks
  }

  // Below 16 ticks each value has its bucket; above, the four bits behind the leading one choose it.
  @_noLocks
  private static func bucket(of ticks: UInt64) -> Int {
    guard ticks >= 16 else { return Int(ticks) }
    let octave = 63 &- ticks.leadingZeroBitCount
    let step = Int(truncatingIfNeeded: ticks >> UInt64(octave &- 4)) & 15
    return min(bucketCount &- 1, (octave &- 3) &* 16 &+ step)
  }

  private static func upperEdge(of index: Int) -> UInt64 {
    guard index >= 16 else { return UInt64(index) }
    let octave = index / 16 + 3
    return (UInt64(16 + index % 16 + 1) << UInt64(octave - 4)) - 1
  }
}
