internal import Networking

// A call: offered, answered, held, ended.
extension TelnyxDialect {
  /// From an invitation to its answer, in seconds; ours.
  static let answerSeconds = 60.0
  /// Without another candidate, in seconds: a whole description leaves; a peer that is trickled to is told the end.
  static let gatheredSeconds = 0.3
  static let endOfCandidatesSeconds = 3.0

  var isCallEstablished: Bool { call?.state.isEstablished ?? false }

  mutating func begin(_ parameters: TelnyxCallParameters, _ session: inout Session) throws(SessionError) {
    // While the connection is made again, the invitation waits.
    guard link.phase == .loggingIn || link.wasReady else {
      throw SessionError(TelnyxError.callFailed(.sessionIdIsRequired))
    }
    if let call, !call.state.isOver { throw .alreadyStarted }
    guard !parameters.destinationNumber.isEmpty else {
      throw SessionError(TelnyxError.callFailed(.destinationNumberIsRequired))
    }
    if let name = parameters.customHeaders.keys.first(where: { !$0.hasPrefix("X-") }) {
      throw SessionError(.configuration, "the custom header \(name.prefix(40)) must begin with X-")
    }
    transcript = TelnyxTranscript()
    (openToolCalls, seenToolCalls, outbox) = ([], RecentIdentifiers(), [])
    call = TelnyxCall(id: identifiers.next(), parameters, asksServers: !configuration.iceServers.isEmpty)
    session.publish(.notice(.call(.new)))
    // Always told of candidates one by one: how they go out is decided here.
    session.media(.openPeer(servers: configuration.iceServers, trickles: true, offers: true))
  }

  mutating func change(to state: TelnyxCallState, _ session: inout Session) {
    guard let call, !call.state.isOver, call.state != state else { return }
    self.call?.state = state
    session.publish(.notice(.call(state)))
    if onlyCall != nil {
      if state == .ringing { session.become(.ringing) }
      if state == .active { session.become(.active([])) }
    }
    if case .reconnecting = state { session.setReconnecting(true) } else { session.setReconnecting(false) }
    session.setHeld(self.call?.isHeld ?? false)
  }

  // MARK: descriptions and candidates on their way out

  mutating func described(_ text: String, _ session: inout Session) {
    guard let call, call.gathering.text == nil else { return }
    self.call?.gathering.text = text
    // A path that is not looked for anew brings no candidates: all are there.
    let isOldPath =
      call.gathering.purpose == .attach && call.gathering.candidates.isEmpty && text.contains("a=candidate:")
    if isOldPath { self.call?.gathering.isSettled = true }
    leave(&session)
  }

  mutating func found(_ candidate: CandidateGathering.Candidate, _ session: inout Session) {
    guard var call, call.gathering.add(candidate) else { return }
    defer { self.call = call }
    if !configuration.usesTrickleICE {
      if call.gathering.isUseful, !call.gathering.hasLeft {
        session.setTimer(.gathered, after: Self.gatheredSeconds)
      }
    } else if call.gathering.hasLeft, !call.gathering.hasToldEnd {
      trickle(candidate, of: call, &session)
    }
  }

  mutating func foundAll(_ session: inout Session) {
    guard call?.gathering.isComplete == false else { return }
    call?.gathering.isComplete = true
    call?.gathering.isSettled = true
    if configuration.usesTrickleICE { tellEndOfCandidates(&session) } else { leave(&session) }
  }

  /// There was no other candidate for a while.
  mutating func settle(_ session: inout Session) {
    call?.gathering.isSettled = true
    leave(&session)
  }

  /// Sends the description, once, when it is ready and the server is.
  mutating func leave(_ session: inout Session) {
    guard let call, !call.state.isOver, !call.gathering.hasLeft, let text = call.gathering.text else { return }
    let trickles = configuration.usesTrickleICE
    guard trickles || call.gathering.isSettled, link.phase == .ready else { return }
    guard call.gathering.purpose != .invite || link.takesCalls else { return }
    self.call?.gathering.hasLeft = true
    session.cancelTimer(.gathered)
    let sdp = trickles ? DescriptionText.bare(text) : DescriptionText.whole(text, with: call.gathering.candidates)
    submit(sdp, for: call.gathering.purpose, &session)
    guard trickles, let call = self.call else { return }
    for candidate in call.gathering.candidates { trickle(candidate, of: call, &session) }
    if call.gathering.isComplete { tellEndOfCandidates(&session) }
  }

  private mutating func submit(_ sdp: String, for purpose: CandidateGathering.Purpose, _ session: inout Session) {
    guard let call else { return }
    let id = identifiers.next()
    switch purpose {
    case .invite:
      self.call?.inviteID = id
      send(frames.invite(id: id, session: link.session, call: call, sdp: sdp), &session)
      session.setTimer(.answer, after: Self.answerSeconds)
      change(to: .connecting, &session)
    case .update:
      self.call?.updateID = id
      send(
        frames.modify(id: id, session: link.session, call: call, action: "updateMedia", sdp: sdp), &session)
    case .attach:
      send(frames.attach(id: id, session: link.session, call: call, sdp: sdp), &session)
      recovered(&session)
      flushOutbox(&session)
    }
  }

  private mutating func trickle(
    _ candidate: CandidateGathering.Candidate, of call: TelnyxCall, _ session: inout Session
  ) {
    send(frames.candidate(candidate.line, mid: candidate.mid, id: identifiers.next(), call: call), &session)
    session.setTimer(.endOfCandidates, after: Self.endOfCandidatesSeconds)
  }

  mutating func tellEndOfCandidates(_ session: inout Session) {
    guard let call, call.gathering.hasLeft, !call.gathering.hasToldEnd else { return }
    self.call?.gathering.hasToldEnd = true
    session.cancelTimer(.endOfCandidates)
    send(frames.endOfCandidates(id: identifiers.next(), call: call), &session)
  }

  // MARK: what the server says of the call

  mutating func takeCall(_ method: String, _ params: JSON, _ session: inout Session) {
    switch method {
    case "telnyx_rtc.ringing": if call?.state == .connecting { change(to: .ringing, &session) }
    case "telnyx_rtc.media":
      guard !isCallEstablished, call?.gathering.hasLeft == true, let sdp = params["sdp"].string else { return }
      guard call?.farDescription != sdp else { return }
      call?.farDescription = sdp
      session.media(.acceptProvisionalAnswer(sdp))
    case "telnyx_rtc.answer": answered(params, &session)
    case "telnyx_rtc.bye":
      let reason = TelnyxTermination(
        cause: params["cause"].string, causeCode: params["causeCode"].int, sipCode: params["sipCode"].int,
        sipReason: params["sipReason"].string, sipCallID: params["sip_call_id"].string)
      endCall(.done(reason), &session)
      if onlyCall != nil { session.finish(.remote(reason.cause)) }
    case "telnyx_rtc.attach": attach(params, &session)
    case "telnyx_rtc.candidate":
      if let line = params["candidate"].string { session.media(line.isEmpty ? .endOfCandidates : .addCandidate(line)) }
    case "telnyx_rtc.endOfCandidates": session.media(.endOfCandidates)
    default: break
    }
  }

  private mutating func answered(_ params: JSON, _ session: inout Session) {
    guard !isCallEstablished, call?.inviteID != nil else { return }
    session.cancelTimer(.answer)
    guard let sdp = params["sdp"].string ?? call?.farDescription else {
      return hangUp(.mandatoryInformationMissing, &session)
    }
    call?.farDescription = sdp
    accept(.acceptAnswer(sdp), &session)
    change(to: .active, &session)
  }

  /// Takes a description; the sound begins to send with each, which a held call must not.
  mutating func accept(_ action: SessionMediaAction, _ session: inout Session) {
    session.media(action)
    if call?.isHeld == true { session.media(.send(false)) }
  }

  // MARK: the end of a call

  static func cause(of state: TelnyxCallState) -> TelnyxCause { state.isEstablished ? .normalClearing : .userBusy }

  /// This end hangs up.
  mutating func hangUp(_ cause: TelnyxCause?, _ session: inout Session) {
    guard let call, !call.state.isOver else { return }
    let cause = cause ?? Self.cause(of: call.state)
    // What the server was never told of needs no goodbye.
    if call.inviteID != nil {
      send(frames.bye(id: identifiers.next(), session: link.session, call: call, cause), &session)
    }
    endCall(.done(TelnyxTermination(cause)), &session)
    guard onlyCall != nil else { return }
    session.fail(SessionError(.signalling, code: cause.name, "the call did not come about", isRetryable: true))
  }

  /// The call is over, however that came.
  mutating func endCall(_ state: TelnyxCallState, _ session: inout Session) {
    guard let call, !call.state.isOver else { return }
    for timer in [Timer.gathered, .endOfCandidates, .answer, .grace, .restart, .proof, .reconnect] {
      session.cancelTimer(timer)
    }
    self.call?.isHeld = false
    self.call?.recovery = .none
    change(to: state, &session)
    session.setAgentState(.listening)
    session.media(.close)
    (openToolCalls, outbox) = ([], [])
  }
}
