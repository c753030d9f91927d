/// Who stands behind the protocol.
public enum AgentVoice: Sendable {
  /// The agent that hears, understands and answers.
  case mind
  /// A tone of that many hertz, at -12 dBFS, as long as the call lasts.
  case tone(Double)
  /// The caller's own sound, as soon as it has come.
  case echo
  /// Step by step what a test wants.
  case script([ScriptStep])
}

/// A step of a scripted agent.
public enum ScriptStep: Sendable {
  /// Nothing for so many seconds.
  case wait(Double)
  /// Nothing until the caller has sent a message that holds this text, since the step began.
  case waitFor(String)
  /// What a mind would do, with its turn's number.
  case put(MindOutput)
  /// An answer that is spoken by the synthesizer.
  case say(turn: Int, String)
  /// A text frame, exactly so.
  case raw(String)
  /// A binary frame, exactly so.
  case rawBytes([UInt8])
  /// A close frame.
  case close(Int, String)
  /// The end of the TCP connection, without a word.
  case abort
}
