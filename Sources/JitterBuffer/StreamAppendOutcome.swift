/// What became of audio that was given to `StreamPlayout.append`.
public struct StreamAppendOutcome: Hashable, Sendable, BitwiseCopyable {
  /// Why it took what it took.
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// All waits for its turn.
    case taken
    /// The store is full: the bytes behind `byteCount` are the caller's to keep and to give again.
    case full
    /// It belongs to an answer that was flushed: dropped.
    case flushed
    /// It belongs to an answer that has ended: dropped.
    case ended
    /// The codec cannot read it: dropped.
    case malformed
  }

  /// What became of it.
  public let kind: Kind
  /// Bytes that need not be given again.
  public let byteCount: Int

  /// An outcome.
  @_noLocks
  public init(_ kind: Kind, _ byteCount: Int) {
    self.kind = kind
    self.byteCount = byteCount
  }
}
