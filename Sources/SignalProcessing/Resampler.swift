internal import CKernels
public import RealtimeCore

/// Changes the sample rate of one channel, as a stream: samples come in pieces of any size, and how they were cut never
/// shows in the output.
///
/// The output's length is exact. Without `skipsLatency`, n input samples give ceil(n · to / from) output samples at once,
/// late by `latencySampleCount`, and `drain(into:)` adds the tail. With it, the filter's delay is cut from the front and
/// the drained total is ceil(n · to / from), aligned with the input in time: the choice for files.
/// Positions are integers and fractions of the reduced rates, so an hour of audio drifts by nothing. Equal rates copy.
/// - Threads: any one at a time; after `init` no call allocates or waits.
public struct Resampler: ~Copyable, Sendable {
  /// How sharp the filter is; sharper costs time and delay.
  ///
  /// Percentages are of the lower of the two Nyquist frequencies. Signal to noise is the worst of tones up to 85 %, from
  /// 48 to 16 kHz and from 44.1 to 48 kHz, where interpolated filter phases limit it; SpeexDSP's levels between and
  /// beyond these add delay without a gain that speech could show.
  public enum Quality: Sendable, CaseIterable {
    /// Flat within 0.02 dB to 80 %, -3 dB at 87 %, aliases below -87 dB, signal to noise 141 and 80 dB; 1.5 ms late from
    /// 48 to 16 kHz. For many calls on one machine.
    case low
    /// Flat within 0.001 dB to 80 %, -3 dB at 91 %, aliases below -105 dB, signal to noise 139 and 102 dB; 2.5 ms late
    /// from 48 to 16 kHz. Beyond 16-bit sound in every figure, at half the delay of `high`.
    case medium
    /// Flat within 0.001 dB to 80 %, -3 dB at 95 %, aliases below -109 dB, signal to noise 136 and 104 dB; 5 ms late from
    /// 48 to 16 kHz. For files, and where the top of the band matters.
    case high

    /// SpeexDSP's level (filter lengths 48, 80 and 160 taps at the lower rate).
    var speexLevel: Int {
      switch self {
      case .low: 3
      case .medium: 5
      case .high: 8
      }
    }
  }

  /// What one call read and wrote.
  @frozen
  public struct Progress: Hashable, Sendable, BitwiseCopyable {
    /// Input samples used; the caller gives the rest again with the next call.
    public let consumed: Int
    /// Output samples written, from the front of the output.
    public let produced: Int

    @_noLocks
    init(consumed: Int, produced: Int) {
      self.consumed = consumed
      self.produced = produced
    }
  }

  /// The rate of the input.
  public let inputRate: SampleRate
  /// The rate of the output.
  public let outputRate: SampleRate
  /// Whether the filter's delay is cut from the front of the output.
  public let skipsLatency: Bool
  /// Input samples that were NaN or infinite; each was taken as 0, for the filter would spread it over its length.
  public private(set) var repairedSampleCount = 0

  private let engine: SpeexResampler  // idle at equal rates
  private let copies: Bool
  private var piece: SampleBuffer
  private let silence: SampleBuffer
  private let filterDelay: Int
  private var undrained: Int
  private var hasInput = false

  /// A resampler for one stream.
  /// - Parameters:
  ///   - quality: sharpness against delay and time.
  ///   - skipsLatency: cuts the filter's delay from the front, for files; live streams leave it and report the latency.
  /// - Throws: `unsupportedRatePair` unless both rates are within 8 to 192 kHz; `outOfMemory`.
  public init(
    from inputRate: SampleRate, to outputRate: SampleRate, quality: Quality = .high, skipsLatency: Bool = false
  ) throws(SignalProcessingError) {
    guard (8_000...192_000).contains(inputRate.hertz), (8_000...192_000).contains(outputRate.hertz) else {
      throw .unsupportedRatePair(from: inputRate, to: outputRate)
    }
    let equal = inputRate == outputRate
    let engine = try SpeexResampler(from: inputRate, to: outputRate, quality: equal ? 0 : quality.speexLevel)
    engine.reset(skippingDelay: skipsLatency)
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.skipsLatency = skipsLatency
    copies = equal
    filterDelay = copies ? 0 : engine.inputDelay
    undrained = filterDelay
    self.engine = engine
    piece = SampleBuffer(repeating: 0, count: Self.chunk)
    silence = SampleBuffer(repeating: 0, count: Self.chunk)
  }

  /// Resamples as much of `input` as `output` has room for.
  ///
  /// With `maximumOutputSampleCount(forInput:)` samples of room, all of `input` is used.
  @_noLocks
  public mutating func process(_ input: borrowing SampleView, into output: inout MutableSpan<Float>) -> Progress {
    let room = output.count
    var consumed = 0
    var produced = 0
    while consumed < input.count && produced < room {
      let count = min(input.count &- consumed, Self.chunk)
      let repairedCount = take(input.extracting(consumed..<consumed &+ count))
      let progress = convert(piece.view(0..<count), into: &output, from: produced)
      if repairedCount > 0 {  // what was not consumed comes again with the next call, and is counted then
        repairedSampleCount &+= Self.unusableCount(input.extracting(consumed..<consumed &+ progress.consumed))
      }
      consumed &+= progress.consumed
      produced &+= progress.produced
    }
    if consumed > 0 { hasInput = true }
    return Progress(consumed: consumed, produced: produced)
  }

  /// Resamples as much of `input` as `output` has room for; for callers that hold a span.
  @_noLocks
  public mutating func process(_ input: Span<Float>, into output: inout MutableSpan<Float>) -> Progress {
    process(SampleView(input), into: &output)
  }

  /// Writes what the filter still holds at the end of a stream; call until it returns 0, then `reset()` for another.
  /// - Returns: how many samples were written, from the front of `output`.
  @_noLocks
  public mutating func drain(into output: inout MutableSpan<Float>) -> Int {
    guard hasInput else { return 0 }  // an empty stream stays empty
    let room = output.count
    var produced = 0
    while undrained > 0 && produced < room {
      let progress = engine.process(silence.view(0..<min(undrained, Self.chunk)), into: &output, from: produced)
      undrained &-= progress.consumed
      produced &+= progress.produced
    }
    return produced
  }

  /// The most output samples that `count` input samples can give: ceil(count · to / from).
  @_noLocks
  public func maximumOutputSampleCount(forInput count: Int) -> Int {
    (count &* outputRate.hertz &+ inputRate.hertz &- 1) / inputRate.hertz
  }

  /// How far the output lies behind the input, in output samples: exact, and mostly not whole. 0 with `skipsLatency`.
  public var latencySampleCount: Double {
    Double(latencyInInputSamples) * Double(outputRate.hertz) / Double(inputRate.hertz)
  }

  /// How far the output lies behind the input, in nanoseconds, rounded down. 0 with `skipsLatency`.
  public var latencyNanoseconds: Int64 { inputRate.nanoseconds(sampleCount: latencyInInputSamples) }

  /// Forgets the stream so far, as after `init`; the count of repaired samples goes on.
  @_noLocks
  public mutating func reset() {
    engine.reset(skippingDelay: skipsLatency)
    undrained = filterDelay
    hasInput = false
  }

  /// Samples handled at once: 10 ms at 48 kHz.
  private static var chunk: Int { 480 }

  private var latencyInInputSamples: Int { skipsLatency ? 0 : filterDelay }

  /// Copies samples to `piece`, without what a filter must not see.
  /// - Returns: how many were not finite.
  @_noLocks
  private mutating func take(_ samples: borrowing SampleView) -> Int {
    piece.copy(samples, to: 0)
    return unsafe Int(antiphon_sanitize(piece.mutablePointer, Self.largestMagnitude, samples.count))
  }

  @_noLocks
  private func convert(
    _ samples: borrowing SampleView, into output: inout MutableSpan<Float>, from start: Int
  ) -> Progress {
    if !copies { return engine.process(samples, into: &output, from: start) }
    let count = min(samples.count, output.count &- start)
    for index in 0..<count { output[start &+ index] = samples[index] }
    return Progress(consumed: count, produced: count)
  }

  @_noLocks
  private static func unusableCount(_ samples: borrowing SampleView) -> Int {
    var count = 0
    for index in 0..<samples.count where !samples[index].isFinite { count &+= 1 }
    return count
  }

  /// 60 dB over full scale: no mix is louder, and the filter's sums stay finite. A choice.
  private static var largestMagnitude: Float { 1_000 }
}
