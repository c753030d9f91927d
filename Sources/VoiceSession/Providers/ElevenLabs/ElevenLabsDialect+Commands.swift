internal import Networking

// To the server.
extension ElevenLabsDialect {
  package mutating func command(
    _ command: SessionCommand<Command>, _ session: inout Session
  ) throws(SessionError) {
    guard session.state.isActive else { throw .notActive }
    switch command {
    case .sendText(let text):
      session.publish(.transcript(transcript.wrote(text, at: session.date)))
      send(["type": "user_message", "text": .string(text)], &session)
    case .toolResult(let id, let result, let isError):
      answer(tool: id, result, isError: isError, nil, &session)
    case .own(let own): perform(own, &session)
    case .hold: throw .unsupported("holding a conversation")
    case .pressKeys: throw .unsupported("pressing keys")
    case .start, .end, .mute, .systemMute: break  // the core's
    }
  }

  private mutating func perform(_ command: Command, _ session: inout Session) {
    switch command {
    case .contextualUpdate(let text, let contextID):
      send(["type": "contextual_update", "text": .string(text), "context_id": contextID.map { .string($0) }], &session)
    case .userActivity: send(["type": "user_activity"], &session)
    case .feedback(let isLike, let eventID):
      let score: JSON = isLike.map { $0 ? "like" : "dislike" } ?? .null
      send(["type": "feedback", "score": score, "event_id": .number(Double(eventID))], &session)
      session.publish(.notice(.canSendFeedback(false)))
    case .approve(let id, let isApproved):
      send(
        ["type": "mcp_tool_approval_result", "tool_call_id": .string(id), "is_approved": .bool(isApproved)], &session)
    case .toolResult(let id, let result, let isError, let errorType):
      answer(tool: id, result, isError: isError, errorType, &session)
    case .forgetTool(let id): pendingTools.remove(id)
    }
  }

  private mutating func answer(
    tool id: String, _ result: String, isError: Bool, _ errorType: ToolErrorType?, _ session: inout Session
  ) {
    pendingTools.remove(id)
    send(
      [
        "type": "client_tool_result", "tool_call_id": .string(id), "result": .string(result),
        "is_error": .bool(isError), "error_type": errorType.map { .string($0.rawValue) },
      ], &session)
  }

  private func send(_ members: [String: JSON?], _ session: inout Session) {
    session.send(JSON.object(compact: members).text, to: .conversation)
  }
}
