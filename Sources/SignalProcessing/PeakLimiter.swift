/// Keeps samples within a ceiling without looking ahead: turns down at once, comes back over 100 ms.
///
/// The gain falls to what the present sample needs, so none exceeds the ceiling; no delay is added.
struct PeakLimiter: Sendable {
  private let ceiling: Float
  private let release: Float  // share of the way back to 1 per sample
  private(set) var gain: Float = 1

  init(ceiling: Float, sampleRate: Float) {
    self.ceiling = ceiling
    release = 1 / (0.1 * sampleRate)
  }

  /// The limited sample.
  @_noLocks
  mutating func limit(_ sample: Float) -> Float {
    gain += release * (1 - gain)
    let size = abs(sample)
    if size * gain > ceiling { gain = ceiling / size }
    return max(-ceiling, min(ceiling, sample * gain))  // the outer limits catch the last bit's rounding
  }

  @_noLocks
  mutating func reset() { gain = 1 }
}
