internal import Networking
internal import RealtimeCore

// The connection: dialled, logged in, registered, and asked for signs of life.
extension TelnyxDialect {
  /// Bounds in seconds. Those marked as ours are not the provider's.
  enum Limit {
    static let dial = 5.0
    static let redial = 1.0
    /// How often a server that does not answer is dialled for the first time; ours.
    static let dials = 5
    /// Ours: its clients wait for ever.
    static let login = 10.0
    /// How long after the login a gateway may come to be asked for; ours.
    static let readiness = 1.0
    static let gateway = 3.0
    static let gatewayAsks = 3
    static let idleCheck = 3.0
    static let silence = 20.0
    static let unconfirmed = 45.0
    static let probe = 5.0
  }

  mutating func dial(_ session: inout Session) {
    link.phase = .dialling
    link.dials += 1
    let address = configuration.address(inRegion: link.usesRegion, session: link.serverSession)
    session.open(.signalling, SocketRequest(address))
    session.setTimer(.dial, after: Limit.dial)
  }

  mutating func logIn(_ session: inout Session) {
    session.cancelTimer(.dial)
    session.become(.connecting)
    link.phase = .loggingIn
    link.isRegistered = false
    link.gatewayAsks = 0
    link.isWithoutGateway = false
    let id = identifiers.next()
    link.loginID = id
    send(frames.login(id: id, session: link.session, isReconnection: link.wasReady), &session)
    session.setTimer(.login, after: Limit.login)
    guard !link.wasReady else { return }
    session.publish(.notice(.linkUp))
    guard let onlyCall else { return }
    do throws(SessionError) { try begin(onlyCall, &session) } catch { session.fail(error) }
  }

  mutating func loggedIn(_ result: JSON, _ session: inout Session) {
    guard link.phase == .loggingIn else { return }
    session.cancelTimer(.login)
    link.phase = .ready
    link.loginID = nil
    link.wasReady = true
    link.lastReply = session.now
    if let id = result["sessid"].string { link.session = id }
    if onlyCall == nil { session.become(.active([])) }
    session.setTimer(.readiness, after: Limit.readiness)
    if !session.isRunning(.idle) { session.setTimer(.idle, after: Limit.idleCheck) }
    if call == nil || call?.recovery == TelnyxCall.Recovery.none { flushOutbox(&session) }
    leave(&session)
  }

  mutating func clientReady(_ params: JSON, _ session: inout Session) {
    let hasForgotten = params["reattached_sessions"].array?.isEmpty == true
    if hasForgotten, let call, call.state.isEstablished, call.recovery == .reattaching {
      return giveUp(&session)
    }
    guard link.phase != .closed, link.phase != .dialling, link.gatewayAsks == 0, !link.isRegistered else { return }
    askGateway(&session)
  }

  private mutating func askGateway(_ session: inout Session) {
    link.gatewayAsks += 1
    send(frames.gatewayState(id: identifiers.next()), &session)
    session.setTimer(.gateway, after: Limit.gateway)
  }

  /// Once registered, later states do not count.
  mutating func takeGateway(_ state: String, _ session: inout Session) {
    guard !link.isRegistered, link.phase == .ready || link.phase == .loggingIn else { return }
    if state == "REGED" {
      link.isRegistered = true
      session.cancelTimer(.gateway)
      leave(&session)
    } else if link.gatewayAsks > 0 {
      // The wait begins with the reply.
      session.setTimer(.gateway, after: Limit.gateway)
    }
  }

  mutating func linkElapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .dial:
      session.close(.signalling)
      if link.wasReady || link.dials >= Limit.dials { return lost(wasOpen: false, &session) }
      link.usesRegion = false
      session.setTimer(.redial, after: Limit.redial)
    case .redial: dial(&session)
    case .readiness:
      link.isWithoutGateway = true
      leave(&session)
    case .login:
      session.close(.signalling)
      if isCallEstablished { return lost(wasOpen: true, &session) }
      endCall(.dropped(.serverError), &session)
      session.fail(
        SessionError(.timeout, code: "login", "the server has not answered the login in \(Int(Limit.login)) s"))
    case .gateway:
      guard !link.isRegistered else { return }
      if link.gatewayAsks < Limit.gatewayAsks { return askGateway(&session) }
      endCall(.done(TelnyxTermination(.invalidGateway)), &session)
      session.fail(SessionError(TelnyxError.serverError(.gatewayNotRegistered)))
    case .idle:
      session.setTimer(.idle, after: Limit.idleCheck)
      let isSilent = age(of: link.lastInbound, session) >= Limit.silence
      if link.isRegistered, isSilent || age(of: link.lastReply, session) >= Limit.unconfirmed { probe(&session) }
    case .probe:
      link.probeID = nil
      session.close(.signalling)
      lost(wasOpen: true, &session)
    default: break
    }
  }

  /// Asks for a sign of life, unless one is awaited.
  mutating func probe(_ session: inout Session) {
    guard link.probeID == nil, link.phase == .ready else { return }
    let id = identifiers.next()
    link.probeID = id
    send(frames.ping(id: id), &session)
    session.setTimer(.probe, after: Limit.probe)
  }

  mutating func probed(_ session: inout Session) {
    link.probeID = nil
    session.cancelTimer(.probe)
    if call?.recovery == .probing { restart(&session) }
  }

  /// The socket is gone, or was not to be had.
  mutating func lost(wasOpen: Bool, _ session: inout Session) {
    let wasFirst = !link.wasReady && !wasOpen
    link.phase = .closed
    link.isRegistered = false
    link.gatewayAsks = 0
    link.probeID = nil
    for timer in [Timer.dial, .login, .readiness, .gateway, .idle, .probe] { session.cancelTimer(timer) }
    if isCallEstablished {
      reattach(.networkLost, &session)
    } else if wasFirst, link.usesRegion, configuration.region != .automatic {
      link.usesRegion = false
      session.setTimer(.redial, after: Limit.redial)
    } else {
      endCall(.dropped(.networkLost), &session)
      session.fail(SessionError(TelnyxError.socketConnectionFailed(.socketNotConnected)))
    }
  }

  func age(of moment: MediaInstant, _ session: borrowing Session) -> Double {
    Double(session.now.nanoseconds - moment.nanoseconds) * 1e-9
  }

  mutating func flushOutbox(_ session: inout Session) {
    let waiting = outbox
    outbox = []
    for frame in waiting where !send(frame, &session) { outbox.append(frame) }
  }
}
