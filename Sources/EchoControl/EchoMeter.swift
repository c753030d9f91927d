internal import CKernels

/// Follows the powers of far end, microphone and output while the far end speaks; one second of memory.
struct EchoMeter {
  private var farEnd: Float = 0
  private var nearEnd: Float = 0
  private var output: Float = 0
  private var frameCount = 0

  /// Takes the mean powers of one frame, full scale = 1.
  @_noLocks
  mutating func add(farEnd: Float, nearEnd: Float, output: Float) {
    guard farEnd > Self.quietestFarEnd else { return }
    // A plain mean for the first second, then an exponential one of that length.
    frameCount = min(frameCount &+ 1, 100)
    let share = 1 / Float(frameCount)
    self.farEnd += share * (farEnd - self.farEnd)
    self.nearEnd += share * (nearEnd - self.nearEnd)
    self.output += share * (output - self.output)
  }

  /// Far end over microphone, in dB; 0 before any far end.
  var echoReturnLoss: Float {
    @_noLocks get { frameCount == 0 ? 0 : decibels(farEnd, over: nearEnd) }
  }

  /// Microphone over output, in dB; 0 before any far end.
  var echoReturnLossEnhancement: Float {
    @_noLocks get { frameCount == 0 ? 0 : decibels(nearEnd, over: output) }
  }

  @_noLocks
  mutating func reset() { self = EchoMeter() }

  @_noLocks
  init() {}

  /// -50 dBFS: quieter far ends echo below the microphone's own noise. A choice.
  private static var quietestFarEnd: Float { @_noLocks get { 1e-5 } }

  /// One step of 16-bit sound has a power of 1e-9; below that nothing is measured.
  @_noLocks
  private func decibels(_ power: Float, over other: Float) -> Float {
    10 * antiphon_log10f((power + 1e-10) / (other + 1e-10))
  }
}
