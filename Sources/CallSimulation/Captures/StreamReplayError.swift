/// Why a captured stream cannot be replayed.
public enum StreamReplayError: Error, Equatable, Sendable, CustomStringConvertible {
  /// None of its payload types is of a codec that is decoded here.
  case nothingToDecode

  /// What happened and what to do, in one sentence.
  public var description: String { "nothing in the stream can be decoded; name the codec of its payload type" }
}
