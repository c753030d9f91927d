internal import RealtimeCore

/// Follows the noise in each band of `SpeechBands`: the minimum of the smoothed power over the last 1.6 s.
///
/// Speech leaves gaps in every band within that time, steady noise does not.
/// - Source: minimum statistics, Martin 2001. Differs: a fixed correction of the minimum's bias per band.
struct NoiseFloor: Sendable {
  private var smoothed = SIMD8<Float>(repeating: 0)
  private var current = SIMD8<Float>(repeating: .infinity)
  private var history: FixedHistory
  private var frameCount = 0
  private let bias: SIMD8<Float>

  init() {
    history = FixedHistory()
    var bias = SIMD8<Float>(repeating: 1)
    for band in 0..<SpeechBands.count {
      // A minimum lies below the mean by what the estimate varies: 2 · bandwidth · time degrees of freedom, 10 ms
      // frames, nine of which the smoothing below amounts to. 2.9: the mean then comes out right for white noise.
      let bandwidth = SpeechBands.edges[band + 1] - SpeechBands.edges[band]
      bias[band] += 2.9 / Float(2 * bandwidth * 0.01 * 9).squareRoot()
    }
    self.bias = bias
  }

  /// Takes one frame's band powers, which must be above 0.
  /// - Returns: the noise power in each band.
  @_noLocks
  mutating func update(_ powers: SIMD8<Float>) -> SIMD8<Float> {
    if frameCount == 0 { smoothed = powers }
    smoothed += 0.2 * (powers - smoothed)
    current = pointwiseMin(current, smoothed)
    let noise = pointwiseMin(history.minimum, current) * bias
    frameCount &+= 1
    if frameCount % Self.sectionLength == 0 {
      history.push(current)
      current = SIMD8(repeating: .infinity)
    }
    return noise
  }

  @_noLocks
  mutating func reset() {
    history = FixedHistory()
    current = SIMD8(repeating: .infinity)
    frameCount = 0
  }

  /// Frames whose minimum is kept as one number: 200 ms; eight of them make the window.
  private static var sectionLength: Int { @_noLocks get { 20 } }
}

/// The last eight sections' minima.
private struct FixedHistory: Sendable {
  private var sections: InlineArray<8, SIMD8<Float>> = InlineArray(repeating: SIMD8(repeating: .infinity))
  private var next = 0

  @_noLocks
  init() {}

  @_noLocks
  mutating func push(_ minimum: SIMD8<Float>) {
    sections[next] = minimum
    next = (next &+ 1) % 8
  }

  var minimum: SIMD8<Float> {
    @_noLocks get {
      var least = sections[0]
      for index in 1..<8 { least = pointwiseMin(least, sections[index]) }
      return least
    }
  }
}
