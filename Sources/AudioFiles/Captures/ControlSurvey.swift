/// Who sends RTCP in a capture (RFC 3550 §6.4): what is left to tell when there is no RTP.
///
///     V2 P1 count5 | type8 | words16 | SSRC of sender32 …     compound: the next packet follows right behind
public struct ControlSurvey: Sendable {
  /// One sender.
  public struct Source: Hashable, Sendable {
    /// Its synchronization source.
    public let ssrc: UInt32
    /// Datagrams it sent.
    public internal(set) var datagramCount = 0
    /// Sender reports among their packets: it sends RTP somewhere.
    public internal(set) var senderReportCount = 0
    /// Receiver reports.
    public internal(set) var receiverReportCount = 0
  }

  /// In the order of their first datagrams, the first 1,024.
  public private(set) var sources: [Source] = []
  /// Datagrams of all sources.
  public private(set) var datagramCount = 0

  private static let sourceLimit = 1_024

  /// Whether a datagram is RTCP by its first bytes (RFC 5761 §4: packet types 192 to 223).
  static func recognizes(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 8 && bytes[0] >> 6 == 2 && (192...223).contains(bytes[1])
  }

  mutating func add(_ bytes: [UInt8]) {
    datagramCount += 1
    guard bytes.count >= 8 else { return }
    let ssrc = UInt32(truncatingIfNeeded: bytes.integer(4, bigEndian: true))
    var place = sources.firstIndex { $0.ssrc == ssrc }
    if place == nil {
      guard sources.count < Self.sourceLimit else { return }
      place = sources.count
      sources.append(Source(ssrc: ssrc))
    }
    guard let place else { return }
    sources[place].datagramCount += 1
    var offset = 0
    while offset + 4 <= bytes.count, bytes[offset] >> 6 == 2 {
      switch bytes[offset + 1] {
      case 200: sources[place].senderReportCount += 1
      case 201: sources[place].receiverReportCount += 1
      default: break
      }
      offset += 4 + 4 * bytes.shortInteger(offset + 2, bigEndian: true)
    }
  }
}
