internal import RealtimeCore
internal import SignalProcessing

/// Our own canceller at 16 kHz: linear stage, then the suppressor of what it leaves.
struct OwnEchoCanceller: ~Copyable {
  private var linear: LinearEchoStage
  private var suppressor: ResidualSuppressor?
  private var clean: SampleBuffer
  private var start = EchoStart()

  /// - Throws: `outOfMemory`.
  init(tailMilliseconds: Int, residualAttenuation: Int) throws(EchoError) {
    let linear = try LinearEchoStage(tailMilliseconds: tailMilliseconds)
    let suppressor = residualAttenuation > 0 ? try ResidualSuppressor(attenuation: residualAttenuation) : nil
    clean = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    self.linear = linear
    self.suppressor = suppressor
  }

  /// Cleans one frame of 10 ms in place.
  @_noLocks
  mutating func process(farEnd: borrowing SampleBuffer, microphone: inout SampleBuffer) {
    linear.process(farEnd: farEnd.view, microphone: microphone.view)
    start.observe(linear, power: Kernel.energy(microphone.view) / Float(EchoBlock.frameSampleCount))
    guard suppressor != nil else {
      microphone.copy(linear.output, to: 0)
      return
    }
    suppressor?.process(linear, isClosed: start.isClosed, isOpen: start.isOpen, into: &clean)
    microphone.copy(clean, to: 0)
  }

  /// Frames by which the output lies behind the microphone.
  var latencyFrameCount: Int {
    @_noLocks get { suppressor == nil ? 0 : 1 }
  }

  /// The gain for frequencies above the band, as of the newest output.
  var upperGain: Float {
    @_noLocks get {
      switch suppressor {
      case .some(let suppressor): suppressor.upperGain
      case .none: 1
      }
    }
  }

  /// How often a filter made things worse.
  var divergenceCount: Int { @_noLocks get { linear.divergenceCount } }

  /// The delay that was found, in ms.
  var foundDelayMilliseconds: Int? {
    @_noLocks get {
      guard let lag = linear.lag else { return nil }
      return lag / 16
    }
  }

  /// Starts at a delay that the caller knows, in ms.
  @_noLocks
  mutating func expect(delayMilliseconds: Int) { linear.expect(delay: delayMilliseconds &* 16) }

  @_noLocks
  mutating func reset() {
    linear.reset()
    suppressor?.reset()
    start = EchoStart()
  }
}
