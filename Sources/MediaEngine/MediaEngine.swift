internal import JitterBuffer
public import RealtimeCore

/// One voice call's media, both directions, as one value that does what it is told.
///
/// It has no thread, socket, clock or file. Whoever has them drives it, on one thread at a time:
/// - `capture` with each block of the microphone, `render` for each block of the loudspeaker, in any sizes;
/// - `receive` with each datagram that came;
/// - after any of these, `poll` until it says `wait`: it hands over datagrams to send and events.
///
/// Every call says what time it is, on a monotonic axis of the caller's. After `init` no call allocates, locks or makes a
/// system call, with one exception: the first authenticated packet of an SSRC that `remoteSSRC` did not announce makes
/// libsrtp allocate that stream's state.
public struct MediaEngine: ~Copyable {
  /// What the engine was made with.
  public let settings: MediaEngineSettings
  var capturePath: CapturePath
  var renderPath: RenderPath
  private var receiver: PacketReceiver
  var times: StageTimes
  private var events = EventQueue()

  /// An engine for one call.
  public init(_ settings: MediaEngineSettings = .voiceAgent) throws(MediaEngineError) {
    guard [.hz16000, .hz24000, .hz48000].contains(settings.engineRate) else {
      throw .unsupportedEngineRate(settings.engineRate)
    }
    let capturePath = try CapturePath(settings)
    let renderPath = try RenderPath(settings)
    let receiver = try PacketReceiver(settings)
    self.settings = settings
    self.capturePath = capturePath
    self.renderPath = renderPath
    self.receiver = receiver
    times = StageTimes(isOn: settings.measuresStages)
  }

  /// Takes a block of the microphone: mono, at `captureRate`, any number of samples. What is no number counts as 0.
  @_noLocks
  public mutating func capture(_ microphone: borrowing SampleView, at now: MediaInstant) {
    capturePath.process(microphone, &times, &events)
  }

  /// Fills a block for the loudspeaker: mono, at `renderRate`, any number of samples; silence where there is no sound.
  @_noLocks
  public mutating func render(into loudspeaker: inout MutableSpan<Float>, at now: MediaInstant) {
    renderPath.render(into: &loudspeaker, at: now, reference: &capturePath.processing, &times)
  }

  /// Takes a datagram that came at `now`, protected as it was on the wire.
  @_noLocks
  @discardableResult
  public mutating func receive(_ datagram: borrowing ByteView, at now: MediaInstant) -> ReceiveOutcome {
    times.start()
    let outcome = receiver.receive(datagram, at: now, into: &renderPath.playout.jitterBuffer, &events)
    times.end(.unprotection)
    return outcome
  }

  /// Hands over the next datagram or event. A buffer of 1,500 bytes is long enough for every codec but L16 above 16 kHz
  /// at 20 ms, which takes up to 4,000; a packet that does not fit is dropped and counted.
  @_noLocks
  public mutating func poll(into datagram: inout MutableSpan<UInt8>, at now: MediaInstant) -> MediaOutput {
    while true {
      switch capturePath.nextPacket(into: &datagram) {
      case .packet(let byteCount): return .transmit(byteCount: byteCount)
      case .tooLong: continue
      case .none:
        if let event = events.next() { return .event(event) }
        return .wait
      }
    }
  }

  /// Whether silence is sent in place of the microphone. Packets keep flowing; levels and echo canceller go on.
  public var isMuted: Bool {
    @_noLocks get { capturePath.isMuted }
    @_noLocks set { capturePath.isMuted = newValue }
  }

  /// How long after `render` its sound reaches the microphone at the earliest, in ms, 0...500: what the devices report as
  /// their latency together. The echo canceller need not search where it knows.
  public var echoDelayMilliseconds: Int {
    @_noLocks get { capturePath.processing.echoDelayMilliseconds }
    @_noLocks set { capturePath.processing.echoDelayMilliseconds = newValue }
  }

  /// Tells Opus a new bitrate, in bits per second; the other codecs have but one.
  @_noLocks
  public mutating func setBitrate(_ bitsPerSecond: Int) { capturePath.setBitrate(bitsPerSecond) }

  /// Tells Opus what share of its packets gets lost, in percent; above 0 it sends copies of past frames along.
  @_noLocks
  public mutating func setExpectedPacketLoss(_ percent: Int) { capturePath.setExpectedPacketLoss(percent) }

  /// Silences the agent with a fade and forgets what waits: the user has interrupted. What arrives later is played.
  @_noLocks
  public mutating func flush() { renderPath.playout.jitterBuffer.flush() }
}

// What can be seen of a running engine; all of it may be read on the audio thread.
extension MediaEngine {
  /// Counters and levels by their W3C names.
  public var statistics: MediaStatistics {
    @_noLocks get {
      var all = MediaStatistics()
      all.mediaSource = capturePath.processing.source
      all.outboundRTP = capturePath.sender.statistics
      all.inboundRTP = receiver.statistics
      all.inboundRTP.add(renderPath.playout.jitterBuffer.statistics)
      all.inboundRTP.add(renderPath.playout.level)
      all.faults = receiver.faults
      all.faults.nonFiniteSamples = capturePath.nonFiniteSamples
      all.faults.unsentPackets = capturePath.sender.unsentPackets
      all.faults.encoderFailures = capturePath.sender.encoderFailures
      return all
    }
  }

  /// The level of band `index` of the user's voice, 0...1; 0 where there is no such band.
  @_noLocks
  public func captureLevel(_ index: Int) -> Float { capturePath.processing.level(index) }

  /// The level of band `index` of the agent's voice, 0...1; 0 where there is no such band.
  @_noLocks
  public func renderLevel(_ index: Int) -> Float { renderPath.playout.level(index) }

  /// The delay that the jitter buffer aims at, in ms over the fastest packets.
  public var targetDelayMilliseconds: Double {
    @_noLocks get { Double(renderPath.playout.jitterBuffer.targetDelay) * 1e-6 }
  }

  /// The delay of what is being played, in ms over the fastest packets.
  public var playoutDelayMilliseconds: Double {
    @_noLocks get { Double(renderPath.playout.jitterBuffer.playoutDelay) * 1e-6 }
  }

  /// The RTP timestamp of the sound that the last `render` began with; `nil` before the first packet is played.
  public var playoutPosition: RTPTimestamp? {
    @_noLocks get { renderPath.playout.jitterBuffer.position }
  }
}
