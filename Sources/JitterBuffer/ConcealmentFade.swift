import RealtimeCore

/// Lets a long concealment end in silence.
///
/// What a decoder prolongs beyond a syllable is no speech any more; a listener takes silence for what it is, a bad line.
struct ConcealmentFade: Sendable, BitwiseCopyable {
  /// Samples concealed in one run before the fade begins: 120 ms.
  let start: Int
  /// Samples after which there is silence: 320 ms.
  let end: Int

  init(sampleRate: SampleRate) {
    start = sampleRate.sampleCount(milliseconds: 120)
    end = sampleRate.sampleCount(milliseconds: 320)
  }

  /// Scales the first `count` samples of `samples`, which follow on `run` concealed ones.
  @_noLocks
  func apply(to samples: inout SampleBuffer, count: Int, after run: Int) {
    guard run &+ count > start else { return }
    for index in 0..<count {
      let left = Float(end &- run &- index) / Float(end &- start)
      samples[index] *= max(0, min(1, left))
    }
  }
}
