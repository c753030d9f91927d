import VoiceSession

// The vendor's published sample, step by step. It is compiled, so that the page about moving over stays true.

@MainActor final class ConversationManager {
  private(set) var conversation: Conversation?
  private var lines: [String] = []

  func startConversation(agentID: String) async throws {
    var config = ConversationConfig(conversationOverrides: ConversationOverrides(textOnly: false))
    config.callbacks.onToolCall = { [weak self] call in
      Task { await self?.handle(call) }
    }
    config.callbacks.onAgentStateChange = { state in
      switch state {
      case .listening, .speaking, .thinking: print("The agent is \(state.rawValue)")
      }
    }
    config.callbacks.onAudioAlignment = { alignment in
      for (index, character) in alignment.chars.enumerated() {
        print("'\(character)' at \(alignment.charStartTimesMs[index]) ms for \(alignment.charDurationsMs[index]) ms")
      }
    }
    conversation = try await ElevenLabs.startConversation(agentID: agentID, userID: "your-end-user-id", config: config)
  }

  func show() {
    guard let conversation else { return }
    switch conversation.state {
    case .idle: print("not connected")
    case .connecting: print("connecting")
    case .active(let info): print("connected to \(info.agentID)")
    case .ended(let reason): print("over: \(reason)")
    case .error(let error): print("failed: \(error)")
    }
    for message in conversation.messages { lines.append("\(message.role): \(message.content)") }
  }

  func talk() async throws {
    try await conversation?.sendMessage("Hello, how can you help me today?")
    try await conversation?.toggleMute()
    try await conversation?.setMuted(true)
    print(conversation?.isMuted ?? true)
    await conversation?.endConversation()
    print(conversation?.state.isActive ?? false)
  }

  private func handle(_ call: ToolCall) async {
    guard let conversation else { return }
    guard call.expectsResult else { return conversation.markToolCallCompleted(call.id) }
    switch call.name {
    case "get_weather":
      try? await conversation.sendToolResult(for: call.id, result: #"{"temperature":"22 °C","condition":"sunny"}"#)
    default:
      try? await conversation.sendToolResult(for: call.id, result: "unknown tool: \(call.name)", isError: true)
    }
  }
}
