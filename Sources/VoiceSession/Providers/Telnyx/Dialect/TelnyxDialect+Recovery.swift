internal import Networking

// A call that was cut off: first a new path for the sound, then a new connection with the call on it, a minute in all.
extension TelnyxDialect {
  /// Bounds in seconds.
  enum RecoveryLimit {
    /// A peer that is silent for so long has lost its path.
    static let grace = 3.0
    /// The server counts as there when something came within this time.
    static let freshInbound = 3.0
    static let restart = 15.0
    static let proof = 5.0
    static let whole = 60.0
  }

  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {
    guard let call, !call.state.isOver else { return }
    switch event {
    case .offer(let text), .answer(let text): described(text, &session)
    case .localCandidate(let line, let mid): found(CandidateGathering.Candidate(line: line, mid: mid), &session)
    case .endOfLocalCandidates: foundAll(&session)
    case .connected:
      session.cancelTimer(.grace)
      if call.recovery == .probing { recovered(&session) }
    case .disconnected:
      guard isCallEstablished, call.recovery == .none, !session.isRunning(.grace) else { return }
      session.setTimer(.grace, after: RecoveryLimit.grace)
    case .failed(let error): mediaFailed(error, &session)
    case .receiving(let isReceiving):
      self.call?.isReceiving = isReceiving
      if isReceiving, call.recovery == .proving { recovered(&session) }
    default: break
    }
  }

  private mutating func mediaFailed(_ error: SessionError, _ session: inout Session) {
    guard let call else { return }
    if error.isRetryable, isCallEstablished {
      if call.recovery == .none { return save(&session) }
      if call.recovery == .restarting || call.recovery == .proving { return reattach(.networkLost, &session) }
      return
    }
    hangUp(isCallEstablished ? nil : .incompatibleDestination, &session)
    session.fail(error)
  }

  /// The path is lost. A new one is agreed on over the socket, if that is alive.
  private mutating func save(_ session: inout Session) {
    session.cancelTimer(.grace)
    change(to: .reconnecting(.networkLost), &session)
    startLimit(&session)
    let isFresh =
      age(of: link.lastInbound, session) <= RecoveryLimit.freshInbound
      && age(of: link.lastReply, session) <= Limit.unconfirmed
    if isFresh { return restart(&session) }
    call?.recovery = .probing
    probe(&session)
  }

  mutating func restart(_ session: inout Session) {
    guard let call, call.state.isEstablished else { return }
    self.call?.recovery = .restarting
    self.call?.gathering = CandidateGathering(.update, asksServers: call.gathering.asksServers)
    session.media(.restartICE)
    session.setTimer(.restart, after: RecoveryLimit.restart)
  }

  /// The server's word on a new path.
  mutating func updated(_ result: JSON, _ session: inout Session) {
    guard call?.recovery == .restarting else { return }
    call?.updateID = nil
    guard let sdp = result["sdp"].string else { return reattach(.serverError, &session) }
    session.cancelTimer(.restart)
    call?.farDescription = sdp
    call?.recovery = .proving
    accept(.acceptAnswer(sdp), &session)
    session.setTimer(.proof, after: RecoveryLimit.proof)
  }

  mutating func recoveryElapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .grace: save(&session)
    case .restart: reattach(.networkLost, &session)
    // Packets that never stopped to come are no event.
    case .proof: if call?.isReceiving == true { recovered(&session) } else { reattach(.networkLost, &session) }
    case .reconnect: giveUp(&session)
    default: break
    }
  }

  /// Drops the connection and makes a new one, on which the server offers the call again.
  mutating func reattach(_ reason: TelnyxInterruption, _ session: inout Session) {
    guard let call, call.state.isEstablished else { return }
    for timer in [
      Timer.grace, .restart, .proof, .gathered, .endOfCandidates, .dial, .login, .readiness, .gateway, .idle, .probe,
    ] {
      session.cancelTimer(timer)
    }
    (link.phase, link.isRegistered, link.gatewayAsks, link.probeID) = (.closed, false, 0, nil)
    self.call?.recovery = .reattaching
    self.call?.updateID = nil
    if case .reconnecting = call.state {} else { change(to: .reconnecting(reason), &session) }
    startLimit(&session)
    session.close(.signalling)
    session.setTimer(.redial, after: Limit.redial)
  }

  /// The server offers the call on the new connection.
  mutating func attach(_ params: JSON, _ session: inout Session) {
    guard let call, call.state.isEstablished, link.phase == .ready || link.phase == .loggingIn else { return }
    guard let sdp = params["sdp"].string else { return }
    let theirs = DescriptionText.values(of: "fingerprint", in: sdp)
    let isSamePeer = theirs == DescriptionText.values(of: "fingerprint", in: call.farDescription ?? "")
    self.call?.farDescription = sdp
    self.call?.gathering = CandidateGathering(.attach, asksServers: call.gathering.asksServers)
    // The same certificate is the same peer, whose sound may have flowed all the time; another one needs new keys.
    if !isSamePeer {
      session.media(.close)
      session.media(.openPeer(servers: configuration.iceServers, trickles: true, offers: false))
    }
    accept(.acceptOffer(sdp), &session)
  }

  /// The call stands again.
  mutating func recovered(_ session: inout Session) {
    for timer in [Timer.restart, .proof, .reconnect, .probe, .grace] { session.cancelTimer(timer) }
    link.probeID = nil
    call?.recovery = .none
    change(to: call?.isHeld == true ? .held : .active, &session)
  }

  /// It will not: too late, or the server has let it go.
  mutating func giveUp(_ session: inout Session) {
    endCall(.done(nil), &session)
    session.fail(SessionError(TelnyxError.callFailed(.reconnectFailed)))
  }

  private mutating func startLimit(_ session: inout Session) {
    if !session.isRunning(.reconnect) { session.setTimer(.reconnect, after: RecoveryLimit.whole) }
  }
}
