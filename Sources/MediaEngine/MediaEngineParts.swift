internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore

/// What an engine is made of, and how the parts meet: events and stage times of both paths, the echo's reference, the
/// jitter buffer between receiver and playout.
struct MediaEngineParts: ~Copyable, Sendable {
  var capturePath: CapturePath
  var renderPath: RenderPath
  var receiver: PacketReceiver
  var control: ControlPath?
  let maximumDatagramByteCount: Int
  private var isLeaving = false
  private var hasLeft = false
  var times: StageTimes
  var events = EventQueue()

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let capturePath = try CapturePath(settings)
    let renderPath = try RenderPath(settings)
    let receiver = try PacketReceiver(settings)
    let packetByteCount = capturePath.sender.maximumPacketByteCount
    // A report with feedback behind it may need as much as an Ethernet frame has room for.
    maximumDatagramByteCount = max(1_500, packetByteCount)
    self.capturePath = capturePath
    self.renderPath = renderPath
    self.receiver = receiver
    control = settings.control.map { ControlPath($0, of: settings, packetByteCount: packetByteCount) }
    times = StageTimes(isOn: settings.measuresStages)
  }

  @_noLocks
  mutating func capture(_ microphone: borrowing SampleView, at now: MediaInstant) {
    guard !isLeaving else { return }
    capturePath.process(microphone, at: now, &times, &events)
  }

  @_noLocks
  mutating func render(into loudspeaker: inout MutableSpan<Float>, at now: MediaInstant) {
    renderPath.render(into: &loudspeaker, at: now, reference: &capturePath.processing, &times)
    while let mark = renderPath.playout.nextMark() {
      events.append(.markReached(id: mark.id, wasHeard: mark.wasHeard))
    }
  }

  @_noLocks
  mutating func receive(_ datagram: borrowing ByteView, at now: MediaInstant) -> ReceiveOutcome {
    guard renderPath.playout.stream == nil else { return .notMedia }
    times.start()
    if control != nil, case .rtcp = DatagramKind(datagram) {
      let outcome = receiver.receiveControl(
        datagram, at: now, for: &control!, adapting: &capturePath.sender, &events)
      times.end(.unprotection)
      return outcome
    }
    let outcome = receiver.receive(datagram, at: now, into: &renderPath.playout.jitterBuffer, &events)
    times.end(.unprotection)
    return outcome
  }

  @_noLocks
  mutating func poll(into datagram: inout MutableSpan<UInt8>, at now: MediaInstant) -> MediaOutput {
    if control != nil {
      let byteCount = nextControl(into: &datagram, at: now)
      if byteCount > 0 { return .transmit(byteCount: byteCount) }
    }
    while true {
      switch capturePath.nextPacket(into: &datagram) {
      case .packet(let byteCount, let payloadByteCount, let captured):
        control?.didSend(
          ByteView(&datagram).extracting(0..<byteCount), payloadByteCount: payloadByteCount, captured: captured, at: now
        )
        return .transmit(byteCount: byteCount)
      case .tooLong: continue
      case .none:
        if let event = events.next() { return .event(event) }
        return .wait
      }
    }
  }

  /// The size of a control datagram that is due; 0 when none is.
  @_noLocks
  private mutating func nextControl(into datagram: inout MutableSpan<UInt8>, at now: MediaInstant) -> Int {
    guard !isLeaving else {
      guard !hasLeft else { return 0 }
      hasLeft = true
      return control!.writeGoodbye(into: &datagram, protectedBy: &capturePath.sender)
    }
    return control!.next(
      into: &datagram, at: now, &receiver, &renderPath.playout.jitterBuffer, protectedBy: &capturePath.sender)
  }

  /// Nothing is sent any more but the goodbye.
  @_noLocks
  mutating func leave() {
    isLeaving = true
    capturePath.sender.discardWaiting()
  }
}
