public import RealtimeCore
internal import SignalProcessing

/// Removes the loudspeaker's sound from the microphone's: bulk delay, adaptive filter, suppression of the residue.
///
/// In the rhythm of 10 ms: hand over what the loudspeaker plays with `render(_:)`, then clean what the microphone took
/// with `capture(_:)`. The two may come unevenly, up to 100 ms apart; see `metrics` for frames that had no partner.
/// Works on 16-bit samples inside: levels above full scale are clipped.
/// - Threads: one engine thread for both calls; after `init` no call allocates or waits.
/// - Source: SpeexDSP (`SpeexEcho`) behind a delay line and a meter of our own.
public struct EchoCanceller: ~Copyable, Sendable {
  /// The most that `EchoSettings.bulkDelayMilliseconds` can be.
  public static var longestBulkDelayMilliseconds: Int { @_noLocks get { 500 } }

  /// The rate of both ends.
  public let sampleRate: SampleRate
  /// Samples in a frame: 10 ms.
  public let frameSampleCount: Int

  private let filter: SpeexEcho
  private let suppresses: Bool
  private var queue: FarEndQueue
  private var divergence = DivergenceGuard()
  private var meter = EchoMeter()
  private var farEnd: Int16Samples
  private var nearEnd: Int16Samples
  private var residue: Int16Samples
  private var divergenceCount = 0
  private var repairedSampleCount = 0

  /// A canceller that has yet to learn the echo path; that takes 1 to 3 s of far-end speech.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz, `unsupportedFrameLength` at 11,025 and 22,050 Hz,
  ///   `unsupportedSetting`, `outOfMemory`.
  public init(sampleRate: SampleRate, settings: EchoSettings = EchoSettings()) throws(EchoError) {
    try settings.validate()
    let count = sampleRate.hertz / 100
    let filter = try SpeexEcho(sampleRate: sampleRate, frameSampleCount: count, settings: settings)
    self.sampleRate = sampleRate
    frameSampleCount = count
    suppresses = settings.suppresses
    queue = FarEndQueue(
      frameSampleCount: count, delay: sampleRate.sampleCount(milliseconds: settings.bulkDelayMilliseconds),
      longestDelay: sampleRate.sampleCount(milliseconds: Self.longestBulkDelayMilliseconds))
    farEnd = Int16Samples(count: count)
    nearEnd = Int16Samples(count: count)
    residue = Int16Samples(count: count)
    self.filter = filter
  }

  /// Takes one frame of what the loudspeaker plays; traps unless it has `frameSampleCount` samples.
  @_noLocks
  public mutating func render(_ farEnd: borrowing SampleView) {
    let count = farEnd.count
    precondition(count == frameSampleCount, "EchoCanceller: render takes frames of 10 ms, frameSampleCount samples")
    repairedSampleCount &+= queue.append(farEnd)
  }

  /// Takes one frame of what the loudspeaker plays; for callers that hold a span.
  @_noLocks
  public mutating func render(_ farEnd: Span<Float>) { render(SampleView(farEnd)) }

  /// Cleans one microphone frame in place; traps unless it has `frameSampleCount` samples.
  @_noLocks
  public mutating func capture(_ frame: inout MutableSpan<Float>) {
    let count = frame.count
    precondition(count == frameSampleCount, "EchoCanceller: capture takes frames of 10 ms, frameSampleCount samples")
    repairedSampleCount &+= nearEnd.store(&frame)
    let nearPower = nearEnd.meanPower
    queue.next(into: &farEnd)
    let isHalved = OverdriveGuard.halveIfOverdriven(&nearEnd)
    _ = OverdriveGuard.halveIfOverdriven(&farEnd)

    filter.cancel(nearEnd: nearEnd, farEnd: farEnd, into: residue)
    if divergence.isDiverging(nearEnd: nearEnd, residue: residue) { restart() }
    if suppresses { filter.suppress(residue) }

    residue.load(into: &frame)
    if isHalved { Kernel.scale(&frame, by: 2) }
    meter.add(farEnd: farEnd.meanPower, nearEnd: nearPower, output: residue.meanPower * (isHalved ? 4 : 1))
  }

  /// The echo path's bulk delay, in ms; values outside 0...500 are limited. A change is heard as an echo until the
  /// filter has followed.
  public var bulkDelayMilliseconds: Int {
    @_noLocks get { queue.delay &* 1_000 / sampleRate.hertz }
    @_noLocks set {
      let limited = min(max(0, newValue), Self.longestBulkDelayMilliseconds)
      queue.setDelay(sampleRate.sampleCount(milliseconds: limited))
    }
  }

  /// How far the output lies behind the microphone: one frame, or none without suppression of any kind.
  public var latencySampleCount: Int { suppresses ? frameSampleCount : 0 }

  /// How well it goes; levels over about the last second of far-end speech, counters since `init`.
  public var metrics: EchoMetrics {
    @_noLocks get {
      var metrics = EchoMetrics()
      metrics.echoReturnLoss = meter.echoReturnLoss
      metrics.echoReturnLossEnhancement = meter.echoReturnLossEnhancement
      metrics.farEndOverrunCount = queue.overrunCount
      metrics.farEndUnderrunCount = queue.underrunCount
      metrics.divergenceCount = divergenceCount
      metrics.repairedSampleCount = repairedSampleCount
      return metrics
    }
  }

  /// Forgets echo path, queue and levels, as when the devices changed; counters go on.
  @_noLocks
  public mutating func reset() {
    filter.reset()
    queue.reset()
    meter.reset()
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
