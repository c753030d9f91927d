public import AudioCodecs
public import EchoControl
public import RTPTransport
public import RealtimeCore
public import SignalProcessing

/// Why an engine could not be made, and what to change.
public enum MediaEngineError: Error, Sendable, CustomStringConvertible {
  /// The engine works inside at 16, 24 or 48 kHz.
  case unsupportedEngineRate(SampleRate)
  /// A setting, by its path in `MediaEngineSettings`, with the value that it has and those that it may have.
  case unusableSetting(String, value: String, allowed: String)
  /// A codec could not be made.
  case codec(CodecError)
  /// A resampler, suppressor, gain or level display could not be made.
  case signal(SignalProcessingError)
  /// The echo canceller could not be made.
  case echo(EchoError)
  /// A key does not fit, or libsrtp does not start.
  case security(SRTPError)

  /// What is wrong, with the offending value, and what to do.
  public var description: String {
    switch self {
    case .unsupportedEngineRate(let rate): "the engine cannot work at \(rate); give 16000, 24000 or 48000 Hz"
    case .unusableSetting(let name, let value, let allowed): "the setting \(name) is \(value); give \(allowed)"
    case .codec(let error): "\(error)"
    case .signal(let error): "\(error)"
    case .echo(let error): "\(error)"
    case .security(let error): "\(error)"
    }
  }
}
