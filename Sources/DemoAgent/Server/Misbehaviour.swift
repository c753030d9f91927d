/// What a fake does wrong on request, so that clients can be tried. Counts and steps are of each WebSocket by itself.
public struct Misbehaviour: Sendable {
  /// A place in what the fake sends: the nth message of a kind. The kind is the message's `type` or `method`, `binary`
  /// for bytes, or method and path of a REST request.
  public struct Step: Sendable, Equatable {
    /// As told above.
    public var kind: String
    /// Counts from 1.
    public var occurrence: Int

    /// The nth message of a kind.
    public init(_ kind: String, _ occurrence: Int = 1) {
      self.kind = kind
      self.occurrence = occurrence
    }
  }

  /// Each message is held back for so long, in seconds; the order stays.
  public var delaySeconds = 0.0
  /// Each nth message goes out behind the one that follows it.
  public var reorderEvery: Int?
  /// Each nth message is lost.
  public var dropEvery: Int?
  /// Each nth message goes out twice.
  public var duplicateEvery: Int?
  /// In JSON, numbers become texts, and `true` becomes 1.
  public var usesWrongTypes = false
  /// Sound is cut at odd numbers of bytes, 1 to 9,999, always the same.
  public var usesOddSizes = false
  /// In place of that message the TCP connection is shut, without a word.
  public var abortsAt: Step?
  /// In place of that message the WebSocket is closed with this code.
  public var closesAt: (step: Step, code: Int)?
  /// From that message on nothing is sent any more; the connection stays.
  public var fallsSilentAt: Step?
  /// Answered to requests of that kind, as many as the occurrence says, instead of what is right.
  public var failsRequest: (step: Step, status: Int)?

  /// No misbehaviour.
  public init() {}
}
