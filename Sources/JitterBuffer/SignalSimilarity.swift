internal import CKernels
import RealtimeCore

/// How alike two stretches of one signal are, and the lag at which they are most alike.
struct SignalSimilarity: Sendable, BitwiseCopyable {
  /// Samples from one stretch to the other.
  var lag = 0
  /// Normalized cross-correlation, -1...1; 0 when one of them is silent.
  var correlation: Float = 0

  @_noLocks
  init(lag: Int, correlation: Float) {
    self.lag = lag
    self.correlation = correlation
  }

  /// Compares `count` samples from `first` on with as many from `second` on.
  /// - Parameter step: only every `step`-th sample is looked at.
  @_noLocks
  static func correlation(
    _ signal: borrowing SampleView, at first: Int, _ other: borrowing SampleView, at second: Int, count: Int,
    step: Int = 1
  ) -> Float {
    var product: Float = 0
    var firstEnergy: Float = 1e-9
    var secondEnergy: Float = 1e-9
    var index = 0
    while index < count {
      let a = signal[first &+ index]
      let b = other[second &+ index]
      product += a * b
      firstEnergy += a * a
      secondEnergy += b * b
      index &+= step
    }
    return product / antiphon_sqrtf(firstEnergy * secondEnergy)
  }

  /// The lag in `lags` for which `other` from `second + lag` on is most like `signal` from `first` on.
  ///
  /// A coarse pass looks at every fourth lag and sample (12 kHz at a rate of 48 kHz: the pitch is far below), a fine
  /// one at the neighbours of the best.
  /// - Parameter coarseStep: 1 for the whole search at full resolution.
  @_noLocks
  static func best(
    _ signal: borrowing SampleView, at first: Int, _ other: borrowing SampleView, at second: Int, lags: Range<Int>,
    count: Int, coarseStep: Int
  ) -> SignalSimilarity {
    var best = SignalSimilarity(lag: lags.lowerBound, correlation: -2)
    var lag = lags.lowerBound
    while lag < lags.upperBound {
      let found = correlation(signal, at: first, other, at: second &+ lag, count: count, step: coarseStep)
      if found > best.correlation { best = SignalSimilarity(lag: lag, correlation: found) }
      lag &+= coarseStep
    }
    guard coarseStep > 1 else { return best }
    let from = max(lags.lowerBound, best.lag &- coarseStep &+ 1)
    let to = min(lags.upperBound, best.lag &+ coarseStep)
    best.correlation = -2
    lag = from
    while lag < to {
      let found = correlation(signal, at: first, other, at: second &+ lag, count: count)
      if found > best.correlation { best = SignalSimilarity(lag: lag, correlation: found) }
      lag &+= 1
    }
    return best
  }
}
