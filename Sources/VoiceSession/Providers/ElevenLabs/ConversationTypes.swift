public import Foundation

/// Where a conversation stands.
public enum ConversationState: Sendable, Hashable {
  /// Not begun, or given up before it stood.
  case idle
  /// On the way.
  case connecting
  /// Both can talk.
  case active(CallInfo)
  /// Over; a new one may begin.
  case ended(EndReason)
  /// It could not begin; a new one may.
  case error(ConversationError)

  /// Whether both can talk.
  public var isActive: Bool { if case .active = self { true } else { false } }
}

/// Whom an active conversation is with.
public struct CallInfo: Sendable, Hashable {
  /// The agent's number; empty where a signed URL hides it.
  public var agentID: String
}

/// Why a conversation is over.
public enum EndReason: Sendable, Hashable {
  /// The user, or the agent's own tool for ending a call.
  case userEnded
  /// The agent did not come.
  case agentNotConnected
  /// The agent, or the network.
  case remoteDisconnected
}

/// A line of a conversation.
public struct Message: Sendable, Hashable, Identifiable {
  /// Unique in the conversation.
  public var id: String
  /// Who.
  public var role: TranscriptItem.Role
  /// The words.
  public var content: String
  /// When they came first.
  public var timestamp: Date
  /// The turn, by the server's number.
  public var eventID: Int?
}

/// Why a conversation cannot do what it was told, or has failed.
public enum ConversationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no active conversation.
  case notConnected
  /// It was started before.
  case alreadyActive
  /// The server cannot be reached, or does not answer as it should.
  case connectionFailed(String)
  /// Agent id, key or token are not accepted.
  case authenticationFailed(String)
  /// The agent did not come in time.
  case agentTimeout
  /// No sound.
  case audio(String)
  /// The server says that something is wrong.
  case serverError(code: String, message: String)
  /// What the caller has set does not do.
  case configuration(String)

  /// Whether a new conversation may do better without any change.
  public var isRetryable: Bool {
    switch self {
    case .connectionFailed, .agentTimeout: true
    case .notConnected, .alreadyActive, .authenticationFailed, .audio, .serverError, .configuration: false
    }
  }

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .notConnected: "there is no active conversation; start one first"
    case .alreadyActive: "the conversation was started before; end it first"
    case .agentTimeout: "the agent did not come in time; try again"
    case .connectionFailed(let words), .authenticationFailed(let words), .audio(let words), .configuration(let words):
      words
    case .serverError(let code, let message): "\(message) (\(code))"
    }
  }

  init(_ error: SessionError) {
    switch error.kind {
    case .authentication: self = .authenticationFailed(error.message)
    case .configuration:
      self =
        switch error.code {
        case SessionError.notActive.code, SessionError.over.code: .notConnected
        case SessionError.alreadyStarted.code: .alreadyActive
        default: .configuration(error.message)
        }
    case .media, .permission, .interrupted: self = .audio(error.message)
    case .server: self = .serverError(code: error.code ?? "", message: error.message)
    case .network, .signalling, .timeout: self = .connectionFailed(error.message)
    }
  }
}

/// Called as things happen in a conversation, in order, on the main actor. Each may be left out.
public struct ConversationCallbacks: Sendable {
  /// Both can talk.
  public var onAgentReady: (@MainActor @Sendable () -> Void)?
  /// It is over.
  public var onDisconnect: (@MainActor @Sendable (EndReason) -> Void)?
  /// The start goes on.
  public var onStartupStateChange: (@MainActor @Sendable (ConversationStartupState) -> Void)?
  /// Something went wrong; the conversation may go on.
  public var onError: (@MainActor @Sendable (ConversationError) -> Void)?
  /// A line of the agent, new or changed.
  public var onAgentResponse: (@MainActor @Sendable (Message) -> Void)?
  /// What the agent really said before it was cut short: original, corrected, turn.
  public var onAgentResponseCorrection: (@MainActor @Sendable (String, String, Int) -> Void)?
  /// A line of the user.
  public var onUserTranscript: (@MainActor @Sendable (Message) -> Void)?
  /// The conversation's number and formats.
  public var onConversationMetadata: (@MainActor @Sendable (ConversationMetadata) -> Void)?
  /// The agent wants something of the app; without this, the agent is told that the tool is not there.
  public var onToolCall: (@MainActor @Sendable (ToolCall) -> Void)?
  /// The agent was cut short in this turn.
  public var onInterruption: (@MainActor @Sendable (AgentInterruption) -> Void)?
  /// How likely the user is speaking, 0...1.
  public var onVADScore: (@MainActor @Sendable (Double) -> Void)?
  /// The times of a piece of sound's characters, when it comes.
  public var onAudioAlignment: (@MainActor @Sendable (AudioAlignment) -> Void)?
  /// Characters whose sound begins to be heard now.
  public var onSpokenText: (@MainActor @Sendable (SpokenText) -> Void)?
  /// The user speaks into a muted microphone.
  public var onMutedSpeech: (@MainActor @Sendable () -> Void)?
  /// Whether a turn can be rated.
  public var onCanSendFeedbackChange: (@MainActor @Sendable (Bool) -> Void)?
  /// What the agent does.
  public var onAgentStateChange: (@MainActor @Sendable (AgentState) -> Void)?
  /// All else that only this system tells.
  public var onNotice: (@MainActor @Sendable (ElevenLabsNotice) -> Void)?

  /// None.
  public init() {}
}
