package import Networking
internal import RealtimeCore

/// Telnyx' protocol for voice agents: JSON-RPC over one WebSocket for login, calls, transcript and text, and WebRTC for
/// the sound.
///
/// The session is the connection, not a call: the widget logs in when it appears, and calls and hangs up on the same
/// socket as often as the user likes, as the provider's own client does. So the life line is the connection's
/// (`preparing` while it is dialled, `connecting` while it logs in, `active` from then on), calls are commands and
/// notices inside it, and each call opens a new sound. What ends the session is what the widget shows as an error.
/// - Source: behaviour of the provider's open clients; where they leave a server's silence unbounded, the limit is ours.
package struct TelnyxDialect: SessionDialect {
  package enum Socket: Hashable, Sendable { case signalling }

  package enum Timer: Hashable, Sendable {
    /// From dialling to an open socket.
    case dial
    /// Until the socket is dialled anew.
    case redial
    /// From the login to the server's word on it.
    case login
    /// From the login to a call without a gateway.
    case readiness
    /// Until the gateway is asked again.
    case gateway
    /// Since the last candidate: the description leaves.
    case gathered
    /// Since the last candidate: there are no more.
    case endOfCandidates
    /// From the invitation to the answer.
    case answer
    /// Looks whether the server is still there.
    case idle
    /// From a probe to its reply.
    case probe
    /// From a silent peer to a new path.
    case grace
    /// From the offer of a new path to its answer.
    case restart
    /// From that answer to the first packet.
    case proof
    /// From the loss of a call to its end.
    case reconnect
  }

  package enum Command: Sendable {
    case call(TelnyxCallParameters)
    case hangUp
    case show([TelnyxImage], text: String)
    /// Tells the server that this end has seen the call ring.
    case acknowledgeRinging
    /// This machine has gone to another network.
    case networkChanged
  }

  package enum Notice: Sendable, Hashable {
    /// A call can be made: the login has been sent.
    case linkUp
    case settings(WidgetSettings)
    case call(TelnyxCallState)
    case agentStatus(WidgetAgentStatus)
    /// Addresses of the pictures of an item; told before the item.
    case images([String], item: String)
  }

  let configuration: TelnyxConfiguration
  /// A session that is one call: made as soon as the link is up, and with its end all is over.
  let onlyCall: TelnyxCallParameters?
  let frames: TelnyxFrames
  var identifiers: SessionIdentifiers
  var link: TelnyxLink
  var call: TelnyxCall?
  var transcript = TelnyxTranscript()
  var seenFrames = RecentIdentifiers()
  var openToolCalls: Set<String> = []
  var seenToolCalls = RecentIdentifiers()
  /// What was said while there was no connection.
  var outbox: [JSON] = []

  /// - Parameter onlyCall: makes the session one call, whose life line is the call's.
  package init(
    _ configuration: TelnyxConfiguration, onlyCall: TelnyxCallParameters? = nil,
    identifiers: SessionIdentifiers = .random
  ) {
    self.configuration = configuration
    self.onlyCall = onlyCall
    self.identifiers = identifiers
    frames = TelnyxFrames(configuration)
    link = TelnyxLink(session: self.identifiers.next())
  }

  package mutating func start(_ session: inout Session) { dial(&session) }

  package mutating func opened(_ socket: Socket, _ session: inout Session) { logIn(&session) }

  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    // Frames are text; a server that sends anything else, or no JSON object, is not heard.
    guard case .text(let text) = message, let frame = try? JSON(parsing: text), frame.object != nil else { return }
    link.lastInbound = session.now
    if let id = frame["voice_sdk_id"].string { link.serverSession = id }
    if frame["error"].object != nil {
      takeError(frame, &session)
    } else if frame["result"].object != nil {
      takeResult(frame, &session)
    } else if let method = frame["method"].string {
      takeRequest(method, frame, text, &session)
    }
  }

  private mutating func takeRequest(_ method: String, _ frame: JSON, _ text: String, _ session: inout Session) {
    let params = frame["params"]
    switch method {
    case "telnyx_rtc.ping":
      // The very same text. Before the gateway has registered this client, an answer would be refused.
      if link.isRegistered { session.send(text, to: .signalling) }
    case "telnyx_rtc.clientReady": clientReady(params, &session)
    case "telnyx_rtc.gatewayState": if let state = params["state"].string { takeGateway(state, &session) }
    case "ai_conversation":
      if let id = frame["id"].string, !seenFrames.insert(id) { return }
      converse(params, &session)
    case "telnyx_rtc.ringing", "telnyx_rtc.media", "telnyx_rtc.answer", "telnyx_rtc.bye", "telnyx_rtc.attach",
      "telnyx_rtc.candidate", "telnyx_rtc.endOfCandidates":
      // What is said of another call, or of one that is over, changes nothing.
      guard let call, isOf(call, params) else { return }
      if !call.state.isOver { return takeCall(method, params, &session) }
      // The user hung up while the connection was gone: the server learns of it now.
      guard method == "telnyx_rtc.attach" else { return }
      send(frames.bye(id: identifiers.next(), session: link.session, call: call, .normalClearing), &session)
    default: break
    }
  }

  private func isOf(_ call: TelnyxCall, _ params: JSON) -> Bool {
    let id = params["callID"].string ?? params["dialogParams"]["callID"].string
    return id?.lowercased() == call.id
  }

  private mutating func takeResult(_ frame: JSON, _ session: inout Session) {
    let (id, result) = (frame["id"].string, frame["result"])
    link.lastReply = session.now
    if let id, id == link.probeID { probed(&session) }
    if let id, id == link.loginID {
      loggedIn(result, &session)
    } else if let state = result["params"]["state"].string {
      takeGateway(state, &session)
    } else if let call, id == call.updateID, id != nil {
      updated(result, &session)
    }
  }

  private mutating func takeError(_ frame: JSON, _ session: inout Session) {
    let (id, error) = (frame["id"].string, frame["error"])
    link.lastReply = session.now
    let code = error["code"].int ?? error["code"].string.flatMap { Int($0) } ?? 0
    let refusal = SessionError(
      TelnyxError.serverError(.signalingServerError(message: error["message"].string ?? "", code: code)))
    if let id, id == link.probeID { return probed(&session) }
    if let id, id == call?.updateID { return reattach(.serverError, &session) }
    let isFatal = id != nil && (id == link.loginID || id == call?.inviteID) || (-32_004 ... -32_000).contains(code)
    guard isFatal else { return session.publish(.problem(refusal)) }
    endCall(.done(nil), &session)
    session.fail(refusal)
  }

  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    lost(wasOpen: ending.wasOpen, &session)
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .dial, .redial, .login, .readiness, .gateway, .idle, .probe: linkElapsed(timer, &session)
    case .gathered: settle(&session)
    case .endOfCandidates: tellEndOfCandidates(&session)
    case .answer:
      session.publish(.problem(SessionError(.timeout, code: "answer", "nobody has answered the call")))
      hangUp(.recoveryOnTimerExpire, &session)
    case .grace, .restart, .proof, .reconnect: recoveryElapsed(timer, &session)
    }
  }

  package mutating func goodbye(_ session: inout Session) {
    guard let call, !call.state.isOver, call.inviteID != nil else { return }
    let cause = Self.cause(of: call.state)
    send(frames.bye(id: identifiers.next(), session: link.session, call: call, cause), &session)
  }

  /// Sends a frame.
  /// - Returns: false when the socket is not open.
  @discardableResult
  mutating func send(_ frame: JSON, _ session: inout Session) -> Bool { session.send(frame.text, to: .signalling) }
}
