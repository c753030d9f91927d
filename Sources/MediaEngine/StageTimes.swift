internal import CKernels
internal import RealtimeCore

/// The steps of both paths whose cost can be observed.
public enum MediaStage: Int, CaseIterable, Sendable {
  case captureResampling, echoCancellation, noiseSuppression, automaticGain, voiceActivity, captureLevels, encoding
  case protection, unprotection, jitterBuffering, renderLevels, renderResampling, echoReference

  /// How many there are.
  static let count = 13

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

/// How long one stage took, in ticks of the processor's counter (see `MediaEngine.measureTicksPerSecond()`).
public struct StageCost: Sendable, Equatable {
  /// Which step of the path.
  public let stage: MediaStage
  /// Its name in reports, with what else it does.
  public internal(set) var name: String
  /// Calls that were measured.
  public let callCount: Int
  /// Ticks of all calls together.
  public let totalTicks: UInt64
  /// Ticks that half of the calls stayed within; exact to 6 %, as the next.
  public let medianTicks: UInt64
  /// Ticks that 99 of 100 calls stayed within.
  public let p99Ticks: UInt64
  /// Ticks of the longest call.
  public let worstTicks: UInt64
}

/// For every stage a histogram of its calls by processor ticks.
///
/// The audio thread may neither ask the system for the time nor keep a list that grows. It may read the processor's tick
/// counter, a register, and add one to a bucket: sixteen buckets an octave, so a quantile is exact to 6 %.
struct StageTimes: ~Copyable {
  private static var bucketsPerStage: Int { @_noLocks get { 640 } }  // 40 octaves

  private let isOn: Bool
  private var buckets: FixedBuffer<UInt32>
  private var calls = FixedBuffer<Int>(repeating: 0, count: MediaStage.count)
  private var totals = FixedBuffer<UInt64>(repeating: 0, count: MediaStage.count)
  private var longest = FixedBuffer<UInt64>(repeating: 0, count: MediaStage.count)
  private var lastTick: UInt64 = 0

  /// Switched off, a stage costs one branch.
  init(isOn: Bool) {
    self.isOn = isOn
    buckets = FixedBuffer(repeating: 0, count: isOn ? MediaStage.count * Self.bucketsPerStage : 0)
  }

  /// Begins a run of stages.
  @_noLocks
  mutating func start() {
    if isOn { lastTick = antiphon_ticks() }
  }

  /// Ends `stage`, which began at the last call of this or of `start()`.
  @_noLocks
  mutating func end(_ stage: MediaStage) {
    guard isOn else { return }
    let now = antiphon_ticks()
    note(now &- lastTick, for: stage)
    lastTick = now
  }

  /// Counts a call of `stage` that took `ticks`.
  @_noLocks
  mutating func note(_ ticks: UInt64, for stage: MediaStage) {
    let row = stage.rawValue
    calls[row] &+= 1
    totals[row] &+= ticks
    if ticks > longest[row] { longest[row] = ticks }
    buckets[row &* Self.bucketsPerStage &+ Self.bucket(of: ticks)] &+= 1
  }

  /// The cost of `stage` so far; `nil` before its first call. Not for the audio thread.
  func cost(of stage: MediaStage) -> StageCost? {
    let row = stage.rawValue
    guard isOn, calls[row] > 0 else { return nil }
    return StageCost(
      stage: stage, name: stage.name, callCount: calls[row], totalTicks: totals[row],
      medianTicks: quantile(0.5, row: row),
      p99Ticks: quantile(0.99, row: row), worstTicks: longest[row])
  }

  private func quantile(_ share: Double, row: Int) -> UInt64 {
    let rank = max(1, Int((Double(calls[row]) * share).rounded(.up)))
    var seen = 0
    for index in 0..<Self.bucketsPerStage {
      seen += Int(buckets[row * Self.bucketsPerStage + index])
      if seen >= rank { return min(Self.upperEdge(of: index), longest[row]) }
    }
    return longest[row]
  }

  // Below 16 ticks each value has its bucket; above, the four bits behind the leading one choose it.
  @_noLocks
  private static func bucket(of ticks: UInt64) -> Int {
    guard ticks >= 16 else { return Int(truncatingIfNeeded: ticks) }
    let octave = 63 &- ticks.leadingZeroBitCount
    let step = Int(truncatingIfNeeded: ticks >> UInt64(truncatingIfNeeded: octave &- 4)) & 15
    return min(639, (octave &- 3) &* 16 &+ step)
  }

  private static func upperEdge(of index: Int) -> UInt64 {
    guard index >= 16 else { return UInt64(index) }
    let octave = index / 16 + 3
    return (UInt64(16 + index % 16 + 1) << UInt64(octave - 4)) - 1
  }
}
