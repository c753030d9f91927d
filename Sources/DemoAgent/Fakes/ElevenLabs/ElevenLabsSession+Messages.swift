internal import Networking

// What the caller sends in a conversation, and what the agent does.
extension ElevenLabsSession {
  func receive(_ message: JSON) throws(Refusal) {
    if let chunk = message["user_audio_chunk"] {
      try ElevenLabsInitiation.check(message, ["user_audio_chunk": .string, "type": .string], in: "user_audio_chunk")
      guard initiation?.isTextOnly == false else {
        throw Refusal(1008, "Invalid message: user_audio_chunk in a conversation of text only")
      }
      return try hear(chunk.string ?? "")
    }
    guard let type = message["type"]?.string else { throw Refusal(1008, "Invalid message: field 'type' is missing") }
    switch type {
    case "pong":
      try require(message, ["type": .string, "event_id": .number])
      guard let id = message["event_id"]?.integer else { throw Refusal(1008, "Invalid message: pong without event_id") }
      try pong(id)
    case "user_message":
      try require(message, ["type": .string, "text": .string])
      read(message["text"]?.string ?? "")
    case "multimodal_message":
      try require(message, ["type": .string], optional: ["text": .object, "file": .object, "files": .array])
      if let text = message["text"] {
        try require(text, ["type": .string, "text": .string])
        read(text["text"]?.string ?? "")
      }
    case "contextual_update":
      try require(message, ["type": .string, "text": .string], optional: ["context_id": .string])
      context.log.tell(.note, "contextual_update", call: call)
    case "user_activity":
      try require(message, ["type": .string])
      conversation?.attend()
    case "feedback": try takeFeedback(message)
    case "client_tool_result": try takeResult(message)
    case "mcp_tool_approval_result":
      try require(message, ["type": .string, "tool_call_id": .string, "is_approved": .bool])
    default: throw Refusal(1008, "Invalid message: type '\(type.prefix(40))' is unknown")
    }
  }

  private func read(_ text: String) {
    context.log.tell(.heard, text, call: call)
    conversation?.read(text)
  }

  private func takeFeedback(_ message: JSON) throws(Refusal) {
    try require(message, ["type": .string, "event_id": .number], optional: ["score": .string])
    guard message["score"] != nil, [nil, "like", "dislike"].contains(message["score"]?.string) else {
      throw Refusal(1008, "Invalid message: feedback takes the score like, dislike or null")
    }
    guard let turn = message["event_id"]?.integer, answeredTurns.contains(turn) else {
      throw Refusal(1008, "Invalid message: feedback for an event that is no agent response")
    }
    context.log.tell(.note, "feedback for turn \(turn)", call: call)
  }

  private func takeResult(_ message: JSON) throws(Refusal) {
    try require(
      message, ["type": .string, "tool_call_id": .string, "result": .string, "is_error": .bool],
      optional: ["error_type": .string])
    guard let id = message["tool_call_id"]?.string, let tool = tools[id] else {
      throw Refusal(1008, "Invalid message: client_tool_result for a call that was never made")
    }
    let isError = message["is_error"]?.bool ?? false
    let result = message["result"]?.string ?? ""
    context.log.tell(.toolResult, result, call: call)
    // What comes too late is no mistake of the client's.
    guard conversation?.awaits(tool: id) == true else { return }
    send(ElevenLabsMessages.toolResponse(tool.name, id: id, kind: "client", isError: isError, turn: tool.turn))
    conversation?.toolAnswered(id: id, result, isError: isError)
  }

  private func require(
    _ message: JSON, _ kinds: [String: ElevenLabsInitiation.Kind], optional: [String: ElevenLabsInitiation.Kind] = [:]
  ) throws(Refusal) {
    let type = message["type"]?.string ?? ""
    for key in kinds.keys.sorted() where message[key]?.isNull ?? true {
      throw Refusal(1008, "Invalid message: \(type) field '\(key)' is missing")
    }
    try ElevenLabsInitiation.check(message, kinds.merging(optional) { first, _ in first }, in: type)
  }

  func take(_ output: AgentConversation.Output) {
    switch output {
    case .mind(let output): take(output)
    case .raw(let message):
      if case .text(let text) = message, let type = try? JSONReader.read(text)["type"]?.string {
        link.send(type, message)
      } else {
        link.send("raw", message)
      }
    case .close(let code, let reason): link.close(code, reason)
    case .abort: link.abort()
    }
  }

  private func take(_ output: MindOutput) {
    let isTextOnly = initiation?.isTextOnly ?? false
    switch output {
    case .state(let state): context.log.tell(.state, state.rawValue, call: call)
    case .voiceScore(let score): send(ElevenLabsMessages.voiceScore(score))
    case .recognise, .synthesise: break
    case .heard(let turn, let text):
      context.log.tell(.heard, text, call: call)
      send(ElevenLabsMessages.userTranscript(text, turn: turn))
    case .reply(let turn, let text):
      context.log.tell(.said, text, call: call)
      answeredTurns.insert(turn)
      if isTextOnly {
        send(ElevenLabsMessages.part("", kind: "start", turn: turn))
        send(ElevenLabsMessages.part(text, kind: "delta", turn: turn))
        send(ElevenLabsMessages.part("", kind: "stop", turn: turn))
      }
      send(ElevenLabsMessages.response(text, turn: turn))
    case .speech(let turn, let speech): if !isTextOnly { send(speech, turn: turn) }
    case .complete(let turn): send(ElevenLabsMessages.complete(turn: turn))
    case .interrupted(let turn, let reply, let spoken):
      context.log.tell(.interrupted, spoken, call: call)
      answeredTurns.remove(turn)
      send(ElevenLabsMessages.interruption(turn: turn))
      send(ElevenLabsMessages.correction(reply, spoken, turn: turn))
    case .toolCall(let turn, let id, let name, let parameters):
      context.log.tell(.toolCall, name, call: call)
      tools[id] = (name, turn)
      send(
        ElevenLabsMessages.toolRequest(
          name, id: id, kind: "client", turn: turn, seconds: context.settings.mind.toolSeconds))
      send(ElevenLabsMessages.toolCall(name, id: id, parameters: parameters, turn: turn))
    case .hangUp:
      send(ElevenLabsMessages.toolResponse("end_call", id: "end_call", kind: "system", isError: false, turn: 0))
      link.close(1000, "the agent has ended the call")
    }
  }
}
