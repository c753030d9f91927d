import RealtimeCore

/// The endless continuation of a signal by its last pitch periods: position, number of periods and fade.
///
/// A cycle is the last 1, 2 or 3 periods of the signal. The last quarter period of a cycle is faded into what comes
/// before the cycle's start, so that it closes without a step.
struct PitchRepetition: BitwiseCopyable, Sendable {
  private var pitch = 1
  private var quarter = 0
  /// Samples made so far.
  private var made = 0
  private var periods = 1
  private var position = 0
  /// The cycle that is being left for a longer one, and how many samples both still sound.
  private var formerPeriods = 1
  private var formerPosition = 0
  private var overlap = 0
  /// Difference between the last sample played and the one that the repetition would have there.
  private var step: Float = 0
  private var tenMilliseconds = 1

  @_noLocks
  init() {}

  @_noLocks
  init(pitch: Int, source: borrowing SampleBuffer, sampleRate: SampleRate) {
    self.pitch = pitch
    quarter = Swift.max(1, pitch / 4)
    tenMilliseconds = Swift.max(1, sampleRate.hertz / 100)
    step = source[source.count &- 1] - source[source.count &- 1 &- pitch]
  }

  /// The next sample; `source` is the signal given at the start.
  @_noLocks
  mutating func next(from source: borrowing SampleBuffer) -> Float {
    if made == periods &* tenMilliseconds && periods < 3 { lengthenCycle() }
    var sample = value(at: position, of: periods, in: source)
    position = position &+ 1 == periods &* pitch ? 0 : position &+ 1
    if overlap > 0 {
      let former = value(at: formerPosition, of: formerPeriods, in: source)
      formerPosition = formerPosition &+ 1 == formerPeriods &* pitch ? 0 : formerPosition &+ 1
      let weight = Float(overlap) / Float(quarter &+ 1)
      sample += weight * (former - sample)
      overlap &-= 1
    }
    if made < quarter { sample += step * Float(quarter &- made) / Float(quarter &+ 1) }
    let gain = self.gain
    made &+= 1
    return sample * gain
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
    position = position % pitch
  }

  @_noLocks
  private func value(at position: Int, of periods: Int, in source: borrowing SampleBuffer) -> Float {
    let length = periods &* pitch
    let index = source.count &- length &+ position
    let sample = source[index]
    let intoFade = position &- (length &- quarter)
    if intoFade < 0 { return sample }
    let weight = Float(intoFade &+ 1) / Float(quarter &+ 1)
    return sample + weight * (source[index &- length] - sample)
  }
}
