internal import EchoControl
internal import RealtimeCore
internal import SignalProcessing

/// What happens to each 10 ms of the microphone, in this order, in place.
struct CaptureProcessing: ~Copyable {
  /// Samples in 10 ms at the engine's rate.
  let frameSampleCount: Int

  private var echoCanceller: EchoCanceller?
  private var noiseSuppressor: NoiseSuppressor?
  private var automaticGain: AutomaticGain?
  private var voiceActivity: VoiceActivity
  private var echoGate = ResidualEchoGate()
  private var levels: BandLevels?
  private var isSpeaking = false

  /// The newest figures of the microphone.
  private(set) var source = MediaStatistics.MediaSource()
  private var levelSum = LevelSum()
  private let sampleRate: SampleRate

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let echoCanceller = try settings.makeEchoCanceller()
    let noiseSuppressor = try settings.makeNoiseSuppressor()
    let automaticGain = try settings.makeAutomaticGain()
    let voiceActivity = try settings.makeVoiceActivity()
    let levels = try BandLevels.forDisplay(sampleRate: settings.engineRate, bandCount: settings.bandCount)
    sampleRate = settings.engineRate
    frameSampleCount = settings.engineRate.sampleCount(milliseconds: 10)
    var heldBack = 0
    switch echoCanceller {
    case .some(let echoCanceller): heldBack += echoCanceller.latencySampleCount
    case .none: break
    }
    switch noiseSuppressor {
    case .some(let noiseSuppressor): heldBack += noiseSuppressor.latencySampleCount
    case .none: break
    }
    latencyMilliseconds = 10 * Double(heldBack) / Double(frameSampleCount)
    self.echoCanceller = echoCanceller
    self.noiseSuppressor = noiseSuppressor
    self.automaticGain = automaticGain
    self.voiceActivity = voiceActivity
    self.levels = levels
  }

  /// Cleans one frame and notes what it held.
  @_noLocks
  mutating func process(
    _ frame: inout MutableSpan<Float>, _ times: inout StageTimes, _ events: inout EventQueue
  ) {
    times.start()
    echoGate.note(microphone: SampleView(&frame))
    // A stage that is not there has no time of its own.
    if echoCanceller != nil {
      echoCanceller!.capture(&frame)
      times.end(.echoCancellation)
    }
    if noiseSuppressor != nil {
      noiseSuppressor!.process(&frame)
      times.end(.noiseSuppression)
    }

    var decision = voiceActivity.process(SampleView(&frame))
    if echoCanceller != nil, !echoGate.admits(cleaned: SampleView(&frame)) {
      decision = VoiceActivity.Decision(isSpeech: false, probability: 0)
    }
    times.end(.voiceActivity)

    if automaticGain != nil {
      automaticGain!.process(&frame, voice: decision)
      times.end(.automaticGain)
    }

    levels?.process(SampleView(&frame))
    note(SampleView(&frame), isSpeech: decision.isSpeech, &events)
    times.end(.captureLevels)
  }

  /// Takes 10 ms of what the loudspeaker plays, the echo's source.
  @_noLocks
  mutating func reference(_ farEnd: borrowing SampleView) { echoCanceller?.render(farEnd) }

  /// Whether `reference` is of any use.
  var wantsReference: Bool { @_noLocks get { echoCanceller != nil } }

  /// How long after `render` its sound reaches the microphone, in ms: the devices' latency.
  var echoDelayMilliseconds: Int {
    @_noLocks get {
      switch echoCanceller {
      case .some(let echoCanceller): echoCanceller.bulkDelayMilliseconds
      case .none: 0
      }
    }
    @_noLocks set { echoCanceller?.bulkDelayMilliseconds = newValue }
  }

  /// The level of band `index`, 0...1.
  @_noLocks
  func level(_ index: Int) -> Float {
    switch levels {
    case .some(let levels): index >= 0 && index < levels.bandCount ? levels.levels[index] : 0
    case .none: 0
    }
  }

  /// What the stages add, in ms: echo canceller and noise suppressor hold one frame back each.
  let latencyMilliseconds: Double

  @_noLocks
  private mutating func note(_ frame: borrowing SampleView, isSpeech: Bool, _ events: inout EventQueue) {
    levelSum.add(frame, sampleRate: sampleRate)
    source.add(levelSum)
    source.voiceActivity = isSpeech
    if isSpeech != isSpeaking {
      isSpeaking = isSpeech
      events.append(isSpeech ? .speechStarted : .speechEnded)
    }
    switch echoCanceller {
    case .some(let echoCanceller):
      let metrics = echoCanceller.metrics
      source.echoReturnLoss = Double(metrics.echoReturnLoss)
      source.echoReturnLossEnhancement = Double(metrics.echoReturnLossEnhancement)
    case .none: break
    }
  }
}
