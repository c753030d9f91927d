internal import CKernels

/// Follows the powers of far end, microphone and output over the last second of far-end speech.
///
/// A plain window, for an exponential one would see the loud residue of the filter's first second for many more.
struct EchoMeter {
  /// Sums of far end, microphone and output over ten frames each; the fourth lane counts the frames.
  private var blocks = InlineArray<10, SIMD4<Float>>(repeating: SIMD4(repeating: 0))
  private var current = 0

  /// Takes the mean powers of one frame, full scale = 1.
  @_noLocks
  mutating func add(farEnd: Float, nearEnd: Float, output: Float) {
    guard farEnd > Self.quietestFarEnd else { return }
    if blocks[current].w >= 10 {
      current = current == 9 ? 0 : current &+ 1
      blocks[current] = SIMD4(repeating: 0)
    }
    blocks[current] += SIMD4(farEnd, nearEnd, output, 1)
  }

  /// Far end over microphone, in dB; 0 before any far end.
  var echoReturnLoss: Float {
    @_noLocks get {
      let mean = mean
      return decibels(mean.x, over: mean.y)
    }
  }

  /// Microphone over output, in dB; 0 before any far end.
  var echoReturnLossEnhancement: Float {
    @_noLocks get {
      let mean = mean
      return decibels(mean.y, over: mean.z)
    }
  }

  @_noLocks
  mutating func reset() { self = EchoMeter() }

  @_noLocks
  init() {}

  private var mean: SIMD4<Float> {
    @_noLocks get {
      var sum = blocks[0]
      for index in 1..<10 { sum += blocks[index] }
      return sum.w > 0 ? sum * (1 / sum.w) : sum
    }
  }

  /// -50 dBFS: quieter far ends echo below the microphone's own noise. A choice.
  private static var quietestFarEnd: Float { @_noLocks get { 1e-5 } }

  /// One step of 16-bit sound has a power of 1e-9; below that nothing is measured.
  @_noLocks
  private func decibels(_ power: Float, over other: Float) -> Float {
    10 * antiphon_log10f((power + 1e-10) / (other + 1e-10))
  }
}
