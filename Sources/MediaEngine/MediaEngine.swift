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
public struct MediaEngine: ~Copyable, Sendable {
  /// What the engine was made with.
  public let settings: MediaEngineSettings
  var parts: UniqueBox<MediaEngineParts>

  /// An engine for one call. Throws for settings that no engine can be made with; nothing here traps.
  public init(_ settings: MediaEngineSettings = .voiceAgent) throws(MediaEngineError) {
    try settings.check()
    let parts = try MediaEngineParts(settings)
    self.parts = UniqueBox(parts)
    self.settings = settings
  }

  /// Takes a block of the microphone: mono, at `captureRate`, any number of samples. What is no number counts as 0.
  @_noLocks
  public mutating func capture(_ microphone: borrowing SampleView, at now: MediaInstant) {
    parts.value.capture(microphone, at: now)
  }

  /// Fills a block for the loudspeaker: mono, at `renderRate`, any number of samples; silence where there is no sound.
  @_noLocks
  public mutating func render(into loudspeaker: inout MutableSpan<Float>, at now: MediaInstant) {
    parts.value.render(into: &loudspeaker, at: now)
  }

  /// Bytes that the longest datagram of `poll` can have: 1,500, or more where a packet of `sendFormat` is longer.
  public var maximumDatagramByteCount: Int { @_noLocks get { parts.value.maximumDatagramByteCount } }

  /// Takes a datagram that came at `now`, protected as it was on the wire.
  @_noLocks
  @discardableResult
  public mutating func receive(_ datagram: borrowing ByteView, at now: MediaInstant) -> ReceiveOutcome {
    parts.value.receive(datagram, at: now)
  }

  /// Hands over the next datagram or event. `maximumDatagramByteCount` bytes hold every datagram; one that does not fit is
  /// dropped and counted.
  @_noLocks
  public mutating func poll(into datagram: inout MutableSpan<UInt8>, at now: MediaInstant) -> MediaOutput {
    parts.value.poll(into: &datagram, at: now)
  }

  /// Whether silence is sent in place of the microphone. Packets keep flowing; levels and echo canceller go on.
  public var isMuted: Bool {
    @_noLocks get { parts.value.capturePath.isMuted }
    @_noLocks set { parts.value.capturePath.isMuted = newValue }
  }

  /// Whether anything is sent at all; a held call sends nothing. Echo canceller and levels go on, and so does RTP's time.
  public var isSending: Bool {
    @_noLocks get { parts.value.capturePath.isSending }
    @_noLocks set { parts.value.capturePath.isSending = newValue }
  }

  /// Whether `render` gives silence in place of the far end, whose time goes on; faded within 10 ms.
  public var isDeafened: Bool {
    @_noLocks get { parts.value.renderPath.playout.isDeafened }
    @_noLocks set { parts.value.renderPath.playout.isDeafened = newValue }
  }

  /// How long after `render` its sound reaches the microphone at the earliest, in ms, 0...500: what the devices report as
  /// their latency together. The echo canceller need not search where it knows.
  public var echoDelayMilliseconds: Int {
    @_noLocks get { parts.value.capturePath.processing.echoDelayMilliseconds }
    @_noLocks set { parts.value.capturePath.processing.echoDelayMilliseconds = newValue }
  }

  /// Presses a key for the far end (RFC 4733), behind those that are pressed already; meanwhile the microphone is silent.
  /// - Parameters:
  ///   - code: 0 to 9, 10 for `*`, 11 for `#`; see `TelephoneEvent.code(of:)`.
  ///   - milliseconds: how long it is down, 40 to 6,000; as much of it as 65,535 ticks of the RTP clock hold.
  /// - Returns: false when telephone events were not agreed on, or 32 keys wait already.
  @_noLocks
  public mutating func pressKey(_ code: UInt8, milliseconds: Int = 160) -> Bool {
    parts.value.capturePath.sender.pressKey(code, milliseconds: max(40, min(6_000, milliseconds)))
  }

  /// Ends what this end sends: what waits is dropped, and the next `poll` hands over the goodbye (RTCP BYE), if there is
  /// control, as the last datagram.
  @_noLocks
  public mutating func leave() { parts.value.leave() }

  /// Tells Opus a new bitrate, in bits per second; the other codecs have but one.
  @_noLocks
  public mutating func setBitrate(_ bitsPerSecond: Int) { parts.value.capturePath.setBitrate(bitsPerSecond) }

  /// Tells Opus what share of its packets gets lost, in percent; above 0 it sends copies of past frames along.
  @_noLocks
  public mutating func setExpectedPacketLoss(_ percent: Int) { parts.value.capturePath.setExpectedPacketLoss(percent) }
}

// What can be seen of a running engine; all of it may be read on the audio thread.
extension MediaEngine {
  /// Counters and levels by their W3C names.
  public var statistics: MediaStatistics {
    @_noLocks get {
      var all = MediaStatistics()
      all.mediaSource = parts.value.capturePath.processing.source
      all.outboundRTP = parts.value.capturePath.sender.statistics
      all.inboundRTP = parts.value.receiver.statistics
      all.inboundRTP.add(parts.value.renderPath.playout.jitterBuffer.statistics)
      parts.value.renderPath.playout.addStream(to: &all.inboundRTP)
      all.inboundRTP.add(
        parts.value.renderPath.playout.level, hertz: parts.value.renderPath.playout.sampleRate.hertz)
      all.faults = parts.value.receiver.faults
      all.faults.nonFiniteSamples = parts.value.capturePath.nonFiniteSamples
      all.faults.unsentPackets = parts.value.capturePath.sender.unsentPackets
      all.faults.encoderFailures = parts.value.capturePath.sender.encoderFailures
      parts.value.addControl(to: &all)
      return all
    }
  }

  /// The level of band `index` of the user's voice, 0...1; 0 where there is no such band.
  @_noLocks
  public func captureLevel(_ index: Int) -> Float { parts.value.capturePath.processing.level(index) }

  /// The level of band `index` of the agent's voice, 0...1; 0 where there is no such band.
  @_noLocks
  public func renderLevel(_ index: Int) -> Float { parts.value.renderPath.playout.level(index) }

  /// The delay that the jitter buffer aims at, in ms over the fastest packets.
  public var targetDelayMilliseconds: Double {
    @_noLocks get { Double(parts.value.renderPath.playout.jitterBuffer.targetDelay) * 1e-6 }
  }

  /// The delay of what is being played, in ms over the fastest packets.
  public var playoutDelayMilliseconds: Double {
    @_noLocks get { Double(parts.value.renderPath.playout.jitterBuffer.playoutDelay) * 1e-6 }
  }

  /// The RTP timestamp of the sound that the last `render` began with; `nil` before the first packet is played.
  public var playoutPosition: RTPTimestamp? {
    @_noLocks get {
      parts.value.renderPath.playout.jitterBuffer.position
    }
  }
}
