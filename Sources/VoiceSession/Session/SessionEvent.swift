public import Foundation

/// What happens in a session, in order; nothing comes behind `released`. `Notice` is what only one system tells.
public enum SessionEvent<Notice: Sendable>: Sendable {
  /// The life line has moved.
  case state(SessionState)
  /// Who mutes the microphone.
  case mute(SessionMute)
  /// What the agent does.
  case agentState(AgentState)
  /// Something was said or written: new, or in place of the item with the same id.
  case transcript(TranscriptItem)
  /// The agent was cut short.
  case interruption(AgentInterruption)
  /// The agent wants something from the app; answer with the id.
  case toolCall(ToolCall)
  /// The agent's voice has come to this part of its text.
  case spoken(SpokenText)
  /// What only this system tells.
  case notice(Notice)
  /// Something went wrong, and the session goes on.
  case problem(SessionError)
  /// Everything is given back: sockets, devices, timers.
  case released
}

/// One thing that was said or written.
public struct TranscriptItem: Sendable, Hashable, Identifiable {
  /// Who.
  public enum Role: String, Sendable, Hashable {
    /// The one at this end.
    case user
    /// The agent.
    case agent
  }

  /// Unique in the session; later versions have the same.
  public var id: String
  /// Who.
  public var role: Role
  /// The words.
  public var text: String
  /// False while the words may still change.
  public var isFinal: Bool
  /// When the first version came.
  public var timestamp: Date
  /// The system's number of the turn, where it has one.
  public var turn: Int?
  /// The words in the other language, where the system translates.
  public var translation: String?

  /// An item.
  public init(
    id: String, role: Role, text: String, isFinal: Bool = true, timestamp: Date, turn: Int? = nil,
    translation: String? = nil
  ) {
    self.id = id
    self.role = role
    self.text = text
    self.isFinal = isFinal
    self.timestamp = timestamp
    self.turn = turn
    self.translation = translation
  }
}

/// The agent was cut short.
public struct AgentInterruption: Sendable, Hashable {
  /// The turn that was cut, by the system's number, where it has one.
  public var turn: Int?
  /// How much of it was heard, in milliseconds of its sound, where that is known.
  public var heardMilliseconds: Double?

  /// An interruption.
  public init(turn: Int? = nil, heardMilliseconds: Double? = nil) {
    self.turn = turn
    self.heardMilliseconds = heardMilliseconds
  }
}

/// The agent asks the app to do something.
public struct ToolCall: Sendable, Hashable, Identifiable {
  /// For the answer.
  public var id: String
  /// Which tool.
  public var name: String
  /// The arguments, as a JSON object.
  public var arguments: String
  /// Whether the agent waits for an answer.
  public var expectsResult: Bool

  /// A call.
  public init(id: String, name: String, arguments: String, expectsResult: Bool = true) {
    self.id = id
    self.name = name
    self.arguments = arguments
    self.expectsResult = expectsResult
  }
}

/// A part of the agent's text whose sound has begun to be heard.
public struct SpokenText: Sendable, Hashable {
  /// The turn, by the system's number.
  public var turn: Int
  /// The characters that begin now.
  public var text: String
  /// How much of the turn's sound lies before them, in milliseconds.
  public var milliseconds: Double

  /// A part.
  public init(turn: Int, text: String, milliseconds: Double) {
    self.turn = turn
    self.text = text
    self.milliseconds = milliseconds
  }
}
