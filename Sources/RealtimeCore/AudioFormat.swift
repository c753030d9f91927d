/// What an audio format may not be, and what to give instead.
public enum AudioFormatError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The rate is outside 1,000 to 768,000 Hz.
  case unsupportedSampleRate(hertz: Int)
  /// The number of channels is outside 1 to 8.
  case unsupportedChannelCount(Int)

  /// What is wrong, and what to give instead.
  public var description: String {
    switch self {
    case .unsupportedSampleRate(let hertz):
      "a sample rate of \(hertz) Hz is outside 1000 to 768000 Hz; give the rate the device or file really has"
    case .unsupportedChannelCount(let count):
      "\(count) channels are outside 1 to 8; mix down or split the channels first"
    }
  }
}

/// Samples per second of one channel, in whole hertz; always within 1,000 to 768,000.
@frozen
public struct SampleRate: Hashable, Comparable, Sendable, BitwiseCopyable, CustomStringConvertible {
  /// The rate in hertz.
  public let hertz: Int

  /// A rate in whole hertz that came from a user, a file or a device.
  public init(hertz: Int) throws(AudioFormatError) {
    guard (1_000...768_000).contains(hertz) else { throw .unsupportedSampleRate(hertz: hertz) }
    self.hertz = hertz
  }

  @inlinable
  init(known hertz: Int) { self.hertz = hertz }

  // Computed, since the audio-path checker counts a global constant's first use as a lock.
  /// 8,000 Hz.
  @inlinable public static var hz8000: SampleRate { SampleRate(known: 8_000) }
  /// 11,025 Hz.
  @inlinable public static var hz11025: SampleRate { SampleRate(known: 11_025) }
  /// 12,000 Hz.
  @inlinable public static var hz12000: SampleRate { SampleRate(known: 12_000) }
  /// 16,000 Hz.
  @inlinable public static var hz16000: SampleRate { SampleRate(known: 16_000) }
  /// 22,050 Hz.
  @inlinable public static var hz22050: SampleRate { SampleRate(known: 22_050) }
  /// 24,000 Hz.
  @inlinable public static var hz24000: SampleRate { SampleRate(known: 24_000) }
  /// 32,000 Hz.
  @inlinable public static var hz32000: SampleRate { SampleRate(known: 32_000) }
  /// 44,100 Hz.
  @inlinable public static var hz44100: SampleRate { SampleRate(known: 44_100) }
  /// 48,000 Hz.
  @inlinable public static var hz48000: SampleRate { SampleRate(known: 48_000) }
  /// 96,000 Hz.
  @inlinable public static var hz96000: SampleRate { SampleRate(known: 96_000) }

  /// Samples in `milliseconds`, rounded down.
  @inlinable
  public func sampleCount(milliseconds: Int) -> Int { hertz &* milliseconds / 1_000 }

  /// How long `sampleCount` samples last, in nanoseconds, rounded down; exact for 292 years at any rate.
  @inlinable
  public func nanoseconds(sampleCount: Int) -> Int64 {
    let whole = Int64(sampleCount / hertz)
    let rest = Int64(sampleCount % hertz)
    return whole &* 1_000_000_000 &+ rest &* 1_000_000_000 / Int64(hertz)
  }

  /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
  @inlinable
  public static func == (left: SampleRate, right: SampleRate) -> Bool { left.hertz == right.hertz }

  /// Whether the left rate is lower.
  @inlinable
  public static func < (left: SampleRate, right: SampleRate) -> Bool { left.hertz < right.hertz }

  /// "48000 Hz".
  public var description: String { "\(hertz) Hz" }
}

/// Sample rate and number of channels of PCM audio; samples are floats in -1...1, interleaved when there are several.
@frozen
public struct AudioFormat: Hashable, Sendable, BitwiseCopyable {
  /// Samples per second of each channel.
  public let sampleRate: SampleRate
  /// 1 to 8.
  public let channelCount: Int

  /// A format; throws when there are no channels or more than 8.
  public init(sampleRate: SampleRate, channelCount: Int = 1) throws(AudioFormatError) {
    guard (1...8).contains(channelCount) else { throw .unsupportedChannelCount(channelCount) }
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// One channel at `sampleRate`.
  @inlinable
  public static func mono(_ sampleRate: SampleRate) -> AudioFormat { AudioFormat(mono: sampleRate) }

  @inlinable
  init(mono sampleRate: SampleRate) {
    self.sampleRate = sampleRate
    channelCount = 1
  }

  /// Whether rate and channels are the same.
  @inlinable
  public static func == (left: AudioFormat, right: AudioFormat) -> Bool {
    left.sampleRate == right.sampleRate && left.channelCount == right.channelCount
  }
}
