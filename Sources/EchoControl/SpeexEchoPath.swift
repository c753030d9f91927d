internal import RealtimeCore
internal import SignalProcessing

/// SpeexDSP's canceller on 16-bit samples, with guards against what it would print a warning about.
struct SpeexEchoPath: ~Copyable {
  /// How far the output lies behind the microphone.
  let latencySampleCount: Int
  /// How often the filter made things worse and was started afresh.
  private(set) var divergenceCount = 0

  private let filter: SpeexEcho
  private let suppresses: Bool
  private var divergence = DivergenceGuard()
  private var farEnd: Int16Samples
  private var nearEnd: Int16Samples
  private var residue: Int16Samples

  init(sampleRate: SampleRate, settings: EchoSettings) throws(EchoError) {
    let count = sampleRate.hertz / 100
    filter = try SpeexEcho(sampleRate: sampleRate, frameSampleCount: count, settings: settings)
    suppresses = settings.suppresses
    latencySampleCount = settings.suppresses ? count : 0
    farEnd = Int16Samples(count: count)
    nearEnd = Int16Samples(count: count)
    residue = Int16Samples(count: count)
  }

  /// Cleans one frame in place.
  @_noLocks
  mutating func process(farEnd played: borrowing Int16Samples, _ frame: inout MutableSpan<Float>) {
    _ = nearEnd.store(&frame)
    farEnd.copy(played)
    let isHalved = OverdriveGuard.halveIfOverdriven(&nearEnd)
    _ = OverdriveGuard.halveIfOverdriven(&farEnd)
    filter.cancel(nearEnd: nearEnd, farEnd: farEnd, into: residue)
    if divergence.isDiverging(nearEnd: nearEnd, residue: residue) { restart() }
    if suppresses { filter.suppress(residue) }
    residue.load(into: &frame)
    if isHalved { Kernel.scale(&frame, by: 2) }
  }

  @_noLocks
  mutating func reset() {
    filter.reset()
    divergence = DivergenceGuard()
  }

  /// Forgets an echo path that made things worse; this frame passes unfiltered.
  @_noLocks
  private mutating func restart() {
    filter.reset()
    divergenceCount &+= 1
    residue.copy(nearEnd)
  }
}
