package import Networking

/// What Habla says on the wire: HTTP to begin and end a call, and one socket for each call. In a live call that carries
/// sound as it is, 16 bits at 16 kHz both ways; in an agent's call text alone, as its sound stays with the back end.
///
/// - Source: the contract of `habla-ios` and `habla-core`, as of March 2026.
package struct HablaDialect: SessionDialect {
  package enum Socket: Hashable, Sendable { case call }
  package enum Request: Hashable, Sendable { case initiate, end }
  package enum Timer: Hashable, Sendable {
    case initiation
    case second
    case tone
    /// `isReceiving` ends.
    case reception
    /// What came is a whole turn.
    case turn
    case reattachment
  }
  package enum Command: Sendable {
    /// The agent says goodbye in these words and hangs up.
    case endConversation(String)
    /// The agent hangs up at once.
    case endCall
  }
  package typealias Notice = HablaNotice

  /// How long the back end may take to name the call.
  package static let initiationSeconds = 30.0

  let server: HablaServer
  let call: HablaCall
  let settings: HablaSessionSettings
  /// The back end's name for the call.
  package var callSID: String?
  /// Seconds since both sides can hear each other.
  package var duration = 0
  /// The back end has no such call, or not any more.
  var isUnknownThere = false
  var transcript = HablaTranscript()
  var live = HablaLive()
  var agent = HablaAttachment()

  package init(_ call: HablaCall, at server: HablaServer, _ settings: HablaSessionSettings = HablaSessionSettings()) {
    self.server = server
    self.call = call
    self.settings = settings
  }

  package mutating func start(_ session: inout Session) {
    session.setTimer(.initiation, after: Self.initiationSeconds)
    session.send(call.initiation(at: server), for: .initiate)
  }

  package mutating func answered(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {
    guard request == .initiate, callSID == nil else { return }
    session.cancelTimer(.initiation)
    switch result {
    case .failure(let error): session.fail(.habla(error))
    case .success(let response) where !response.isSuccess: session.fail(.habla(response))
    case .success(let response):
      guard let sid = Self.sid(response) else { return session.fail(.hablaNoCallID) }
      callSID = sid
      session.publish(.notice(.callNamed(sid)))
      session.become(.connecting)
      session.open(.call, call.attachment(to: sid, at: server))
      if !call.isAgent { beginSound(&session) }
    }
  }

  package mutating func opened(_ socket: Socket, _ session: inout Session) {
    if call.isAgent { attached(&session) }
  }

  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    switch message {
    case .binary(let bytes): if !call.isAgent { received(sound: bytes, &session) }
    case .text(let text): if let message = HablaMessage(text) { take(message, &session) }
    }
  }

  private mutating func take(_ message: HablaMessage, _ session: inout Session) {
    switch (message, call.isAgent) {
    case (.status(let status), _): take(status, &session)
    case (.confirmation(let confirmation), _): session.publish(.notice(.confirmation(confirmation)))
    case (.facts(let facts), _): session.publish(.notice(.facts(facts)))
    case (.transcription(let text), false): add(text, by: .caller, &session)
    case (.translation(let text), false): add(text, by: .interpreter, &session)
    case (.interrupted, false): interrupted(&session)
    case (.error(let words), false):
      over(&session) { $0.fail(SessionError(.server, code: "callFailed", String(words.prefix(500)))) }
    case (.agentStatus(let state), true): session.setAgentState(state)
    case (.transcript(let entry), true):
      if let (id, entry) = transcript.merge(entry) { tell(id, entry, &session) }
    default: break  // of the other mode
    }
  }

  private mutating func take(_ status: HablaStatus, _ session: inout Session) {
    switch status {
    // The way to where the call is already, or was before.
    case .initiating, .connecting: break
    case .ringing: session.become(.ringing)
    case .connected: connected(&session)
    case .ended: over(&session) { $0.finish(.remote("ended")) }
    case .failed:
      over(&session) { $0.fail(SessionError(.signalling, code: "callFailed", "the call could not be made")) }
    }
  }

  /// Once, by what comes first: the status or sound.
  mutating func connected(_ session: inout Session) {
    guard !session.state.isActive else { return }
    session.become(.active([]))
    session.setTimer(.second, after: 1)
    if !call.isAgent { endTone(&session) }
    updatePhase(&session)
  }

  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    if ending.isOrderly { return over(&session) { $0.finish(.remote(ending.reason.isEmpty ? nil : ending.reason)) } }
    let error = SessionError.habla(ending)
    if call.isAgent, error.code == "webSocketError", reattach(&session) { return }
    isUnknownThere = error.code == "noSuchCall"
    over(&session) { $0.fail(error) }
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .initiation: session.fail(.hablaNoAnswer)
    case .second:
      duration += 1
      session.setTimer(.second, after: 1)
      session.publish(.notice(.duration(duration)))
    case .tone: playTone(&session)
    case .reception: setReceiving(false, &session)
    case .turn: endTurn(&session)
    case .reattachment: if let callSID { session.open(.call, call.attachment(to: callSID, at: server)) }
    }
  }

  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {
    switch event {
    case .microphone(let packet): send(packet, &session)
    case .failed(let error): over(&session) { $0.fail(.habla(sound: error)) }
    default: break
    }
  }

  package mutating func command(_ command: SessionCommand<Command>, _ session: inout Session) throws(SessionError) {
    guard call.isAgent else {
      if case .own = command { throw .unsupported("ending an agent's conversation in a live call") }
      throw .unsupported("anything but sound in a live call")
    }
    switch command {
    case .sendText(let text): steer(["type": "instruction", "text": .string(text)], &session)
    case .own(.endConversation(let text)): steer(["type": "end_conversation", "text": .string(text)], &session)
    case .own(.endCall): steer(["type": "end_call"], &session)
    default: throw .unsupported("holding, keys or tools in an agent's call")
    }
  }

  package mutating func goodbye(_ session: inout Session) {
    live.phase = .idle
    session.close(.call, code: 1001)
    if let callSID, !isUnknownThere { session.send(call.termination(of: callSID, at: server), for: .end) }
  }

  package static func outlivesEnd(_ request: Request) -> Bool { true }

  /// The call was named when nobody wanted it any more.
  package mutating func answeredAfterEnd(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {
    guard request == .initiate, callSID == nil, case .success(let response) = result, response.isSuccess,
      let sid = Self.sid(response)
    else { return }
    callSID = sid
    session.send(call.termination(of: sid, at: server), for: .end)
  }

  // MARK: shared by both modes

  /// Behind the end nothing is told: the phase goes first.
  mutating func over(_ session: inout Session, _ end: (inout Session) -> Void) {
    setReceiving(false, &session)
    setPhase(.idle, &session)
    end(&session)
  }

  private mutating func add(_ text: String, by role: HablaRole, _ session: inout Session) {
    let (id, entry) = transcript.append(HablaTranscript.Entry(role: role, text: text, timestamp: session.date))
    tell(id, entry, &session)
  }

  private func tell(_ id: String, _ entry: HablaTranscript.Entry, _ session: inout Session) {
    session.publish(.transcript(TranscriptItem(id, entry)))
  }

  private static func sid(_ response: HTTPResponse) -> String? {
    response.json["call_sid"].string.flatMap { $0.isEmpty || $0.utf8.count > 256 ? nil : $0 }
  }
}

/// What only Habla's sessions tell.
public enum HablaNotice: Sendable, Hashable {
  /// The back end's name for the call.
  case callNamed(String)
  /// What goes on in a live call.
  case phase(HablaLivePhase)
  /// Whether the far end's sound is coming.
  case receiving(Bool)
  /// Seconds since the call is connected.
  case duration(Int)
  /// The back end asks the user.
  case confirmation(HablaConfirmation)
  /// What was agreed on so far, in order.
  case facts([HablaFact])
}
