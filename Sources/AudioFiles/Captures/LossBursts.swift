public import RealtimeCore

/// Packets in a row that never came.
public struct LossBurst: Hashable, Sendable {
  /// The number of the first of them.
  public let first: SequenceNumber
  /// How many they are.
  public let packetCount: Int
  /// When the packets before and behind the burst came: for so long nothing was heard.
  public let arrivals: ClosedRange<MediaInstant>
}

/// Finds bursts of loss: a hole in the numbers that no latecomer fills.
struct LossBurstTracker: Sendable {
  private struct Hole {
    var numbers: Range<Int64>
    let before: MediaInstant
    let behind: MediaInstant
  }

  private var holes: [Hole] = []

  /// Holes beyond this many are counted in the sums only.
  private static let limit = 10_000

  /// All numbers of `numbers` were passed over between two packets.
  mutating func note(_ numbers: Range<Int64>, before: MediaInstant, behind: MediaInstant) {
    guard holes.count < Self.limit else { return }
    holes.append(Hole(numbers: numbers, before: min(before, behind), behind: max(before, behind)))
  }

  /// A packet came late that had seemed lost.
  mutating func fill(_ number: Int64) {
    guard let index = holes.lastIndex(where: { $0.numbers.contains(number) }) else { return }
    let hole = holes.remove(at: index)
    let parts = [hole.numbers.lowerBound..<number, number + 1..<hole.numbers.upperBound].filter { !$0.isEmpty }
    holes.insert(contentsOf: parts.map { Hole(numbers: $0, before: hole.before, behind: hole.behind) }, at: index)
  }

  var bursts: [LossBurst] {
    holes.map {
      LossBurst(
        first: SequenceNumber(UInt16(truncatingIfNeeded: $0.numbers.lowerBound)), packetCount: $0.numbers.count,
        arrivals: $0.before...$0.behind)
    }
  }
}
