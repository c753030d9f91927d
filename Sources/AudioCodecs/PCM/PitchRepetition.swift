import RealtimeCore

/// The endless continuation of a signal by its last pitch periods: position, number of periods and fade.
///
/// A cycle is the last 1, 2 or 3 periods of the signal. The last quarter period of a cycle is faded into what comes
/// before the cycle's start, so that it closes without a step.
struct PitchRepetition: BitwiseCopyable, Sendable {
  /// The period in samples, with a fraction.
  private var pitch: Float = 1
  private var quarter = 0
  /// Samples made so far.
  private var made = 0
  private var periods = 1
  private var position: Float = 0
  /// The cycle that is being left for a longer one, and how many samples both still sound.
  private var formerPeriods = 1
  private var formerPosition: Float = 0
  private var overlap = 0
  /// Difference between the last sample played and the one that the repetition would have there.
  private var step: Float = 0
  private var tenMilliseconds = 1

  @_noLocks
  init() {}

  @_noLocks
  init(pitch: Float, source: borrowing SampleBuffer, sampleRate: SampleRate) {
    self.pitch = pitch
    quarter = Swift.max(1, Int(pitch) / 4)
    tenMilliseconds = Swift.max(1, sampleRate.hertz / 100)
    step = source[source.count &- 1] - Self.interpolated(source, at: Float(source.count &- 1) - pitch)
  }

  /// The next sample, -1...1; `source` is the signal given at the start.
  @_noLocks
  mutating func next(from source: borrowing SampleBuffer) -> Float {
    if made == periods &* tenMilliseconds && periods < 3 { lengthenCycle() }
    var sample = value(at: position, of: periods, in: source)
    position = advanced(position, of: periods)
    if overlap > 0 {
      let former = value(at: formerPosition, of: formerPeriods, in: source)
      formerPosition = advanced(formerPosition, of: formerPeriods)
      let weight = Float(overlap) / Float(quarter &+ 1)
      sample += weight * (former - sample)
      overlap &-= 1
    }
    if made < quarter { sample += step * Float(quarter &- made) / Float(quarter &+ 1) }
    let gain = self.gain
    made &+= 1
    // Interpolation overshoots, the step adds to that, and gaps in quick succession take the sum for the signal.
    return Swift.max(-1, Swift.min(sample * gain, 1))
  }

  /// Samples for the cross-fade back: a quarter period, and 4 ms more for each 10 ms after the first; 10 ms at most.
  @_noLocks
  func fadeBackCount(_ sampleRate: SampleRate) -> Int {
    let longer = Swift.max(0, made &- tenMilliseconds) &* 4 / 10
    return Swift.min(quarter &+ longer, tenMilliseconds)
  }

  /// 1 for 10 ms, then linear to 0 at 60 ms.
  private var gain: Float {
    @_noLocks get {
      if made <= tenMilliseconds { return 1 }
      return Swift.max(0, 1 - Float(made &- tenMilliseconds) / Float(5 &* tenMilliseconds))
    }
  }

  /// One period more, so that long gaps do not hum; the new cycle starts at the same phase of the pitch.
  @_noLocks
  private mutating func lengthenCycle() {
    formerPeriods = periods
    formerPosition = position
    overlap = quarter
    periods &+= 1
    while position >= pitch { position -= pitch }
  }

  @_noLocks
  private func advanced(_ position: Float, of periods: Int) -> Float {
    let length = Float(periods) * pitch
    return position + 1 < length ? position + 1 : position + 1 - length
  }

  @_noLocks
  private func value(at position: Float, of periods: Int, in source: borrowing SampleBuffer) -> Float {
    let length = Float(periods) * pitch
    let index = Float(source.count) - length + position
    let sample = Self.interpolated(source, at: index)
    let intoFade = position - (length - Float(quarter))
    if intoFade < 0 { return sample }
    let weight = Swift.min(1, (intoFade + 1) / Float(quarter &+ 1))
    return sample + weight * (Self.interpolated(source, at: index - length) - sample)
  }

  /// The value between samples: the cubic through the two on either side (Catmull and Rom 1974). Beyond the ends the
  /// outermost sample goes on.
  @_noLocks
  private static func interpolated(_ source: borrowing SampleBuffer, at index: Float) -> Float {
    let last = source.count &- 1
    let whole = Int(Swift.max(0, Swift.min(index, Float(last))))
    let t = index - Float(whole)
    let b = source[whole]
    if t <= 0 { return b }
    let a = source[Swift.max(0, whole &- 1)]
    let c = source[Swift.min(last, whole &+ 1)]
    let d = source[Swift.min(last, whole &+ 2)]
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
  }
}
