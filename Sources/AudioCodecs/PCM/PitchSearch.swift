import RealtimeCore

/// Finds the pitch period at the end of a signal by normalised cross-correlation, first on a quarter of the detail.
///
/// Source: ITU-T G.711 Appendix I §I.2.2: 20 ms of signal against itself 5 to 15 ms earlier. Differs: the coarse step
/// works at about 4 kHz whatever the rate, on averages of neighbouring samples.
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
    historyCount = longest * 13 / 4 + 1
    coarse = SampleBuffer(repeating: 0, count: historyCount / step)
  }

  /// The period in samples, within `shortest...longest`, that best predicts the last 20 ms of `signal`.
  @_noLocks
  mutating func pitch(in signal: borrowing SampleBuffer) -> Int {
    decimate(signal)
    let rough = Self.bestLag(
      in: coarse, window: window / step, from: Swift.max(1, shortest / step), through: longest / step)
    return Self.bestLag(
      in: signal, window: window, from: Swift.max(shortest, (rough &- 1) &* step),
      through: Swift.min(longest, (rough &+ 1) &* step))
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

  /// The lag with the largest correlation in proportion to the energy of the earlier part; the shortest of equals.
  @_noLocks
  private static func bestLag(in signal: borrowing SampleBuffer, window: Int, from first: Int, through last: Int) -> Int
  {
    let start = signal.count &- window
    var best = first
    var bestScore: Float = -.infinity
    var lag = first
    while lag <= last {
      var correlation: Float = 0
      var energy: Float = 1e-6
      for i in start..<signal.count {
        let earlier = signal[i &- lag]
        correlation += signal[i] * earlier
        energy += earlier * earlier
      }
      let score = correlation * correlation.magnitude / energy  // the squares rank as the roots do
      if score > bestScore {
        bestScore = score
        best = lag
      }
      lag &+= 1
    }
    return best
  }
}
