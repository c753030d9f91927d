public import AudioFiles
internal import RealtimeCore

/// One stream that a sender sent twice, over two networks (SMPTE ST 2022-7): a receiver takes each packet from whichever
/// path brings it.
public struct JoinedPaths: Sendable {
  /// The sender.
  public let ssrc: UInt32
  /// The streams, one for each path.
  public let paths: [RTPStream.Identity]
  /// Different packets over all paths.
  public let distinctCount: Int
  /// Packets of sequence numbers from the first to the last over all paths.
  public let expectedCount: Int
  /// Packets that no path brought.
  public var lostCount: Int { max(0, expectedCount - distinctCount) }
}

/// Counts the packets of each SSRC whatever way they came.
struct JoinedPathsTracker {
  private struct Joined {
    var numbers = Set<UInt16>()
    var highest: Int64
    var lowest: Int64
    var distinctCount = 0
    var unwrapper = SequenceUnwrapper()
  }

  private var joined: [UInt32: Joined] = [:]
  private static let sourceLimit = 4_096
  /// How far the paths may be apart, in packets.
  private static let window: Int64 = 8_192

  mutating func add(_ place: RTPStreamSurvey.Place, _ datagram: Datagram) {
    let bytes = datagram.payload
    let number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    let ssrc = place.stream.ssrc
    guard joined[ssrc] != nil || joined.count < Self.sourceLimit else { return }
    var entry = joined[ssrc] ?? Joined(highest: .min, lowest: .max)
    let unwrapped = entry.unwrapper.unwrap(SequenceNumber(number))
    // Numbers far behind the newest make room, so that the set stays small and a number may come round again.
    if unwrapped > entry.highest {
      if entry.highest > .min, unwrapped - entry.highest < Self.window {
        for passed in entry.highest + 1...unwrapped {
          entry.numbers.remove(UInt16(truncatingIfNeeded: passed - Self.window))
        }
      } else {
        entry.numbers.removeAll()
      }
      entry.highest = unwrapped
    }
    entry.lowest = min(entry.lowest, unwrapped)
    if entry.numbers.insert(number).inserted { entry.distinctCount += 1 }
    joined[ssrc] = entry
  }

  /// Those of `streams` that are paths of one sender: the same SSRC from and to other places, and a good part of the
  /// numbers in common. The two directions of one conversation are no such paths.
  func paths(of streams: [RTPStream]) -> [JoinedPaths] {
    var groups: [UInt32: [RTPStream]] = [:]
    for stream in streams { groups[stream.identity.ssrc, default: []].append(stream) }
    return streams.compactMap { stream in
      guard let group = groups.removeValue(forKey: stream.identity.ssrc), group.count > 1,
        let entry = joined[stream.identity.ssrc]
      else { return nil }
      let isTwoWay = group.contains { one in
        group.contains {
          $0.identity.source == one.identity.destination && $0.identity.destination == one.identity.source
        }
      }
      let separately = group.reduce(0) { $0 + $1.distinctCount }
      guard !isTwoWay, entry.distinctCount * 4 < separately * 3 else {
        return nil
      }
      return JoinedPaths(
        ssrc: stream.identity.ssrc, paths: group.map(\.identity), distinctCount: entry.distinctCount,
        expectedCount: Int(entry.highest - entry.lowest + 1))
    }
  }
}
