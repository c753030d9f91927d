internal import CKernels
internal import RealtimeCore

/// A resampler's filter, sampled at the places where output samples can lie between two input samples.
///
/// For a ratio of small whole numbers these places are few, and each has its row. Otherwise there are enough rows that
/// the cubic through four of them gives the one between. Every row lets a constant through unchanged.
struct PolyphaseBank: ~Copyable, Sendable {
  /// How far, in input samples, an output sample lies behind the newest input sample that it uses.
  let inputDelay: Int
  /// Coefficients in a row: each output sample looks at so many input samples.
  let tapCount: Int
  /// Whether rows are interpolated.
  let isInterpolated: Bool
  private var rows: SampleBuffer
  private let phaseCount: Int

  /// - Parameters:
  ///   - inputStep: the input rate over the rates' common divisor.
  ///   - outputStep: the output rate over it.
  ///   - filter: in samples of the lower rate.
  ///   - isAdjustable: makes a bank that serves every ratio near this one.
  init(inputStep: Int, outputStep: Int, filter: KaiserSinc, isAdjustable: Bool) {
    let slowing = max(1, Double(inputStep) / Double(outputStep))  // input samples to a sample of the lower rate
    let inputDelay = Int(filter.halfLength * slowing)
    let tapCount = (2 * inputDelay + 15) / 16 * 16
    isInterpolated = isAdjustable || outputStep * tapCount > Self.largestExactBank
    phaseCount = isInterpolated ? Self.interpolatedPhaseCount(slowing) : outputStep
    rows = SampleBuffer(repeating: 0, count: (phaseCount + (isInterpolated ? 3 : 0)) * tapCount)
    self.inputDelay = inputDelay
    self.tapCount = tapCount
    fillRows(with: filter, slowing: slowing)
  }

  private mutating func fillRows(with filter: KaiserSinc, slowing: Double) {
    var row = FixedBuffer<Double>(repeating: 0, count: 2 * inputDelay)
    for index in 0..<rows.count / tapCount {
      let phase = Double(isInterpolated ? index - 1 : index) / Double(phaseCount)
      var sum = 0.0
      for tap in 0..<row.count {
        let time = Double(tap - inputDelay + 1) - phase
        // An exact row for phase 0 reaches the window's end on one side only; without that tap it is symmetric.
        let isAtTheEnd = !isInterpolated && time == Double(inputDelay)
        row[tap] = isAtTheEnd ? 0 : filter.value(at: time / slowing)
        sum += row[tap]
      }
      // Zeros fill the row up at its old end, where there is always input to multiply them with.
      let start = (index + 1) * tapCount - row.count
      for tap in 0..<row.count { rows[start + tap] = Float(row[tap] / sum) }
    }
  }

  /// Computes `count` output samples from `position` on into `output`, from `start` on. `input` begins with what the
  /// first of them needs, and holds what the last one needs.
  @_noLocks
  func apply(
    to input: borrowing SampleView, at position: ResamplingPosition, into output: inout MutableSpan<Float>,
    from start: Int, count: Int
  ) {
    precondition(count > 0 && start >= 0)
    let last = (position.fraction &+ (count &- 1) &* position.step) / position.unit
    let room = output.count
    precondition(last &+ tapCount <= input.count && count <= room &- start)
    let target = unsafe output.mutablePointer + start
    var bank = unsafe antiphon_filter_bank(rows: rows.view.pointer, taps: tapCount, phases: phaseCount)
    if isInterpolated {
      unsafe antiphon_polyphase_between(
        &bank, input.pointer, Int64(position.fraction), Int64(position.step), Int64(position.unit), target, count)
    } else {
      unsafe antiphon_polyphase(&bank, input.pointer, position.fraction, position.step, target, count)
    }
  }

  /// At most this many coefficients are kept for a ratio of whole numbers: 256 KiB, half a second-level cache. Beyond it
  /// the interpolated bank is smaller, and soon faster.
  private static var largestExactBank: Int { 65_536 }

  /// At least 128 rows to a sample of the lower rate: the cubic then errs by less than -150 dB.
  private static func interpolatedPhaseCount(_ slowing: Double) -> Int {
    var count = 128
    while Double(count) * slowing >= 256 { count /= 2 }
    return count
  }
}
