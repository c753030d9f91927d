public import RealtimeCore

// RFC 3550 appendix A.1. A source is on probation until two packets came in order; a jump of 3,000 or more is believed
// when the packet after it comes too (the sender has started anew); up to 100 behind is a reordered or doubled packet.
// Beyond the RFC: what came of the last 128 numbers is remembered, so that a double is told from a latecomer, and
// the counts of a life before a restart are kept.

/// Follows the sequence numbers of one source: how many packets were sent, how many of them came.
@frozen
public struct SequenceValidator: Sendable, BitwiseCopyable {
  /// What a packet's number says about it.
  @frozen
  public enum Outcome: Sendable, BitwiseCopyable {
    /// The source has not yet sent enough packets in order to be believed; not counted.
    case onProbation
    /// The next one, or one further on with a gap before it.
    case inOrder
    /// Older than the newest, and not seen before.
    case reordered
    /// Seen before. Counted as received, as the RFC does, so it lowers the loss.
    case duplicate
    /// Far from all others; believed only if its successor comes next. Not counted.
    case farAway
    /// The successor of a far one: the source has started anew here.
    case restarted
  }

  /// A step forward of fewer than this is a gap, RFC 3550's MAX_DROPOUT.
  public static var maximumDropout: Int { @_noLocks get { 3_000 } }
  /// A step back of up to this is disorder, RFC 3550's MAX_MISORDER.
  public static var maximumMisorder: Int { @_noLocks get { 100 } }

  private let probationLength: Int
  private var probation: Int
  private var isKnown = false
  private var base: Int64 = 0  // unwrapped number of the first packet counted
  private var highest: Int64 = 0  // unwrapped number of the newest
  private var successorOfFarOne: UInt16?
  private var receivedSinceBase = 0
  private var seen: UInt128 = 0  // bit n: the packet n before the newest came
  private var expectedBefore = 0
  private var receivedBefore = 0

  /// Packets that were older than the newest and new.
  public private(set) var reorderedCount = 0
  /// Packets that came more than once, each further time.
  public private(set) var duplicateCount = 0
  /// Times the source started anew.
  public private(set) var restartCount = 0

  /// Follows a source that nothing was heard of.
  /// - Parameter probation: packets in order before the source counts, RFC 3550's MIN_SEQUENTIAL: 2 for a stranger, 0
  ///   when its SSRC was announced or its packets are authenticated. The last of them is the first one counted.
  public init(probation: Int = 2) {
    precondition(probation >= 0, "SequenceValidator: a probation of \(probation) packets; give 0 or more")
    probationLength = probation
    self.probation = probation
  }

  /// Packets counted, doubles included.
  public var receivedCount: Int { @_noLocks get { receivedBefore &+ receivedSinceBase } }

  /// Packets the source has sent as far as the newest number tells.
  public var expectedCount: Int {
    @_noLocks get { expectedBefore &+ (receivedSinceBase == 0 ? 0 : Int(highest &- base &+ 1)) }
  }

  /// The newest sequence number with the count of its wraps above it, as reports carry it (RFC 3550 §6.4.1).
  public var extendedHighestSequenceNumber: UInt32 {
    @_noLocks get { UInt32(truncatingIfNeeded: highest) }
  }

  /// Takes note of one packet.
  @_noLocks
  public mutating func register(_ number: SequenceNumber) -> Outcome {
    guard isKnown else {
      isKnown = true
      highest = Int64(number.rawValue)
      return probation <= 1 ? begin(at: number, .inOrder) : stayOnProbation(left: probation &- 1)
    }
    let newest = SequenceNumber(UInt16(truncatingIfNeeded: highest))
    if probation > 0 {
      guard newest.distance(to: number) == 1 else {
        highest = Int64(number.rawValue)
        return stayOnProbation(left: Swift.max(1, probationLength &- 1))
      }
      highest = Int64(number.rawValue)
      return probation == 1 ? begin(at: number, .inOrder) : stayOnProbation(left: probation &- 1)
    }

    let step = newest.distance(to: number)
    if step >= 0 && step < Self.maximumDropout {
      successorOfFarOne = nil
      receivedSinceBase &+= 1
      if step == 0 {
        duplicateCount &+= 1
        return .duplicate
      }
      highest &+= Int64(step)
      seen = step >= 128 ? 1 : seen &<< UInt128(truncatingIfNeeded: step) | 1
      return .inOrder
    }
    if step < 0 && step >= -Self.maximumMisorder { return registerLate(-step) }
    if let successor = successorOfFarOne, number.rawValue == successor {
      expectedBefore = expectedCount
      receivedBefore = receivedCount
      restartCount &+= 1
      return begin(at: number, .restarted)
    }
    successorOfFarOne = number.rawValue &+ 1
    return .farAway
  }

  @_noLocks
  private mutating func registerLate(_ behind: Int) -> Outcome {
    successorOfFarOne = nil
    receivedSinceBase &+= 1
    let bit = UInt128(1) &<< UInt128(truncatingIfNeeded: behind)
    if seen & bit != 0 {
      duplicateCount &+= 1
      return .duplicate
    }
    seen |= bit
    reorderedCount &+= 1
    return .reordered
  }

  @_noLocks
  private mutating func stayOnProbation(left: Int) -> Outcome {
    probation = left
    return .onProbation
  }

  @_noLocks
  private mutating func begin(at number: SequenceNumber, _ outcome: Outcome) -> Outcome {
    probation = 0
    base = Int64(number.rawValue)
    highest = base
    successorOfFarOne = nil
    receivedSinceBase = 1
    seen = 1
    return outcome
  }
}
