public import RealtimeCore

/// Why an echo canceller cannot be set up, and what to give instead. No processing call throws.
public enum EchoError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The canceller does not work at this rate; resample to one within the limits.
  case unsupportedSampleRate(SampleRate, lowest: SampleRate, highest: SampleRate)
  /// 10 ms are no whole number of samples at this rate; resample to one where they are.
  case unsupportedFrameLength(SampleRate)
  /// A setting, by its name in `EchoSettings`, outside its limits.
  case unsupportedSetting(Setting, value: Int, lowest: Int, highest: Int)
  /// There is no memory for the filter.
  case outOfMemory

  /// The settings that have limits.
  public enum Setting: String, Sendable {
    case tailMilliseconds, bulkDelayMilliseconds, residualAttenuation, residualAttenuationInDoubleTalk
    case noiseAttenuation
  }

  /// What was wrong, and what to give instead.
  public var description: String {
    switch self {
    case .unsupportedSampleRate(let rate, let lowest, let highest):
      "the echo canceller takes \(lowest) to \(highest), not \(rate); resample first"
    case .unsupportedFrameLength(let rate):
      "10 ms at \(rate) are no whole number of samples; resample first"
    case .unsupportedSetting(let setting, let value, let lowest, let highest):
      "the echo setting \(setting.rawValue) of \(value) is outside \(lowest) to \(highest)"
    case .outOfMemory:
      "there is no memory for the echo canceller; free some or choose a shorter tail"
    }
  }
}
