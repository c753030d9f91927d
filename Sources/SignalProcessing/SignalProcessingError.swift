public import RealtimeCore

/// Why a stage of this module cannot be set up, and what to give instead. No processing call throws.
public enum SignalProcessingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The stage does not work at this rate; resample to one within the limits.
  case unsupportedSampleRate(SampleRate, lowest: SampleRate, highest: SampleRate)
  /// The resampler does not work at one of these rates; give two within 8 to 192 kHz.
  case unsupportedRatePair(from: SampleRate, to: SampleRate)
  /// The stage cannot take frames of this many samples; the stage's documentation names those it can.
  case unsupportedFrameLength(Int)
  /// The transform has no such length; built-in lengths are powers of two, FFTW takes any even number.
  case unsupportedTransformLength(Int, lowest: Int, highest: Int)
  /// More or fewer bands than can be shown.
  case unsupportedBandCount(Int, lowest: Int, highest: Int)
  /// Band edges in hertz that do not rise, or that leave 0 to half the sample rate.
  case unsupportedFrequencyRange(lowest: Float, highest: Float, limit: Float)
  /// A level range in dBFS whose top is not above its floor, or that is not finite.
  case unsupportedLevelRange(floor: Float, ceiling: Float)
  /// A time in milliseconds, or a level in dB, outside what the setting allows.
  case unsupportedSetting(Float, lowest: Float, highest: Float)
  /// There is no memory for the stage's tables and state.
  case outOfMemory
  /// The library behind the stage refused with a code of its own.
  case library(code: Int32)

  /// The cause with its numbers, and what to do, in one line.
  public var description: String {
    switch self {
    case .unsupportedSampleRate(let rate, let lowest, let highest):
      "a sample rate of \(rate) is outside \(lowest) to \(highest) of this stage; resample first"
    case .unsupportedRatePair(let from, let to):
      "no resampling from \(from) to \(to); both rates must be within 8000 to 192000 Hz"
    case .unsupportedFrameLength(let count):
      "a frame of \(count) samples is not one this stage can take; give 10 ms at its sample rate"
    case .unsupportedTransformLength(let length, let lowest, let highest):
      "no transform of \(length) samples; give a power of two (with FFTW, an even number) from \(lowest) to \(highest)"
    case .unsupportedBandCount(let count, let lowest, let highest):
      "\(count) bands are outside \(lowest) to \(highest)"
    case .unsupportedFrequencyRange(let lowest, let highest, let limit):
      "bands from \(lowest) to \(highest) Hz are not possible; the edges must rise, from above 0 up to \(limit) Hz"
    case .unsupportedLevelRange(let floor, let ceiling):
      "a level range of \(floor) to \(ceiling) dBFS is not possible; both must be finite and the second the larger one"
    case .unsupportedSetting(let value, let lowest, let highest):
      "a setting of \(value) is outside \(lowest) to \(highest)"
    case .outOfMemory:
      "there is no memory for this stage; free some and try again"
    case .library(let code):
      "the library behind this stage refused with code \(code)"
    }
  }
}
