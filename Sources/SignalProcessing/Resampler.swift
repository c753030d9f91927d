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
  /// Whose filter works inside.
  public enum Engine: Sendable, CaseIterable {
    /// Ours: a bank of windowed sincs, each output sample one dot product.
    case polyphase
    /// SpeexDSP's, at its levels 3, 5 and 10: a rival to compare with. It cannot be adjusted.
    case speexDSP
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
  /// Whether `adjust(partsPerMillion:)` may be called.
  public let isAdjustable: Bool
  /// Input samples that were NaN or infinite; each was taken as 0, for the filter would spread it over its length.
  public private(set) var repairedSampleCount = 0

  private var polyphase: PolyphaseResampler?  // one of the two, or none: equal rates copy
  private let speex: SpeexResampler?
  private var piece: SampleBuffer
  private let silence: SampleBuffer
  private let filterDelay: Int
  private var undrained: Int
  private var hasInput = false

  /// A resampler for one stream.
  /// - Parameters:
  ///   - quality: sharpness against delay and time.
  ///   - skipsLatency: cuts the filter's delay from the front and does not limit its length in time, for files; live
  ///     streams leave it and report the latency.
  ///   - isAdjustable: makes room for `adjust(partsPerMillion:)`; costs up to seven times the time of a fixed ratio. Equal
  ///     rates then have the filter's delay too, and are an exact, late copy until the first adjustment.
  ///   - engine: whose filter to use; SpeexDSP's cannot be adjusted.
  /// - Throws: `unsupportedRatePair` unless both rates are within 8 to 192 kHz; `outOfMemory`.
  public init(
    from inputRate: SampleRate, to outputRate: SampleRate, quality: Quality = .medium, skipsLatency: Bool = false,
    isAdjustable: Bool = false, engine: Engine = .polyphase
  ) throws(SignalProcessingError) {
    precondition(
      !isAdjustable || engine != .speexDSP, "Resampler: an engine of \(engine) with isAdjustable \(isAdjustable)")
    guard (8_000...192_000).contains(inputRate.hertz), (8_000...192_000).contains(outputRate.hertz) else {
      throw .unsupportedRatePair(from: inputRate, to: outputRate)
    }
    let copies = inputRate == outputRate && !isAdjustable
    let speex =
      copies || engine == .polyphase
      ? nil
      : try SpeexResampler(
        from: inputRate, to: outputRate, quality: quality.speexLevel, skipsDelay: skipsLatency)
    let polyphase =
      copies || engine == .speexDSP
      ? nil
      : PolyphaseResampler(
        from: inputRate, to: outputRate, quality: quality, largestInput: Self.chunk, skipsDelay: skipsLatency,
        isAdjustable: isAdjustable)
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.skipsLatency = skipsLatency
    self.isAdjustable = isAdjustable
    filterDelay = Self.delay(of: polyphase, speex)
    self.polyphase = polyphase
    self.speex = speex
    undrained = filterDelay
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
      let progress = Self.convert(piece, count: count, by: &polyphase, speex, into: &output, from: produced)
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
      let progress = Self.convert(
        silence, count: min(undrained, Self.chunk), by: &polyphase, speex, into: &output, from: produced)
      undrained &-= progress.consumed
      produced &+= progress.produced
    }
    return produced
  }

  /// The most output samples that `count` input samples can give: ceil(count · to / from); when adjustable, with the
  /// slowest input, 0.1 % and 1 more.
  @_noLocks
  public func maximumOutputSampleCount(forInput count: Int) -> Int {
    let nominal = (count &* outputRate.hertz &+ inputRate.hertz &- 1) / inputRate.hertz
    return isAdjustable ? nominal &+ nominal / 990 &+ 2 : nominal
  }

  /// Follows a clock: makes the input's rate `partsPerMillion` higher than `inputRate` says, as counted by the output's
  /// clock. Positive values give fewer output samples. Takes effect with the next output sample, without a click; any
  /// number of times. Limited to ±1,000; a value that is not a number is ignored. Traps unless `isAdjustable`.
  @_noLocks
  public mutating func adjust(partsPerMillion: Double) {
    precondition(isAdjustable)
    guard partsPerMillion.isFinite else { return }
    polyphase?.adjust(
      partsPerMillion: max(-Self.largestAdjustment, min(Self.largestAdjustment, partsPerMillion)))
  }

  /// How far the output lies behind the input, in output samples: exact, and mostly not whole. 0 with `skipsLatency`.
  public var latencySampleCount: Double {
    Double(latencyInInputSamples) * Double(outputRate.hertz) / Double(inputRate.hertz)
  }

  /// How far the output lies behind the input, in nanoseconds, rounded down. 0 with `skipsLatency`.
  public var latencyNanoseconds: Int64 { inputRate.nanoseconds(sampleCount: latencyInInputSamples) }

  /// Forgets the stream so far, as after `init`; the adjustment and the count of repaired samples stay.
  @_noLocks
  public mutating func reset() {
    polyphase?.reset()
    speex?.reset()
    undrained = filterDelay
    hasInput = false
  }

  private static var largestAdjustment: Double { 1_000 }

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

  // Static, since a view of one property would hold on to all of self.
  @_noLocks
  private static func convert(
    _ samples: borrowing SampleBuffer, count: Int, by polyphase: inout PolyphaseResampler?,
    _ speex: borrowing SpeexResampler?, into output: inout MutableSpan<Float>, from start: Int
  ) -> Progress {
    if let progress = polyphase?.process(samples.view(0..<count), into: &output, from: start) { return progress }
    switch speex {
    case .some(let speex): return speex.process(samples.view(0..<count), into: &output, from: start)
    case .none:
      let copied = min(count, output.count &- start)
      for index in 0..<copied { output[start &+ index] = samples[index] }
      return Progress(consumed: copied, produced: copied)
    }
  }

  private static func delay(of polyphase: borrowing PolyphaseResampler?, _ speex: borrowing SpeexResampler?) -> Int {
    switch polyphase {
    case .some(let polyphase): return polyphase.inputDelay
    case .none: break
    }
    switch speex {
    case .some(let speex): return speex.inputDelay
    case .none: return 0
    }
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
