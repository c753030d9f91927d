/// What a caller asks for in `conversation_initiation_client_data`, read strictly.
struct ElevenLabsInitiation {
  /// Instead of the agent's own greeting.
  var firstMessage: String?
  var isTextOnly = false
  /// The events that are wanted; `nil`: all.
  var clientEvents: Set<String>?
  var dynamicVariables: [String: JSON] = [:]

  /// - Throws: `Refusal`, with what the vendor would close with.
  init(_ message: JSON, allowed: Set<String>) throws(Refusal) {
    try Self.check(
      message,
      [
        "type": .string, "conversation_config_override": .object, "custom_llm_extra_body": .object,
        "dynamic_variables": .object, "user_id": .string, "source_info": .object, "branch_id": .string,
        "environment": .string,
      ], in: "")
    for member in message["dynamic_variables"]?.members ?? [] {
      switch member.value {
      case .string, .number, .bool: dynamicVariables[member.key] = member.value
      default: throw Refusal(1008, "Invalid message: dynamic_variables.\(member.key) must be a text, number or bool")
      }
    }
    guard let override = message["conversation_config_override"] else { return }
    try Self.check(
      override, ["agent": .object, "tts": .object, "conversation": .object, "asr": .object], in: "override")
    try Self.check(
      override["agent"], ["prompt": .object, "first_message": .string, "language": .string], in: "agent")
    try Self.check(override["agent"]?["prompt"], ["prompt": .string], in: "agent.prompt")
    try Self.check(
      override["tts"],
      ["voice_id": .string, "stability": .number, "speed": .number, "similarity_boost": .number], in: "tts")
    try Self.check(override["conversation"], ["text_only": .bool, "client_events": .array], in: "conversation")
    try Self.check(override["asr"], ["keywords": .array], in: "asr")

    func use(_ name: String, _ value: JSON?) throws(Refusal) {
      guard let value, !value.isNull, value != .object([]) else { return }
      if !allowed.contains(name) {
        throw Refusal(1008, "Override for field '\(name)' is not allowed by config.")
      }
    }
    for part in ["prompt", "first_message", "language"] { try use("agent." + part, override["agent"]?[part]) }
    for part in ["text_only", "client_events"] { try use("conversation." + part, override["conversation"]?[part]) }
    try use("tts", override["tts"])
    try use("asr", override["asr"])
    firstMessage = override["agent"]?["first_message"]?.string
    isTextOnly = override["conversation"]?["text_only"]?.bool ?? false
    if let events = override["conversation"]?["client_events"]?.array {
      clientEvents = Set(events.compactMap(\.string))
    }
  }

  /// What a member may be.
  enum Kind {
    case string, number, bool, object, array

    func admits(_ value: JSON) -> Bool {
      switch (self, value) {
      case (.string, .string), (.number, .number), (.bool, .bool), (.object, .object), (.array, .array): true
      default: false
      }
    }
  }

  /// Each member must be known and of its kind, or null.
  static func check(_ object: JSON?, _ kinds: [String: Kind], in place: String) throws(Refusal) {
    guard let object, !object.isNull else { return }
    guard let members = object.members else { throw Refusal(1008, "Invalid message: \(place) must be an object") }
    for member in members {
      guard let kind = kinds[member.key] else {
        throw Refusal(1008, "Invalid message: \(place) has no field '\(member.key.prefix(40))'")
      }
      guard member.value.isNull || kind.admits(member.value) else {
        throw Refusal(1008, "Invalid message: \(place) field '\(member.key)' must be a \(kind)")
      }
    }
  }
}
