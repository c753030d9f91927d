/// What an echo canceller is built for; the bulk delay alone can change while it runs.
public struct EchoSettings: Hashable, Sendable {
  /// Whose canceller works inside.
  public enum Engine: Hashable, Sendable, CaseIterable {
    /// Ours: finds the delay itself, follows the echo path with two Kalman filters, and suppresses by a small network.
    case own
    /// SpeexDSP's, a rival to compare with: it must be told the delay.
    case speexDSP
  }

  /// Whose canceller works inside.
  public var engine = Engine.own
  /// How much of the echo path's response is modelled, in ms, 50...500; longer rooms need more and adapt more slowly.
  public var tailMilliseconds = 250
  /// How long after `render` an echo begins at the earliest, in ms, 0...500: the devices' latency less a margin of
  /// about 20 ms. What is removed here need not be modelled by the tail. Our own engine finds the delay itself, up to
  /// 640 ms; to it this is advice.
  public var bulkDelayMilliseconds = 0
  /// The most by which the adaptive filter's residue is turned down while the near end is silent, in dB, 0...90.
  /// 0 here, in double talk and for noise leaves the adaptive filter alone, without delay. Our own engine takes this for
  /// each band, whoever speaks; 0 alone leaves its filter.
  public var residualAttenuation = 40
  /// The same while the near end speaks, in dB, 0...90: more hides echo, less hurts the voice.
  /// Only SpeexDSP needs it: our own engine decides band by band.
  public var residualAttenuationInDoubleTalk = 15
  /// Noise turned down as well, in dB, 0...60. Set it instead of running a `NoiseSuppressor` afterwards: SpeexDSP does it
  /// in the same pass.
  public var noiseAttenuation = 0

  /// 250 ms of tail, no bulk delay, residue down by up to 40 dB, noise untouched.
  public init() {}

  /// Whether anything follows the adaptive filter.
  var suppresses: Bool { residualAttenuation > 0 || residualAttenuationInDoubleTalk > 0 || noiseAttenuation > 0 }

  func validate() throws(EchoError) {
    try check(tailMilliseconds, 50...500, .tailMilliseconds)
    try check(bulkDelayMilliseconds, 0...EchoCanceller.longestBulkDelayMilliseconds, .bulkDelayMilliseconds)
    try check(residualAttenuation, 0...90, .residualAttenuation)
    try check(residualAttenuationInDoubleTalk, 0...90, .residualAttenuationInDoubleTalk)
    try check(noiseAttenuation, 0...60, .noiseAttenuation)
  }

  private func check(_ value: Int, _ limits: ClosedRange<Int>, _ setting: EchoError.Setting) throws(EchoError) {
    guard limits.contains(value) else {
      throw .unsupportedSetting(setting, value: value, lowest: limits.lowerBound, highest: limits.upperBound)
    }
  }
}
