internal import CKernels
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
  private var levels: BandLevels?
  private var isSpeaking = false

  /// The newest figures of the microphone.
  private(set) var source = MediaStatistics.MediaSource()

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let rate = settings.engineRate
    frameSampleCount = rate.sampleCount(milliseconds: 10)
    do throws(SignalProcessingError) {
      voiceActivity = try VoiceActivity(sampleRate: rate)
      // The echo canceller suppresses noise in the same pass when it runs: one analysis less.
      let suppressesAlone = settings.echoCanceller == nil ? settings.noiseAttenuation : nil
      noiseSuppressor =
        if let attenuation = suppressesAlone {
          try NoiseSuppressor(sampleRate: rate, maximumAttenuation: attenuation)
        } else {
          nil
        }
      automaticGain = if let gain = settings.automaticGain { try AutomaticGain(sampleRate: rate, settings: gain) } else { nil }
      levels = settings.bandCount > 0 ? try BandLevels(sampleRate: rate, bandCount: settings.bandCount) : nil
    } catch {
      throw .signal(error)
    }
    do throws(EchoError) {
      if var echo = settings.echoCanceller {
        echo.noiseAttenuation = settings.noiseAttenuation ?? 0
        echoCanceller = try EchoCanceller(sampleRate: rate, settings: echo)
      } else {
        echoCanceller = nil
      }
    } catch {
      throw .echo(error)
    }
  }

  /// Cleans one frame and notes what it held.
  @_noLocks
  mutating func process(
    _ frame: inout MutableSpan<Float>, _ times: inout StageTimes, _ events: inout EventQueue
  ) {
    times.start()
    echoCanceller?.capture(&frame)
    times.end(.echoCancellation)

    noiseSuppressor?.process(&frame)
    times.end(.noiseSuppression)

    let decision = voiceActivity.process(SampleView(frame))
    times.end(.voiceActivity)

    automaticGain?.process(&frame, voice: decision)
    times.end(.automaticGain)

    levels?.process(SampleView(frame))
    note(SampleView(frame), isSpeech: decision.isSpeech, &events)
    times.end(.captureLevels)
  }

  /// Takes 10 ms of what the loudspeaker plays, the echo's source.
  @_noLocks
  mutating func reference(_ farEnd: borrowing SampleView) { echoCanceller?.render(farEnd) }

  /// Whether `reference` is of any use.
  var wantsReference: Bool { @_noLocks get { echoCanceller != nil } }

  /// How long after `render` its sound reaches the microphone, in ms: the devices' latency.
  var echoDelayMilliseconds: Int {
    @_noLocks get { echoCanceller?.bulkDelayMilliseconds ?? 0 }
    @_noLocks set { echoCanceller?.bulkDelayMilliseconds = newValue }
  }

  /// What the stages add, in ms: echo canceller and noise suppressor hold one frame back each.
  var latencyMilliseconds: Double {
    let samples = (echoCanceller?.latencySampleCount ?? 0) + (noiseSuppressor?.latencySampleCount ?? 0)
    return 10 * Double(samples) / Double(frameSampleCount)
  }

  @_noLocks
  private mutating func note(_ frame: borrowing SampleView, isSpeech: Bool, _ events: inout EventQueue) {
    source.addFrame(frame)
    source.voiceActivity = isSpeech
    if isSpeech != isSpeaking {
      isSpeaking = isSpeech
      events.append(isSpeech ? .speechStarted : .speechEnded)
    }
    if let echoCanceller {
      let metrics = echoCanceller.metrics
      source.echoReturnLoss = Double(metrics.echoReturnLoss)
      source.echoReturnLossEnhancement = Double(metrics.echoReturnLossEnhancement)
    }
  }
}
