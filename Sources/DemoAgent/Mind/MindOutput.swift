/// What the agent is at.
public enum AgentState: String, Sendable, Equatable {
  /// It hears the caller.
  case listening
  /// It looks for an answer.
  case thinking
  /// Its answer is heard.
  case speaking
}

/// What a mind does or wants, in order.
public enum MindOutput: Sendable, Equatable {
  /// What it is at changed.
  case state(AgentState)
  /// How likely the caller speaks, 0...1; each 100 ms.
  case voiceScore(Float)
  /// Work for the recogniser; `Mind.recognised` takes the result.
  case recognise(job: Int, [Float])
  /// Work for the synthesizer; `Mind.spoken` takes the result.
  case synthesise(job: Int, String)
  /// What the caller said; `...` when it was nothing the agent knows. Turns count from 1, and the answer has the same one.
  case heard(turn: Int, String)
  /// The whole text of an answer, before its sound.
  case reply(turn: Int, String)
  /// The next sentence's sound.
  case speech(turn: Int, Speech)
  /// All sound of the answer was handed out.
  case complete(turn: Int)
  /// The caller spoke into the answer, of which `spoken` was heard; what was handed out of it is void.
  case interrupted(turn: Int, reply: String, spoken: String)
  /// A question for the client; `Mind.toolAnswered` takes the answer.
  case toolCall(turn: Int, id: String, name: String, parameters: [String: String])
  /// The call is over: the goodbye was heard.
  case hangUp
}
