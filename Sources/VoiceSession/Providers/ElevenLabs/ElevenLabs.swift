/// Conversations with agents of ElevenLabs.
public enum ElevenLabs {
  /// Starts a conversation with an agent that anybody may talk to; returns when both can.
  /// - Parameter userID: who talks, by the app's own number.
  @MainActor
  public static func startConversation(
    agentID: String, userID: String? = nil, config: ConversationConfig = ConversationConfig(),
    host: ElevenLabsHost = .global, environment: SessionEnvironment = .devices
  ) async throws(ConversationError) -> Conversation {
    var config = config
    if let userID { config.userID = userID }
    return try await startConversation({ .open(id: agentID) }, config: config, host: host, environment: environment)
  }

  /// Starts a conversation at a URL that the app's own server has got.
  @MainActor
  public static func startConversation(
    signedWebSocketURL url: String, config: ConversationConfig = ConversationConfig(),
    host: ElevenLabsHost = .global, environment: SessionEnvironment = .devices
  ) async throws(ConversationError) -> Conversation {
    try await startConversation({ .signedURL(url) }, config: config, host: host, environment: environment)
  }

  /// Starts a conversation whose right the closure fetches, as from the app's own server.
  @MainActor
  public static func startConversation(
    _ agent: @escaping @Sendable () async throws -> ElevenLabsAgent,
    config: ConversationConfig = ConversationConfig(), host: ElevenLabsHost = .global,
    environment: SessionEnvironment = .devices
  ) async throws(ConversationError) -> Conversation {
    let conversation = Conversation(with: agent, host: host, config: config, environment: environment)
    try await conversation.startConversation()
    return conversation
  }
}
