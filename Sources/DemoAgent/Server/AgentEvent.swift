/// What happens at a demo agent, for logs and tests. Calls count from 1; 0 stands for none in particular.
public struct AgentEvent: Sendable, Equatable {
  /// What happened.
  public enum Kind: String, Sendable, Equatable {
    /// A caller has come.
    case began
    /// The caller said or typed `text`.
    case heard
    /// The agent answers with `text`.
    case said
    /// `text` is what the agent is at.
    case state
    /// Of its answer the caller has heard `text`, and interrupted it.
    case interrupted
    /// The client is asked; `text` is the tool's name.
    case toolCall
    /// The client has answered with `text`.
    case toolResult
    /// A caller did what the vendor does not allow; `text` says what.
    case refused
    /// The call is over; `text` says how.
    case ended
    /// Something of one vendor's; `text` says what.
    case note
  }

  /// Which call.
  public let call: Int
  /// What happened.
  public let kind: Kind
  /// The words that belong to it.
  public let text: String

  /// One line of JSON.
  public var json: String {
    JSON.object([
      .init(key: "call", value: .integer(call)), .init(key: "event", value: .string(kind.rawValue)),
      .init(key: "text", value: .string(text)),
    ]).text
  }
}
