/// What only ElevenLabs tells.
public enum ElevenLabsNotice: Sendable, Hashable {
  /// The conversation's number and formats.
  case metadata(ConversationMetadata)
  /// How far the start is.
  case startup(ConversationStartupState)
  /// What the user may have said so far.
  case tentativeUserTranscript(String)
  /// How likely the user is speaking, 0...1, by the server's ear.
  case vadScore(Double)
  /// Sound of a turn came, with the times of its characters, where the server tells them.
  case audio(eventID: Int, alignment: AudioAlignment?)
  /// What the agent really said before it was cut short.
  case correction(eventID: Int, original: String, corrected: String)
  /// The user speaks and is muted: the app may want to say so.
  case mutedSpeech
  /// Whether a turn can be rated now.
  case canSendFeedback(Bool)
  /// The agent uses a tool, on its own side or this one's.
  case toolRequest(AgentToolUse)
  /// A tool has answered.
  case toolResponse(AgentToolUse)
  /// A call over the model context protocol; `awaitingApproval` wants an answer.
  case mcpToolCall(MCPToolCall)
  /// Which integrations are connected.
  case mcpConnectionStatus([MCPIntegration])
  /// The agent's turn is complete: all of its sound was sent.
  case responseComplete(eventID: Int)
  /// A rule of the agent's owner took hold.
  case guardrail(String?)
  /// Other events, as the JSON that came: `agent_response_metadata`, `asr_initiation_metadata`, full tool payloads.
  case other(type: String, json: String)
}

/// The conversation's number and formats.
public struct ConversationMetadata: Sendable, Hashable {
  /// For support and logs.
  public var conversationID: String
  /// As `pcm_16000`.
  public var agentOutputAudioFormat: String
  /// As `pcm_16000`.
  public var userInputAudioFormat: String
}

/// How far the start of a conversation is.
public enum ConversationStartupState: Sendable, Hashable {
  /// Not begun.
  case idle
  /// A signed URL is fetched.
  case resolvingToken
  /// The socket opens.
  case connecting
  /// The initiation goes out, for the first time or again.
  case sendingConversationInit(attempt: Int)
  /// The server's formats are waited for.
  case waitingForAgent
  /// It stands.
  case active(ConversationStartupMetrics)
  /// It does not.
  case failed(SessionError, ConversationStartupMetrics)
}

/// Where the time of the start went.
public struct ConversationStartupMetrics: Sendable, Hashable {
  /// From the start to the state active or failed, in seconds.
  public var total = 0.0
  /// For the signed URL, in seconds.
  public var token = 0.0
  /// For the socket, in seconds.
  public var connection = 0.0
  /// From the initiation to the server's formats, in seconds.
  public var agentWait = 0.0
  /// How often the socket was tried.
  public var attempts = 0
}

/// When each character of a piece of sound is spoken.
public struct AudioAlignment: Sendable, Hashable {
  /// The characters.
  public var chars: [String]
  /// Milliseconds from the beginning of the piece.
  public var charStartTimesMs: [Double]
  /// Milliseconds that each takes.
  public var charDurationsMs: [Double]
}

/// The agent's use of a tool.
public struct AgentToolUse: Sendable, Hashable {
  /// Its name.
  public var name: String
  /// The use's number.
  public var id: String
  /// Of what kind the tool is.
  public var type: String
  /// In a response: whether the tool failed.
  public var isError = false
}

/// A call over the model context protocol.
public struct MCPToolCall: Sendable, Hashable, Identifiable {
  /// How far the call is.
  public enum State: String, Sendable, Hashable {
    /// It runs.
    case loading
    /// The user is to allow it.
    case awaitingApproval = "awaiting_approval"
    /// Done.
    case success
    /// Failed.
    case failure
  }

  /// The call's number.
  public var id: String
  /// The service's number.
  public var serviceID: String
  /// The tool.
  public var name: String
  /// What it does.
  public var toolDescription: String?
  /// The arguments, as a JSON object.
  public var parameters: String
  /// How far it is.
  public var state: State
  /// What went wrong.
  public var errorMessage: String?
  /// How long an approval is waited for, in seconds.
  public var approvalTimeout: Double?
}

/// A service behind the agent.
public struct MCPIntegration: Sendable, Hashable, Identifiable {
  /// Its number.
  public var id: String
  /// Its kind.
  public var type: String
  /// Whether it can be used.
  public var isConnected: Bool
  /// How many tools it has.
  public var toolCount: Int
}

/// Why a tool's answer is an error, for the agent.
public enum ToolErrorType: String, Sendable, Hashable, CaseIterable {
  case userRejected = "user_rejected"
  case externalServer = "external_server"
  case externalClient = "external_client"
  case customerAuth = "customer_auth"
  case clientTimeout = "client_timeout"
  case unknown
}
