public import RealtimeCore
internal import SignalProcessing

/// Removes the loudspeaker's sound from the microphone's: bulk delay, adaptive filter, suppression of the residue.
///
/// In the rhythm of 10 ms: hand over what the loudspeaker plays with `render(_:)`, then clean what the microphone took
/// with `capture(_:)`. The two may come unevenly, up to 100 ms apart; see `metrics` for frames that had no partner.
/// Levels above full scale are clipped.
/// - Threads: one engine thread for both calls; after `init` no call allocates or waits.
/// - Source: ours (`LinearEchoStage`, `ResidualSuppressor`) or SpeexDSP (`SpeexEcho`), as `EchoSettings.engine` says,
///   behind a queue and a meter.
public struct EchoCanceller: ~Copyable, Sendable {
  /// The most that `EchoSettings.bulkDelayMilliseconds` can be.
  public static var longestBulkDelayMilliseconds: Int { @_noLocks get { 500 } }

  /// The rate of both ends.
  public let sampleRate: SampleRate
  /// Samples in a frame: 10 ms.
  public let frameSampleCount: Int
  /// How far the output lies behind the microphone: our own engine's 10 ms, a quarter more away from 16 kHz; none without
  /// suppression of any kind.
  public let latencySampleCount: Int

  private var own: OwnEchoPath?
  private var speex: SpeexEchoPath?  // one of the two
  private var queue: FarEndQueue
  private var meter = EchoMeter()
  private var farEnd: Int16Samples
  private var expectedDelay: Int
  private var repairedSampleCount = 0

  /// A canceller that has yet to learn the echo path.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz, `unsupportedFrameLength` at 11,025 and 22,050 Hz,
  ///   `unsupportedSetting`, `outOfMemory`.
  public init(sampleRate: SampleRate, settings: EchoSettings = EchoSettings()) throws(EchoError) {
    try settings.validate()
    let (lowest, highest) = (SampleRate.hz8000, SampleRate.hz48000)
    guard (lowest.hertz...highest.hertz).contains(sampleRate.hertz) else {
      throw .unsupportedSampleRate(sampleRate, lowest: lowest, highest: highest)
    }
    guard sampleRate.hertz.isMultiple(of: 100) else { throw .unsupportedFrameLength(sampleRate) }
    let own = settings.engine == .own ? try OwnEchoPath(sampleRate: sampleRate, settings: settings) : nil
    let speex = settings.engine == .speexDSP ? try SpeexEchoPath(sampleRate: sampleRate, settings: settings) : nil
    let count = sampleRate.hertz / 100
    self.sampleRate = sampleRate
    frameSampleCount = count
    var latency = 0
    switch own {
    case .some(let own): latency = own.latencySampleCount
    case .none: break
    }
    switch speex {
    case .some(let speex): latency = speex.latencySampleCount
    case .none: break
    }
    latencySampleCount = latency
    expectedDelay = settings.bulkDelayMilliseconds
    // Our own engine aligns the far end itself, and may find it earlier than it was told.
    queue = FarEndQueue(
      frameSampleCount: count,
      delay: settings.engine == .own ? 0 : sampleRate.sampleCount(milliseconds: settings.bulkDelayMilliseconds),
      longestDelay: sampleRate.sampleCount(milliseconds: Self.longestBulkDelayMilliseconds))
    farEnd = Int16Samples(count: count)
    self.own = own
    self.speex = speex
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
    repairedSampleCount &+= Kernel.sanitize(&frame, limit: 1)
    let nearPower = Kernel.energy(SampleView(&frame)) / Float(count)
    queue.next(into: &farEnd)
    own?.process(farEnd: farEnd, &frame)
    speex?.process(farEnd: farEnd, &frame)
    meter.add(
      farEnd: farEnd.meanPower, nearEnd: nearPower, output: Kernel.energy(SampleView(&frame)) / Float(count))
  }

  /// The echo path's bulk delay as told, in ms; values outside 0...500 are limited. SpeexDSP depends on it, and a change
  /// is heard as an echo until its filter has followed. Our own engine takes it as advice until it has found the delay.
  public var bulkDelayMilliseconds: Int {
    @_noLocks get { expectedDelay }
    @_noLocks set {
      expectedDelay = min(max(0, newValue), Self.longestBulkDelayMilliseconds)
      own?.expect(delayMilliseconds: expectedDelay)
      if speex != nil { queue.setDelay(sampleRate.sampleCount(milliseconds: expectedDelay)) }
    }
  }

  /// How well it goes; levels over about the last second of far-end speech, counters since `init`.
  public var metrics: EchoMetrics {
    @_noLocks get {
      var metrics = EchoMetrics()
      metrics.echoReturnLoss = meter.echoReturnLoss
      metrics.echoReturnLossEnhancement = meter.echoReturnLossEnhancement
      switch own {
      case .some(let own): metrics.delayMilliseconds = own.foundDelayMilliseconds
      case .none: break
      }
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
    own?.reset()
    own?.expect(delayMilliseconds: expectedDelay)
    speex?.reset()
    queue.reset()
    meter.reset()
  }

  private var divergenceCount: Int {
    @_noLocks get {
      switch own {
      case .some(let own): return own.divergenceCount
      case .none: break
      }
      switch speex {
      case .some(let speex): return speex.divergenceCount
      case .none: return 0
      }
    }
  }
}
