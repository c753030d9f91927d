/// The server's messages: a type, and its event under a key of its own.
enum ElevenLabsMessages {
  static func metadata(_ id: String, output: String, input: String) -> JSON {
    event(
      "conversation_initiation_metadata", "conversation_initiation_metadata_event",
      [
        "conversation_id": .string(id), "agent_output_audio_format": .string(output),
        "user_input_audio_format": .string(input),
      ])
  }

  static func audio(_ base64: String, turn: Int, alignment: JSON?) -> JSON {
    let body: JSON = ["audio_base_64": .string(base64), "event_id": .integer(turn)]
    return event("audio", "audio_event", body.with("alignment", alignment))
  }

  static func userTranscript(_ text: String, turn: Int) -> JSON {
    event(
      "user_transcript", "user_transcription_event", ["user_transcript": .string(text), "event_id": .integer(turn)])
  }

  static func response(_ text: String, turn: Int) -> JSON {
    event("agent_response", "agent_response_event", ["agent_response": .string(text), "event_id": .integer(turn)])
  }

  static func part(_ text: String, kind: String, turn: Int) -> JSON {
    event(
      "agent_chat_response_part", "text_response_part",
      ["text": .string(text), "type": .string(kind), "event_id": .integer(turn)])
  }

  static func complete(turn: Int) -> JSON {
    event("agent_response_complete", "agent_response_complete_event", ["event_id": .integer(turn)])
  }

  static func interruption(turn: Int) -> JSON {
    event("interruption", "interruption_event", ["event_id": .integer(turn)])
  }

  static func correction(_ original: String, _ corrected: String, turn: Int) -> JSON {
    event(
      "agent_response_correction", "agent_response_correction_event",
      [
        "original_agent_response": .string(original), "corrected_agent_response": .string(corrected),
        "event_id": .integer(turn),
      ])
  }

  static func voiceScore(_ score: Float) -> JSON {
    event("vad_score", "vad_score_event", ["vad_score": .number((Double(score) * 1_000).rounded() / 1_000)])
  }

  static func ping(_ id: Int, milliseconds: Int?) -> JSON {
    event("ping", "ping_event", ["event_id": .integer(id), "ping_ms": milliseconds.map { .integer($0) } ?? .null])
  }

  static func toolRequest(_ name: String, id: String, kind: String, turn: Int, seconds: Double) -> JSON {
    event(
      "agent_tool_request", "agent_tool_request",
      [
        "tool_name": .string(name), "tool_call_id": .string(id), "tool_type": .string(kind), "event_id": .integer(turn),
        "expects_response": true, "disable_interruptions": false, "response_timeout_secs": .number(seconds),
        "execution_mode": "immediate",
      ])
  }

  static func toolCall(_ name: String, id: String, parameters: [String: String], turn: Int) -> JSON {
    let members = parameters.sorted { $0.key < $1.key }.map { JSON.Member(key: $0.key, value: .string($0.value)) }
    return event(
      "client_tool_call", "client_tool_call",
      [
        "tool_name": .string(name), "tool_call_id": .string(id), "parameters": .object(members),
        "event_id": .integer(turn), "expects_response": true,
      ])
  }

  static func toolResponse(_ name: String, id: String, kind: String, isError: Bool, turn: Int) -> JSON {
    event(
      "agent_tool_response", "agent_tool_response",
      [
        "tool_name": .string(name), "tool_call_id": .string(id), "tool_type": .string(kind), "is_error": .bool(isError),
        "event_id": .integer(turn), "is_called": true,
      ])
  }

  static func error(_ kind: String, code: Int, _ message: String) -> JSON {
    event(
      "error", "error_event",
      ["error_type": .string(kind), "code": .integer(code), "message": .string(message), "reason": .string(message)])
  }

  private static func event(_ type: String, _ wrapper: String, _ body: JSON) -> JSON {
    .object([.init(key: "type", value: .string(type)), .init(key: wrapper, value: body)])
  }
}
