import RealtimeCore

/// Finds the pitch period at the end of a signal by normalised cross-correlation, first on a quarter of the detail.
///
/// Source: ITU-T G.711 Appendix I §I.2.2: 20 ms of signal against itself 5 to 15 ms earlier. Differs: the coarse step
/// works at about 4 kHz whatever the rate, on averages of neighbouring samples, and the result has a fraction: at 8 kHz
/// half a sample is a quarter of a cycle at 4 kHz, and the error grows with each repetition.
struct PitchSearch: ~Copyable, Sendable {
  /// The least and the longest period in samples: 5 and 15 ms.
  let shortest: Int
  let longest: Int
  /// Samples compared: 20 ms.
  private let window: Int
  /// Full-rate samples to each coarse one.
  private let step: Int
  private var coarse: SampleBuffer

  /// Samples that a signal to be searched or repeated has: three and a quarter of the longest period.
  let historyCount: Int

  init(sampleRate: SampleRate) {
    shortest = sampleRate.hertz * 5 / 1_000
    longest = sampleRate.hertz * 15 / 1_000
    window = sampleRate.hertz * 20 / 1_000
    step = Swift.max(1, sampleRate.hertz / 4_000)
    historyCount = longest * 13 / 4 + 4  // and the neighbours that interpolation needs
    coarse = SampleBuffer(repeating: 0, count: historyCount / step)
  }

  /// The period in samples, within `shortest...longest`, that best predicts the last 20 ms of `signal`.
  @_noLocks
  mutating func pitch(in signal: borrowing SampleBuffer) -> Float {
    decimate(signal)
    let rough = Self.bestLag(
      in: coarse, window: window / step, from: Swift.max(1, shortest / step), through: longest / step)
    let best = Self.bestLag(
      in: signal, window: window, from: Swift.max(shortest, (rough &- 1) &* step),
      through: Swift.min(longest, (rough &+ 1) &* step))
    if best == shortest || best == longest { return Float(best) }
    // The vertex of the parabola through the best score and its neighbours.
    let below = Self.score(of: best &- 1, in: signal, window: window)
    let above = Self.score(of: best &+ 1, in: signal, window: window)
    let peak = Self.score(of: best, in: signal, window: window)
    let curvature = below - 2 * peak + above
    if curvature >= 0 { return Float(best) }
    return Float(best) + Swift.max(-0.5, Swift.min(0.5 * (below - above) / curvature, 0.5))
  }

  @_noLocks
  private mutating func decimate(_ signal: borrowing SampleBuffer) {
    let offset = signal.count &- coarse.count &* step
    for i in 0..<coarse.count {
      var sum: Float = 0
      for k in 0..<step { sum += signal[offset &+ i &* step &+ k] }
      coarse[i] = sum
    }
  }

  /// The lag with the highest score; the shortest of equals.
  @_noLocks
  private static func bestLag(
    in signal: borrowing SampleBuffer, window: Int, from first: Int, through last: Int
  ) -> Int {
    var best = first
    var bestScore = score(of: first, in: signal, window: window)
    var lag = first &+ 1
    while lag <= last {
      let score = score(of: lag, in: signal, window: window)
      if score > bestScore {
        bestScore = score
        best = lag
      }
      lag &+= 1
    }
    return best
  }

  /// The correlation of the last `window` samples with those `lag` earlier, squared with its sign, in proportion to the
  /// energy of the earlier ones. The squares rank as the roots do.
  @_noLocks
  private static func score(of lag: Int, in signal: borrowing SampleBuffer, window: Int) -> Float {
    var correlation: Float = 0
    var energy: Float = 1e-6
    for i in signal.count &- window..<signal.count {
      let earlier = signal[i &- lag]
      correlation += signal[i] * earlier
      energy += earlier * earlier
    }
    return correlation * correlation.magnitude / energy
  }
}
