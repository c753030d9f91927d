public import AudioCodecs

/// Why a jitter buffer could not be made, and what to change.
public enum JitterBufferError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A number in the settings is outside its range; its name, the number and the range.
  case settingOutOfRange(Setting, given: Double, allowed: ClosedRange<Double>)
  /// The decoder refused; see the error.
  case codec(CodecError)

  /// The setting that is wrong.
  public enum Setting: String, Sendable {
    case minimumDelayMilliseconds, maximumDelayMilliseconds, initialDelayMilliseconds, millisecondsPerLatePercent
    case packetCapacity, maximumPayloadSize
  }

  /// What is wrong and what is allowed, in English.
  public var description: String {
    switch self {
    case .settingOutOfRange(let name, let given, let allowed):
      "\(name.rawValue) is \(given), outside \(allowed.lowerBound) to \(allowed.upperBound)"
    case .codec(let error): error.description
    }
  }
}
