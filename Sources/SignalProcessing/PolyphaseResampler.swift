internal import RealtimeCore

/// Our resampler for one channel: keeps the input that the filter still needs and lets the bank compute.
///
/// Output sample k belongs to input time k · from / to, less the filter's delay. Each is computed by itself, from its
/// own position and in one fixed order of additions, so how a stream was cut cannot show.
/// - Threads: any one at a time.
/// - Source: Crochiere & Rabiner 1983, "Multirate Digital Signal Processing", chapter 4.
struct PolyphaseResampler: ~Copyable, Sendable {
  private let bank: PolyphaseBank
  private var position: ResamplingPosition
  private var history: SampleBuffer
  private var filled: Int  // samples of `history` that are input already consumed; never more than position.newest
  private let firstNewest: Int

  /// - Parameters:
  ///   - largestInput: samples that one call gives at most.
  ///   - skipsDelay: begins with the output sample that belongs to the first input sample.
  init(
    from inputRate: SampleRate, to outputRate: SampleRate, quality: Resampler.Quality, largestInput: Int,
    skipsDelay: Bool, isAdjustable: Bool
  ) {
    let divisor = Self.greatestCommonDivisor(inputRate.hertz, outputRate.hertz)
    let (inputStep, outputStep) = (inputRate.hertz / divisor, outputRate.hertz / divisor)
    bank = PolyphaseBank(
      inputStep: inputStep, outputStep: outputStep,
      filter: quality.filter(from: inputRate, to: outputRate, isLive: !skipsDelay), isAdjustable: isAdjustable)
    filled = bank.tapCount - 1
    firstNewest = filled + (skipsDelay ? bank.inputDelay : 0)
    position = ResamplingPosition(
      inputStep: inputStep, outputStep: outputStep, newest: firstNewest, isAdjustable: isAdjustable)
    // Twice the input of a call, so that the history moves to the front now and then, not with every small piece.
    history = SampleBuffer(repeating: 0, count: filled + 2 * largestInput)
  }

  /// How far, in input samples, an output sample lies behind the input that it stands for.
  var inputDelay: Int { @_noLocks get { bank.inputDelay } }

  /// Takes samples until `input` or the room in `output` from `start` on is used up. Finite input only.
  @_noLocks
  mutating func process(
    _ input: borrowing SampleView, into output: inout MutableSpan<Float>, from start: Int
  ) -> Resampler.Progress {
    if history.count &- filled < input.count { discardWhatNoOutputNeeds() }
    history.copy(input, to: filled)
    let end = filled &+ input.count
    let room = output.count &- start
    let count = min(position.outputCount(before: end), room)
    if count > 0 {
      let first = position.newest &- bank.tapCount &+ 1
      bank.apply(to: history.view(first..<end), at: position, into: &output, from: start, count: count)
      position.advance(count)
    }
    // With the room used up, the input that the next output sample begins with stays with the caller.
    let consumed = min(input.count, position.newest &- filled)
    filled &+= consumed
    return Resampler.Progress(consumed: consumed, produced: count)
  }

  /// Makes the input's clock fast by `partsPerMillion` from the next output sample on; the position goes on smoothly.
  @_noLocks
  mutating func adjust(partsPerMillion: Double) { position.adjust(partsPerMillion: partsPerMillion) }

  /// Back to the state after `init`, but for the adjustment.
  @_noLocks
  mutating func reset() {
    filled = bank.tapCount &- 1
    history.fill(0..<filled, with: 0)
    position.restart(newest: firstNewest)
  }

  @_noLocks
  private mutating func discardWhatNoOutputNeeds() {
    let shift = min(position.newest &- bank.tapCount &+ 1, filled)
    history.move(shift..<filled, to: 0)
    filled &-= shift
    position.newest &-= shift
  }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
  }
}
