internal import RTPTransport
internal import RealtimeCore

extension PeerTransport {
  /// What ICE has to say.
  func handle(_ event: ICEAgent.Event) {
    switch event {
    case .candidate(let candidate): publisher.publish(.localCandidate(candidate))
    case .gathering(let state): publisher.publish(.gatheringState(state))
    case .selectedPair(let pair):
      publisher.publish(.selectedPair(pair))
      startDTLS()
    case .state(let state):
      if state == .connected || state == .completed { publisher.forgetFailureOfICE() }
      publisher.publish(.iceState(state))
      startDTLS()
    case .failed(let error): publisher.publish(.failed(.ice(error)))
    case .serverFailed(let server, let reason): publisher.publish(.candidateError(server, reason: reason))
    }
  }

  /// Begins the handshake as soon as the peer's fingerprints and a path are there.
  func startDTLS() {
    guard let agent = path.agent, agent.hasPath, agent.state == .connected || agent.state == .completed,
      dtls != nil, dtlsState == .new
    else { return }
    let now = EventLoop.now
    dtls?.start(at: now)
    let early = earlyFlight
    earlyFlight = []
    for datagram in early { dtls?.receive(datagram.span, at: now) }
    advanceDTLS(at: now)
  }

  func receiveDTLS(_ datagram: [UInt8], at now: MediaInstant) {
    guard dtls != nil, dtlsState != .new else {
      // The peer may be ahead of its description by a flight or two.
      if dtlsState == .new, earlyFlight.count < Self.earlyFlightLimit {
        earlyFlight.append(datagram)
      } else {
        path.counts.ignoredDTLSDatagrams += 1
      }
      return
    }
    dtls?.receive(datagram.span, at: now)
    advanceDTLS(at: now)
  }

  /// Datagrams kept for later: a first flight is one or two.
  private static let earlyFlightLimit = 4

  /// After each step of the handshake: sends what is to be sent, says what is new, sets the timer.
  private func advanceDTLS(at now: MediaInstant) {
    while let datagram = dtls?.nextDatagram() { _ = path.send(datagram.span, at: now) }
    let state = dtls?.state ?? .closed
    path.counts.dtlsRole = dtls?.role
    if state != dtlsState {
      dtlsState = state
      publisher.publish(.dtlsState(state))
      switch state {
      case .connected:
        keys = dtls?.keys
        path.isOpen = keys != nil
        if let keys { publisher.publish(.connected(keys)) }
      case .failed(let error):
        keys = nil
        path.isOpen = false
        publisher.publish(.failed(.dtls(error)))
      case .new, .connecting, .closed: break
      }
    }
    // No timer stands beside another: the old one is let go, which cancels it.
    dtlsTimer = dtls?.nextTimeout(at: now).map { time in
      loop.schedule(at: time) { [weak self] in self?.assumeIsolated { $0.timeoutDTLS() } }
    }
  }

  private func timeoutDTLS() {
    let now = EventLoop.now
    dtls?.handleTimeout(at: now)
    advanceDTLS(at: now)
  }

  /// Says goodbye, if a handshake was begun.
  func closeDTLS() {
    dtlsTimer = nil
    earlyFlight = []
    keys = nil
    path.isOpen = false
    guard dtls != nil else { return }
    dtls?.close()
    path.counts.ignoredDTLSDatagrams += dtls?.ignoredDatagramCount ?? 0
    advanceDTLS(at: EventLoop.now)
    dtls = nil
  }
}
