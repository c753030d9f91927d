internal import Foundation
internal import Networking

// From the server: each event has its fields in a wrapper. What is missing or of another type than it should be is left
// out, never an error: the vendor adds to its events at will.
extension ElevenLabsDialect {
  mutating func handle(_ event: JSON, _ session: inout Session) {
    guard let type = event["type"].string else { return }
    switch type {
    case "audio": take(audio: event["audio_event"], &session)
    case "interruption": take(interruption: event["interruption_event"], &session)
    case "ping":
      let id = event["ping_event"]["event_id"]
      session.send(JSON.object(["type": "pong", "event_id": id]).text, to: .conversation)
    case "user_transcript", "tentative_user_transcript", "agent_response", "agent_response_correction",
      "agent_chat_response_part", "internal_tentative_agent_response":
      take(words: event, type, &session)
    case "agent_response_complete":
      guard let id = event["agent_response_complete_event"]["event_id"].int else { return }
      finish(id, &session)
      session.publish(.notice(.responseComplete(eventID: id)))
    case "vad_score":
      guard let score = event["vad_score_event"]["vad_score"].number else { return }
      agentStates.vadScore(score, &session)
      session.publish(.notice(.vadScore(score)))
    case "client_tool_call", "agent_tool_request", "agent_tool_response", "mcp_tool_call", "mcp_connection_status":
      take(tool: event, type, &session)
    case "guardrail_triggered":
      session.publish(.notice(.guardrail(event["guardrail_triggered_event"]["guardrail_name"].string)))
    case "client_error", "error": take(error: event["error_event"], &session)
    case "conversation_initiation_metadata": break  // came before
    default: session.publish(.notice(.other(type: type, json: event.text)))
    }
  }

  private mutating func take(audio fields: JSON, _ session: inout Session) {
    guard let id = fields["event_id"].int, !turns.isVoid(id) else { return }
    let item = turns.item(of: id)
    var alignment: AudioAlignment?
    if let characters = fields["alignment"]["chars"].array {
      alignment = AudioAlignment(
        chars: characters.map { $0.string ?? "" },
        charStartTimesMs: (fields["alignment"]["char_start_times_ms"].array ?? []).map { $0.number ?? 0 },
        charDurationsMs: (fields["alignment"]["char_durations_ms"].array ?? []).map { $0.number ?? 0 })
    }
    if let text = fields["audio_base_64"].string, !text.isEmpty, !config.isTextOnly {
      guard let sound = Data(base64Encoded: text) else {
        return session.publish(.problem(SessionError(.media, code: "badBase64", "a piece of sound was unreadable")))
      }
      turns.add(byteCount: sound.count, alignment, to: id)
      session.media(.play(Array(sound), item: item))
    }
    session.publish(.notice(.audio(eventID: id, alignment: alignment)))
    if fields["is_final"].bool == true { finish(id, &session) }
  }

  private mutating func finish(_ id: Int, _ session: inout Session) {
    guard !turns.isVoid(id), !config.isTextOnly else { return }
    session.media(.finish(item: turns.item(of: id)))
  }

  private mutating func take(interruption fields: JSON, _ session: inout Session) {
    guard let id = fields["event_id"].int else { return }
    // A turn that is still to come is void too, and nothing of it is known to playout.
    let item = turns.interrupt(upTo: id)
    if let item { session.interrupt(upTo: item, turn: id) }
    agentStates.interrupted(&session)
    session.publish(.notice(.canSendFeedback(false)))
  }

  private mutating func take(words event: JSON, _ type: String, _ session: inout Session) {
    switch type {
    case "user_transcript":
      let fields = event["user_transcription_event"]
      guard let text = fields["user_transcript"].string, let id = fields["event_id"].int else { return }
      session.publish(.transcript(transcript.user(text, turn: id, isFinal: true, at: session.date)))
      agentStates.userSaid(&session)
    case "tentative_user_transcript":
      guard let text = event["tentative_user_transcription_event"]["user_transcript"].string else { return }
      session.publish(.notice(.tentativeUserTranscript(text)))
    case "agent_response":
      let fields = event["agent_response_event"]
      guard let text = fields["agent_response"].string, let id = fields["event_id"].int else { return }
      let isNew = transcript.newestAgentTurn.map { id > $0 } ?? true
      session.publish(.transcript(transcript.agent(text, turn: id, at: session.date)))
      if isNew, !turns.isVoid(id) { session.publish(.notice(.canSendFeedback(true))) }
      agentStates.answered(&session)
    case "agent_response_correction":
      let fields = event["agent_response_correction_event"]
      guard let text = fields["corrected_agent_response"].string, let id = fields["event_id"].int else { return }
      session.publish(.transcript(transcript.agent(text, turn: id, at: session.date)))
      let original = fields["original_agent_response"].string ?? ""
      session.publish(.notice(.correction(eventID: id, original: original, corrected: text)))
    case "agent_chat_response_part":
      let fields = event["text_response_part"]
      guard let id = fields["event_id"].int else { return }
      let isLast = fields["type"].string == "stop"
      let text = fields["text"].string ?? ""
      session.publish(.transcript(transcript.append(text, turn: id, isFinal: isLast, at: session.date)))
    default: agentStates.answered(&session)
    }
  }

  private mutating func take(tool event: JSON, _ type: String, _ session: inout Session) {
    let fields = event[type]
    switch type {
    case "client_tool_call":
      guard let id = fields["tool_call_id"].string, let name = fields["tool_name"].string,
        pendingTools.insert(id).inserted
      else { return }
      let expectsResult = fields["expects_response"].bool ?? true
      session.publish(
        .toolCall(
          ToolCall(id: id, name: name, arguments: fields["parameters"].text, expectsResult: expectsResult)))
    case "agent_tool_request", "agent_tool_response":
      guard let id = fields["tool_call_id"].string, let name = fields["tool_name"].string else { return }
      let use = AgentToolUse(
        name: name, id: id, type: fields["tool_type"].string ?? "", isError: fields["is_error"].bool ?? false)
      if type == "agent_tool_request" {
        agentStates.usesTool(&session)
        return session.publish(.notice(.toolRequest(use)))
      }
      agentStates.toolAnswered(&session)
      session.publish(.notice(.toolResponse(use)))
      if name == "end_call" { session.finish(.local) }
    case "mcp_tool_call":
      guard let id = fields["tool_call_id"].string,
        let state = fields["state"].string.flatMap(MCPToolCall.State.init(rawValue:))
      else { return }
      session.publish(
        .notice(
          .mcpToolCall(
            MCPToolCall(
              id: id, serviceID: fields["service_id"].string ?? "", name: fields["tool_name"].string ?? "",
              toolDescription: fields["tool_description"].string, parameters: fields["parameters"].text, state: state,
              errorMessage: fields["error_message"].string, approvalTimeout: fields["approval_timeout_secs"].number))))
    default:
      let integrations = (fields["integrations"].array ?? []).compactMap { entry -> MCPIntegration? in
        guard let id = entry["integration_id"].string else { return nil }
        return MCPIntegration(
          id: id, type: entry["integration_type"].string ?? "", isConnected: entry["is_connected"].bool ?? false,
          toolCount: entry["tool_count"].int ?? 0)
      }
      session.publish(.notice(.mcpConnectionStatus(integrations)))
    }
  }

  private mutating func take(error fields: JSON, _ session: inout Session) {
    let name = fields["error_name"].string ?? fields["error_type"].string
    let code = fields["code"].int.map(String.init) ?? fields["code"].string
    let words = fields["message"].string ?? fields["reason"].string ?? "the server tells of an error"
    let error = SessionError(
      .server, code: [code, name].compactMap { $0 }.joined(separator: " "), words, isRetryable: false)
    if name == "max_duration_exceeded" { return fail(error, &session) }
    session.publish(.problem(error))
  }
}
