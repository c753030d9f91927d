internal import COpus

/// How much of the spectrum an Opus packet codes (RFC 6716 §2, table 1).
public enum OpusBandwidth: UInt8, Hashable, Comparable, Sendable, BitwiseCopyable, CaseIterable {
  /// Up to 4 kHz, as on a telephone.
  case narrowband
  /// Up to 6 kHz; SILK only: where the encoder chooses CELT, it takes `wideband` instead.
  case mediumband
  /// Up to 8 kHz.
  case wideband
  /// Up to 12 kHz.
  case superwideband
  /// Up to 20 kHz.
  case fullband

  /// The upper edge in hertz.
  public var hertz: Int {
    @_noLocks get {
      switch self {
      case .narrowband: 4_000
      case .mediumband: 6_000
      case .wideband: 8_000
      case .superwideband: 12_000
      case .fullband: 20_000
      }
    }
  }

  /// The narrower one is less.
  public static func < (left: OpusBandwidth, right: OpusBandwidth) -> Bool { left.rawValue < right.rawValue }

  var opusValue: Int32 { OPUS_BANDWIDTH_NARROWBAND + Int32(rawValue) }
}

/// How long one Opus frame lasts.
public enum OpusFrameDuration: Int, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  case ms2_5 = 2_500
  case ms5 = 5_000
  case ms10 = 10_000
  case ms20 = 20_000
  case ms40 = 40_000
  case ms60 = 60_000

  /// The duration in microseconds.
  public var microseconds: Int { rawValue }
}
