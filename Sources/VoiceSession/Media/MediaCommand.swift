/// What a call's owner may ask of its engine in mid-call; carried out on the audio thread, in order, within a block.
public enum MediaCommand: Sendable, BitwiseCopyable, Equatable {
  /// Silence goes out in place of the microphone, or not any more.
  case mute(Bool)
  /// Whether anything is sent at all: a held call sends nothing.
  case send(Bool)
  /// Presses a key for the far end; see `MediaEngine.pressKey`.
  case pressKey(code: UInt8, milliseconds: Int)
  /// Silences the agent at once and drops what waits: the user has interrupted.
  case flush
  /// The same for the turns up to this one, of an agent whose sound comes in a socket.
  case flushUpTo(item: Int)
  /// Turns the agent down, as a first step of an interruption.
  case duck
  /// Silences the agent and keeps what it says.
  case hold
  /// A false alarm: the agent goes on.
  case resume
  /// The user hears silence in place of the far end, or not any more.
  case deafen(Bool)
  /// Bits per second for Opus.
  case setBitrate(Int)
}
