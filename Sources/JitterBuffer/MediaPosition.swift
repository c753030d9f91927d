/// A place in what an agent says.
public struct MediaPosition: Hashable, Sendable, BitwiseCopyable {
  /// The number that the caller gave the answer.
  public let item: Int
  /// How much of it lies before this place.
  public let nanoseconds: Int64

  /// The place `nanoseconds` after the beginning of `item`.
  @_noLocks
  public init(item: Int, nanoseconds: Int64) {
    self.item = item
    self.nanoseconds = nanoseconds
  }

  /// Milliseconds of the item before this place.
  public var milliseconds: Double { Double(nanoseconds) * 1e-6 }
}
