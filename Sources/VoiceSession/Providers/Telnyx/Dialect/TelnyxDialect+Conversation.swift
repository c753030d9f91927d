internal import Networking

// What the app asks for in a call, and what the server says about the conversation.
extension TelnyxDialect {
  package mutating func command(
    _ command: SessionCommand<Command>, _ session: inout Session
  ) throws(SessionError) {
    switch command {
    case .own(.call(let parameters)): try begin(parameters, &session)
    case .own(.hangUp): hangUp(nil, &session)
    case .own(.show(let images, let text)): try say(text, images, &session)
    case .sendText(let text): try say(text, [], &session)
    case .own(.acknowledgeRinging):
      guard let call, call.state == .ringing else { throw SessionError(TelnyxError.callFailed(.callNotFound)) }
      send(
        TelnyxFrames.request(
          "telnyx_rtc.ringing_ack", id: identifiers.next(),
          ["callID": .string(call.id), "sessid": .string(link.session)]), &session)
    case .own(.networkChanged): if isCallEstablished { reattach(.networkSwitch, &session) }
    case .toolResult(let id, let result, _):
      guard openToolCalls.remove(id) != nil else {
        throw SessionError(.configuration, code: "unknownToolCall", "no function call with the id \(id) waits")
      }
      post(TelnyxFrames.toolResult(call: id, output: result), &session)
    case .hold(let isHeld): try hold(isHeld, &session)
    case .pressKeys(let keys): try press(keys, &session)
    case .start, .end, .mute, .systemMute: break  // the core's
    }
  }

  private func establishedCall() throws(SessionError) -> TelnyxCall {
    guard let call, call.state.isEstablished else { throw SessionError(TelnyxError.callFailed(.callNotFound)) }
    return call
  }

  private mutating func hold(_ isHeld: Bool, _ session: inout Session) throws(SessionError) {
    let call = try establishedCall()
    guard isHeld != call.isHeld else { return }
    guard call.recovery == .none else { throw .notActive }
    send(
      frames.modify(
        id: identifiers.next(), session: link.session, call: call, action: isHeld ? "hold" : "unhold"), &session)
    self.call?.isHeld = isHeld
    session.media(.send(!isHeld))
    change(to: isHeld ? .held : .active, &session)
  }

  private mutating func press(_ keys: String, _ session: inout Session) throws(SessionError) {
    let call = try establishedCall()
    guard !keys.isEmpty, keys.allSatisfy({ "0123456789*#".contains($0) }) else {
      throw SessionError(.configuration, "keys are 0 to 9, * and #, not \"\(keys.prefix(20))\"")
    }
    guard send(frames.keys(keys, id: identifiers.next(), session: link.session, call: call), &session) else {
      throw .notActive
    }
  }

  /// Tells the assistant something written or shown; here it stands at once, under the id that its copy will have.
  private mutating func say(
    _ text: String, _ images: [TelnyxImage], _ session: inout Session
  ) throws(SessionError) {
    _ = try establishedCall()
    guard !text.isEmpty || !images.isEmpty else { return }
    let item = identifiers.next()
    if !images.isEmpty { session.publish(.notice(.agentStatus(.processingImage))) }
    let echo = ConversationMessage.Item(
      id: item, isUser: true, text: text, isPartial: false, timestamp: nil, images: images.map(\.url))
    show(echo, &session)
    post(TelnyxFrames.message(id: identifiers.next(), item: item, text: text, images: images), &session)
  }

  /// Sends now, or when there is a connection again.
  private mutating func post(_ frame: JSON, _ session: inout Session) {
    let isCutOff = call?.recovery == .reattaching
    if isCutOff || !send(frame, &session) { outbox.append(frame) }
  }

  mutating func converse(_ params: JSON, _ session: inout Session) {
    for message in ConversationMessage.reading(params) {
      // The portal's settings come before any call; the rest belongs to one.
      if case .settings(let settings) = message {
        session.publish(.notice(.settings(settings)))
        continue
      }
      guard let call, !call.state.isOver else { continue }
      switch message {
      case .settings: break
      case .item(let item): show(item, &session)
      case .delta(let text, let id):
        if let item = transcript.append(text, to: id, at: session.date) { session.publish(.transcript(item)) }
      case .status(let status):
        session.publish(.notice(.agentStatus(status)))
        session.setAgentState(AgentState(status))
      case .textDone: for item in transcript.finishOpen() { session.publish(.transcript(item)) }
      case .functionCall(let id, let name, let arguments):
        guard seenToolCalls.insert(id) else { continue }
        openToolCalls.insert(id)
        session.publish(.toolCall(ToolCall(id: id, name: name, arguments: arguments)))
      }
    }
  }

  private mutating func show(_ item: ConversationMessage.Item, _ session: inout Session) {
    guard let merged = transcript.take(item, at: session.date) else { return }
    if let images = transcript.images[item.id] { session.publish(.notice(.images(images, item: item.id))) }
    session.publish(.transcript(merged))
  }
}

extension AgentState {
  /// What the widget calls waiting is the agent's speech, which the user may interrupt.
  init(_ status: WidgetAgentStatus) {
    switch status {
    case .idle: self = .listening
    case .thinking, .processingImage: self = .thinking
    case .waiting: self = .speaking
    }
  }
}
