/// What the caller has asked playout to do about the user's interruption.
public enum Interruption: Hashable, Sendable, BitwiseCopyable {
  /// Nothing: the agent is heard.
  case none
  /// The agent goes on, turned down.
  case ducked
  /// The agent is silent and playout stands still; what waits is kept.
  case held

  /// For the audio path, where a derived comparison is not allowed.
  var isHeld: Bool { @_noLocks get { if case .held = self { true } else { false } } }
}
