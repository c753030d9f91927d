import RealtimeCore

/// The gain of the output, moved without a click.
struct PlayoutGain: Sendable, BitwiseCopyable {
  private(set) var gain: Float = 1
  private var target: Float = 1
  private let step: Float

  /// A ramp over the whole range takes 10 ms.
  init(sampleRate: SampleRate) { step = 100 / Float(sampleRate.hertz) }

  /// The gain while ducked: -18 dB.
  static var ducked: Float { @_noLocks get { 0.126 } }

  /// Whether it is where it was sent.
  var isSettled: Bool { @_noLocks get { gain == target } }
  var isSilent: Bool { @_noLocks get { gain == 0 && target == 0 } }

  /// Samples until it is where it was sent.
  var samplesToGo: Int {
    @_noLocks get { isSettled ? 0 : Int((gain < target ? target - gain : gain - target) / step) &+ 1 }
  }

  @_noLocks
  mutating func move(to target: Float) { self.target = target }

  /// At once, where silence hides the step.
  @_noLocks
  mutating func set(to target: Float) {
    self.target = target
    gain = target
  }

  @_noLocks
  mutating func apply(to samples: inout MutableSpan<Float>, _ range: Range<Int>) {
    if isSettled && gain == 1 { return }
    for index in range {
      if gain < target {
        gain = min(target, gain + step)
      } else if gain > target {
        gain = max(target, gain - step)
      }
      samples[index] *= gain
    }
  }
}
