internal import Foundation
internal import Networking

/// What a conversation is to be like; what is not set stays as the agent's owner has set it.
public struct ConversationConfig: Sendable {
  /// What the agent says and in which language.
  public var agentOverrides = AgentOverrides()
  /// How its voice sounds.
  public var ttsOverrides = TTSOverrides()
  /// What the conversation is made of.
  public var conversationOverrides = ConversationOverrides()
  /// Passed on to the language model, as a JSON object.
  public var customLLMExtraBody: String?
  /// Values for the variables in the agent's prompt.
  public var dynamicVariables: [String: String] = [:]
  /// Who talks, by the app's own number.
  public var userID: String?
  /// How it is told what the agent does.
  public var agentState = AgentStateMode.playout
  /// Milliseconds of sound in each message of the microphone, 10 to 60.
  public var packetMilliseconds = 20
  /// Called as things happen; on the main actor.
  public var callbacks = ConversationCallbacks()

  /// The agent as it is.
  public init(
    agentOverrides: AgentOverrides = AgentOverrides(), ttsOverrides: TTSOverrides = TTSOverrides(),
    conversationOverrides: ConversationOverrides = ConversationOverrides(), customLLMExtraBody: String? = nil,
    dynamicVariables: [String: String] = [:], userID: String? = nil, agentState: AgentStateMode = .playout,
    callbacks: ConversationCallbacks = ConversationCallbacks()
  ) {
    self.agentOverrides = agentOverrides
    self.ttsOverrides = ttsOverrides
    self.conversationOverrides = conversationOverrides
    self.customLLMExtraBody = customLLMExtraBody
    self.dynamicVariables = dynamicVariables
    self.userID = userID
    self.agentState = agentState
    self.callbacks = callbacks
  }

  var isTextOnly: Bool { conversationOverrides.textOnly }
}

/// What the agent says and in which language, in place of its own settings.
public struct AgentOverrides: Sendable, Hashable {
  /// Its instructions.
  public var prompt: String?
  /// What it begins with.
  public var firstMessage: String?
  /// As "en".
  public var language: String?

  /// Overrides.
  public init(prompt: String? = nil, firstMessage: String? = nil, language: String? = nil) {
    self.prompt = prompt
    self.firstMessage = firstMessage
    self.language = language
  }
}

/// How the agent's voice sounds, in place of its own settings.
public struct TTSOverrides: Sendable, Hashable {
  /// Which voice.
  public var voiceID: String?
  /// 0...1.
  public var stability: Double?
  /// 1 for its usual speed.
  public var speed: Double?
  /// 0...1.
  public var similarityBoost: Double?

  /// Overrides.
  public init(
    voiceID: String? = nil, stability: Double? = nil, speed: Double? = nil, similarityBoost: Double? = nil
  ) {
    self.voiceID = voiceID
    self.stability = stability
    self.speed = speed
    self.similarityBoost = similarityBoost
  }
}

/// What the conversation is made of.
public struct ConversationOverrides: Sendable, Hashable {
  /// Words without sound.
  public var textOnly: Bool
  /// Which events the server sends; `nil`: its usual ones.
  public var clientEvents: [String]?

  /// Overrides.
  public init(textOnly: Bool = false, clientEvents: [String]? = nil) {
    self.textOnly = textOnly
    self.clientEvents = clientEvents
  }
}

extension ConversationConfig {
  /// The first message. Empty parts are left out: the server refuses overrides that the agent does not allow.
  var initiation: JSON {
    let agent = JSON.object(compact: [
      "prompt": agentOverrides.prompt.map { ["prompt": .string($0)] },
      "first_message": agentOverrides.firstMessage.map { .string($0) },
      "language": agentOverrides.language.map { .string($0) },
    ])
    let tts = JSON.object(compact: [
      "voice_id": ttsOverrides.voiceID.map { .string($0) }, "stability": ttsOverrides.stability.map { .number($0) },
      "speed": ttsOverrides.speed.map { .number($0) },
      "similarity_boost": ttsOverrides.similarityBoost.map { .number($0) },
    ])
    let conversation = JSON.object(compact: [
      "text_only": isTextOnly ? true : nil,
      "client_events": conversationOverrides.clientEvents.map { .array($0.map { .string($0) }) },
    ])
    let overrides = JSON.object(compact: [
      "agent": agent.unlessEmpty, "tts": tts.unlessEmpty, "conversation": conversation.unlessEmpty,
    ])
    return .object(compact: [
      "type": "conversation_initiation_client_data", "conversation_config_override": overrides.unlessEmpty,
      "custom_llm_extra_body": customLLMExtraBody.flatMap { try? JSON(parsing: $0) }?.unlessEmpty,
      "dynamic_variables": JSON.object(dynamicVariables.mapValues { .string($0) }).unlessEmpty,
      "user_id": userID.map { .string($0) },
      "source_info": ["source": .string(ElevenLabsHost.source), "version": .string(ElevenLabsHost.version)],
    ])
  }
}

extension JSON {
  fileprivate var unlessEmpty: JSON? { object?.isEmpty == true ? nil : self }
}
