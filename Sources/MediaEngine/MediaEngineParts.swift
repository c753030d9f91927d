internal import JitterBuffer
internal import RealtimeCore

/// What an engine is made of, and how the parts meet: events and stage times of both paths, the echo's reference, the
/// jitter buffer between receiver and playout.
struct MediaEngineParts: ~Copyable, Sendable {
  var capturePath: CapturePath
  var renderPath: RenderPath
  var receiver: PacketReceiver
  var times: StageTimes
  var events = EventQueue()

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let capturePath = try CapturePath(settings)
    let renderPath = try RenderPath(settings)
    let receiver = try PacketReceiver(settings)
    self.capturePath = capturePath
    self.renderPath = renderPath
    self.receiver = receiver
    times = StageTimes(isOn: settings.measuresStages)
  }

  @_noLocks
  mutating func capture(_ microphone: borrowing SampleView) {
    capturePath.process(microphone, &times, &events)
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
    let outcome = receiver.receive(datagram, at: now, into: &renderPath.playout.jitterBuffer, &events)
    times.end(.unprotection)
    return outcome
  }

  @_noLocks
  mutating func poll(into datagram: inout MutableSpan<UInt8>) -> MediaOutput {
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
}
