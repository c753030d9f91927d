/// Where a resampler's next output sample lies in the input: a whole sample and a fraction, both integers, so that
/// nothing is lost however long the stream is.
struct ResamplingPosition {
  /// Parts of an input sample that `fraction` and `step` count.
  let unit: Int
  /// The index of the newest input sample that the next output sample needs.
  var newest: Int
  /// How much further it lies, in parts of a sample, 0..<unit.
  private(set) var fraction = 0
  /// From one output sample to the next, in parts of an input sample.
  private(set) var step: Int
  private let nominalStep: Int

  /// Output sample k lies at input sample newest + k · inputStep / outputStep.
  /// - Parameters:
  ///   - inputStep: the input rate over the rates' common divisor.
  ///   - outputStep: the output rate over it.
  ///   - isAdjustable: divides each part again, as far as 64 bits allow, so that the step can be set finely.
  init(inputStep: Int, outputStep: Int, newest: Int, isAdjustable: Bool) {
    // A unit below 2⁴⁷ leaves room for the samples that one call may cross, up to 2¹⁴.
    let spareBits = isAdjustable ? 47 - (Int.bitWidth - max(inputStep, outputStep).leadingZeroBitCount) : 0
    unit = outputStep << spareBits
    nominalStep = inputStep << spareBits
    step = nominalStep
    self.newest = newest
  }

  /// How many output samples need no input from index `end` on.
  @_noLocks
  func outputCount(before end: Int) -> Int {
    newest >= end ? 0 : ((end &- newest) &* unit &- fraction &- 1) / step &+ 1
  }

  /// Passes `count` output samples.
  @_noLocks
  mutating func advance(_ count: Int) {
    let total = fraction &+ count &* step
    newest &+= total / unit
    fraction = total % unit
  }

  /// Back to the beginning of a stream, at the step that is set.
  @_noLocks
  mutating func restart(newest: Int) {
    self.newest = newest
    fraction = 0
  }

  /// Makes each step longer by `partsPerMillion`, from the next output sample on.
  @_noLocks
  mutating func adjust(partsPerMillion: Double) {
    step = Int(Double(nominalStep) * (1 + partsPerMillion * 1e-6) + 0.5)
  }
}
