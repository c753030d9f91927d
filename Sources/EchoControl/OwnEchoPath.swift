internal import RealtimeCore
internal import SignalProcessing

/// Our own canceller behind the same queue as SpeexDSP's: at 16 kHz directly, at other rates over the bridge.
struct OwnEchoPath: ~Copyable {
  /// How far the output lies behind the microphone.
  let latencySampleCount: Int

  private var direct: OwnEchoCanceller?
  private var bridge: EchoRateBridge?  // one of the two
  private var noiseSuppressor: NoiseSuppressor?
  private var far: SampleBuffer
  private var near: SampleBuffer

  init(sampleRate: SampleRate, settings: EchoSettings) throws(EchoError) {
    let count = sampleRate.hertz / 100
    let canceller = try OwnEchoCanceller(
      tailMilliseconds: settings.tailMilliseconds, residualAttenuation: settings.residualAttenuation)
    let noiseSuppressor = try Self.noiseSuppressor(sampleRate, settings.noiseAttenuation)
    var latency = settings.noiseAttenuation > 0 ? count : 0
    if sampleRate == .hz16000 {
      latency += canceller.latencyFrameCount * count
      direct = consume canceller
      bridge = nil
    } else {
      let made = try EchoRateBridge(canceller, sampleRate: sampleRate)
      latency += made.latencySampleCount
      bridge = consume made
      direct = nil
    }
    latencySampleCount = latency
    self.noiseSuppressor = noiseSuppressor
    far = SampleBuffer(repeating: 0, count: count)
    near = SampleBuffer(repeating: 0, count: count)
    expect(delayMilliseconds: settings.bulkDelayMilliseconds)
  }

  /// Cleans one frame in place; it holds finite samples in -1...1.
  @_noLocks
  mutating func process(farEnd: borrowing Int16Samples, _ frame: inout MutableSpan<Float>) {
    Self.load(farEnd, into: &far)
    near.copy(SampleView(&frame), to: 0)
    direct?.process(farEnd: far, microphone: &near)
    bridge?.process(farEnd: far, microphone: &near)
    near.view.copy(into: &frame)
    noiseSuppressor?.process(&frame)
    Kernel.sanitize(&frame, limit: 1)
  }

  /// Starts at a delay that the caller knows; 0 stands for not known.
  @_noLocks
  mutating func expect(delayMilliseconds: Int) {
    guard delayMilliseconds > 0 else { return }
    direct?.expect(delayMilliseconds: delayMilliseconds)
    bridge?.expect(delayMilliseconds: delayMilliseconds)
  }

  /// The delay that was found, in ms.
  var foundDelayMilliseconds: Int? {
    @_noLocks get {
      switch direct {
      case .some(let direct): return direct.foundDelayMilliseconds
      case .none: break
      }
      switch bridge {
      case .some(let bridge): return bridge.foundDelayMilliseconds
      case .none: return nil
      }
    }
  }

  /// How often a filter made things worse.
  var divergenceCount: Int {
    @_noLocks get {
      switch direct {
      case .some(let direct): return direct.divergenceCount
      case .none: break
      }
      switch bridge {
      case .some(let bridge): return bridge.divergenceCount
      case .none: return 0
      }
    }
  }

  @_noLocks
  mutating func reset() {
    direct?.reset()
    bridge?.reset()
  }

  @_noLocks
  private static func load(_ samples: borrowing Int16Samples, into buffer: inout SampleBuffer) {
    var target = buffer.mutableSpan
    samples.load(into: &target)
  }

  private static func noiseSuppressor(
    _ sampleRate: SampleRate, _ attenuation: Int
  ) throws(EchoError) -> NoiseSuppressor? {
    guard attenuation > 0 else { return nil }
    do throws(SignalProcessingError) {
      return try NoiseSuppressor(sampleRate: sampleRate, maximumAttenuation: attenuation)
    } catch {
      throw .outOfMemory
    }
  }
}
