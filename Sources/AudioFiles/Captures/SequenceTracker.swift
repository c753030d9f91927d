internal import RealtimeCore

/// Orders the sequence numbers of one stream: what is new, late, doubled, or the start of a new run (RFC 3550 A.1).
///
/// The last 2,048 numbers are remembered, so a copy counts as a duplicate, never as negative loss.
struct SequenceTracker {
  enum Place {
    case first, next, ahead, reordered, duplicate
    /// Far away from all others; believed only when the next packet follows it.
    case stray
    /// Two packets in a row far away: a new run has begun with the stray one.
    case restart
  }

  /// Unwrapped; the run begins in 65,536..<131,072.
  private(set) var highest: Int64
  /// Packets that came right after the one before.
  private(set) var consecutiveCount = 0
  /// Numbers of the run that the last restart ended.
  private(set) var finishedCount: Int64 = 0
  private var lowest: Int64
  private var unwrapper = SequenceUnwrapper()
  private var seen = [UInt64](repeating: 0, count: SequenceTracker.window / 64)
  private var stray: UInt16?
  private var isEmpty = true

  private static let window = 2_048
  /// MAX_DROPOUT of RFC 3550 A.1: a larger jump is not loss.
  private static let jumpLimit: Int64 = 3_000

  init(first: UInt16) {
    highest = unwrapper.unwrap(SequenceNumber(first))
    lowest = highest
  }

  /// The number, unwrapped, that `number` stands for beside the newest one.
  func unwrapped(_ number: UInt16) -> Int64 {
    highest + Int64(SequenceNumber(UInt16(truncatingIfNeeded: highest)).distance(to: SequenceNumber(number)))
  }

  /// Numbers of the present run, from its lowest to its highest.
  var expectedCount: Int64 { highest - lowest + 1 }

  mutating func place(_ number: UInt16) -> Place {
    if isEmpty {
      isEmpty = false
      mark(highest)
      return .first
    }
    let step = Int64(SequenceNumber(UInt16(truncatingIfNeeded: highest)).distance(to: SequenceNumber(number)))
    let unwrapped = highest + step
    if step > Self.jumpLimit || step <= -Int64(Self.window) { return farAway(number) }
    stray = nil
    if step > 0 {
      for passed in 1...min(step, Int64(Self.window)) { clear(highest + passed) }
      highest = unwrapped
      mark(unwrapped)
      if step == 1 { consecutiveCount += 1 }
      return step == 1 ? .next : .ahead
    }
    if isMarked(unwrapped) { return .duplicate }
    lowest = min(lowest, unwrapped)
    mark(unwrapped)
    return .reordered
  }

  private mutating func farAway(_ number: UInt16) -> Place {
    guard let before = stray, before &+ 1 == number else {
      stray = number
      return .stray
    }
    finishedCount = expectedCount
    unwrapper = SequenceUnwrapper()
    lowest = unwrapper.unwrap(SequenceNumber(before))
    highest = lowest + 1
    seen = [UInt64](repeating: 0, count: seen.count)
    mark(lowest)
    mark(highest)
    stray = nil
    return .restart
  }

  private func isMarked(_ number: Int64) -> Bool {
    let bit = Int(truncatingIfNeeded: number) & (Self.window - 1)
    return seen[bit / 64] >> UInt64(bit % 64) & 1 == 1
  }

  private mutating func mark(_ number: Int64) {
    let bit = Int(truncatingIfNeeded: number) & (Self.window - 1)
    seen[bit / 64] |= 1 << UInt64(bit % 64)
  }

  private mutating func clear(_ number: Int64) {
    let bit = Int(truncatingIfNeeded: number) & (Self.window - 1)
    seen[bit / 64] &= ~(1 << UInt64(bit % 64))
  }
}
