internal import AudioCodecs
internal import JitterBuffer
internal import RealtimeCore
internal import SignalProcessing

/// The agent's way to the loudspeaker: whatever number of samples the device wants is pulled out of the jitter buffer.
///
///     packets → jitter buffer (decoder inside) → bands → resample → loudspeaker
///                                                                 ↘ resample → the echo canceller's reference
struct RenderPath: ~Copyable {
  var playout: Playout
  private var toRenderRate: RateAdapter
  private let isSameRate: Bool
  private var block: SampleBuffer
  private var toEngineRate: RateAdapter
  private let renderRate: SampleRate
  private let playoutRate: SampleRate

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let playout = try Playout(settings)
    let toRenderRate = try RateAdapter(from: playout.sampleRate, to: settings.renderRate)
    let toEngineRate = try RateAdapter(from: settings.renderRate, to: settings.engineRate)
    renderRate = settings.renderRate
    playoutRate = playout.sampleRate
    isSameRate = playout.sampleRate == settings.renderRate
    // What the resampler has made and the device not yet wanted is delay: 2.5 ms at most.
    block = SampleBuffer(repeating: 0, count: playout.sampleRate.hertz / 400)
    self.playout = playout
    self.toRenderRate = toRenderRate
    self.toEngineRate = toEngineRate
  }

  @_noLocks
  mutating func render(
    into loudspeaker: inout MutableSpan<Float>, at now: MediaInstant, reference processing: inout CaptureProcessing,
    _ times: inout StageTimes
  ) {
    times.start()
    if isSameRate {
      let call = renderRate.nanoseconds(sampleCount: loudspeaker.count)
      playout.fill(&loudspeaker, at: now, callStart: now, callNanoseconds: call, &times)
    } else {
      resample(into: &loudspeaker, at: now, &times)
    }
    guard processing.wantsReference else { return }
    // The reference is what is handed to the device, sample by sample, not what waits to be played.
    Self.note(SampleView(&loudspeaker), in: &toEngineRate, for: &processing)
    times.end(.echoReference)
  }

  @_noLocks
  private mutating func resample(
    into loudspeaker: inout MutableSpan<Float>, at now: MediaInstant, _ times: inout StageTimes
  ) {
    let wanted = loudspeaker.count
    let call = renderRate.nanoseconds(sampleCount: wanted)
    var made = 0
    while made < wanted {
      var rest = loudspeaker.part(made..<wanted)
      let moved = toRenderRate.move(into: &rest)
      made &+= moved
      guard made < wanted else { break }
      let instant = now.advanced(byNanoseconds: renderRate.nanoseconds(sampleCount: made))
      Self.pull(&playout, into: &block, at: instant, callStart: now, callNanoseconds: call, &times)
      Self.append(block, to: &toRenderRate)
      times.end(.renderResampling)
    }
  }

  @_noLocks
  private static func pull(
    _ playout: inout Playout, into block: inout SampleBuffer, at now: MediaInstant, callStart: MediaInstant,
    callNanoseconds: Int64, _ times: inout StageTimes
  ) {
    var samples = block.mutableSpan
    playout.fill(&samples, at: now, callStart: callStart, callNanoseconds: callNanoseconds, &times)
  }

  @_noLocks
  private static func append(_ block: borrowing SampleBuffer, to queue: inout RateAdapter) {
    _ = queue.append(block.view)  // the queue was empty, and holds 50 blocks
  }

  @_noLocks
  private static func note(
    _ played: borrowing SampleView, in queue: inout RateAdapter, for processing: inout CaptureProcessing
  ) {
    var taken = 0
    while taken < played.count {
      taken &+= queue.append(played.extracting(taken..<played.count))
      while queue.count >= processing.frameSampleCount {
        processing.reference(queue.front(processing.frameSampleCount))
        queue.removeFront(processing.frameSampleCount)
      }
    }
  }

  /// What was asked of the playout and not yet handed to the device, in samples at the playout's rate.
  @_noLocks
  func pendingSampleCount() -> Int64 {
    guard !isSameRate else { return 0 }
    let waiting = Double(toRenderRate.count) / Double(renderRate.hertz) + toRenderRate.latencyMilliseconds * 1e-3
    return Int64(waiting * Double(playoutRate.hertz))
  }

  /// What the resampler to the device adds, in ms.
  var resamplingLatencyMilliseconds: Double { isSameRate ? 0 : toRenderRate.latencyMilliseconds + 2.5 }
}

/// The jitter buffer, or the agent's stream, with the agent's visualizer behind it, at the decoder's rate.
struct Playout: ~Copyable {
  var jitterBuffer: JitterBuffer
  /// Takes the jitter buffer's place where the agent's audio comes over a socket.
  var stream: StreamPlayout?
  let sampleRate: SampleRate
  var levels: BandLevels?
  private(set) var level = LevelSum()
  /// Whether the user hears silence.
  var isDeafened = false
  /// 1, or 0 when deafened, or on its way between them.
  private var audibility: Float = 1

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let jitterBuffer: JitterBuffer
    do throws(CodecError) {
      jitterBuffer = try JitterBuffer(
        formats: [settings.receiveFormat] + settings.otherReceiveFormats,
        sampleRate: settings.receiveFormat.codingRate(near: settings.renderRate),
        settings: settings.jitterBuffer)
    } catch {
      throw .codec(error)
    }
    let stream = try settings.makeAgentStream()
    var rate = jitterBuffer.sampleRate
    if let agentStream = settings.agentStream { rate = agentStream.sampleRate }
    let levels = try BandLevels.forDisplay(sampleRate: rate, bandCount: settings.bandCount)
    sampleRate = rate
    self.stream = stream
    self.jitterBuffer = jitterBuffer
    self.levels = levels
  }

  /// The level of band `index`, 0...1.
  @_noLocks
  func level(_ index: Int) -> Float {
    switch levels {
    case .some(let levels): index >= 0 && index < levels.bandCount ? levels.levels[index] : 0
    case .none: 0
    }
  }

  /// Fills `samples` with the next sound.
  @_noLocks
  mutating func fill(
    _ samples: inout MutableSpan<Float>, at now: MediaInstant, callStart: MediaInstant, callNanoseconds: Int64,
    _ times: inout StageTimes
  ) {
    if stream != nil {
      stream!.playout(into: &samples, at: now)
    } else {
      jitterBuffer.playout(into: &samples, at: now, callStart: callStart, callNanoseconds: callNanoseconds)
    }
    fade(&samples)
    times.end(.jitterBuffering)
    levels?.process(SampleView(&samples))
    level.add(SampleView(&samples), sampleRate: sampleRate)
    times.end(.renderLevels)
  }

  /// What is not heard is no echo either: this stands before the reference.
  @_noLocks
  private mutating func fade(_ samples: inout MutableSpan<Float>) {
    let goal: Float = isDeafened ? 0 : 1
    guard audibility != goal || isDeafened else { return }
    let step = (isDeafened ? -100 : 100) / Float(sampleRate.hertz)
    for index in samples.indices {
      audibility = max(0, min(1, audibility + step))
      samples[index] *= audibility
    }
  }
}
