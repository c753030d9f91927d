import RealtimeCore

/// Joins a decoded signal to a concealment that does not lead into it by itself.
///
/// The concealment is prolonged by the caller (the tail); the new signal is moved by a few milliseconds to where it is
/// most like the tail, and the two are cross-faded.
/// - Source: NetEq's Merge; the tail here comes from the decoder instead of repeated history.
struct SignalJoin: Sendable, BitwiseCopyable {
  /// Length of the cross-fade in samples: 5 ms.
  let fadeCount: Int
  /// The farthest the new signal may be moved either way: 5 ms, half a period of 100 Hz.
  let reach: Int
  let coarseStep: Int

  init(sampleRate: SampleRate) {
    fadeCount = sampleRate.hertz / 200
    reach = sampleRate.hertz / 200
    coarseStep = max(1, sampleRate.hertz / 12_000)
  }

  /// Cross-fades from the first `tailCount` samples of `tail` to `signal`, in place in `signal`.
  /// - Parameter wanted: the sample of `signal` that should come first.
  /// - Parameter count: how many samples of `signal` there are.
  /// - Returns: the sample of `signal` that comes first; from there to `count` it is ready to play.
  @_noLocks
  func join(_ tail: borrowing SampleBuffer, _ tailCount: Int, to signal: inout SampleBuffer, wanted: Int, count: Int)
    -> Int
  {
    let fade = min(fadeCount, min(tailCount, count &- wanted))
    guard fade > 0 else { return wanted }
    let lowest = max(0, wanted &- reach)
    let highest = max(wanted, min(wanted &+ reach, count &- fade))
    let found = SignalSimilarity.best(
      tail.view, at: 0, signal.view, at: 0, lags: lowest..<highest &+ 1, count: fade, coarseStep: coarseStep)
    // Unlike signals gain nothing from a shift.
    let first = found.correlation > 0.3 ? found.lag : wanted
    for index in 0..<fade {
      let weight = (Float(index) + 0.5) / Float(fade)
      let old = tail[index]
      signal[first &+ index] = old + (signal[first &+ index] - old) * weight
    }
    return first
  }
}
