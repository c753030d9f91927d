/// A mark that playout has come to, or that will never be heard.
public struct PlayoutMark: Hashable, Sendable, BitwiseCopyable {
  /// The number that the caller gave it.
  public let id: Int
  /// The output sample with which it was reached, counted from the first one that `playout` ever gave.
  public let outputSample: Int64
  /// False when a flush took away what it marks.
  public let wasHeard: Bool

  @_noLocks
  init(id: Int, outputSample: Int64, wasHeard: Bool) {
    self.id = id
    self.outputSample = outputSample
    self.wasHeard = wasHeard
  }
}
