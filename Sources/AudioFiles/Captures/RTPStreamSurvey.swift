/// Finds the RTP streams among the datagrams of a capture and counts what happened to them.
///
/// A stream is one SSRC from one endpoint to another whose sequence numbers go on from packet to packet; chance
/// look-alikes, RTCP and everything else are counted as other. SDP in the same capture names dynamic payload types.
public struct RTPStreamSurvey: Sendable {
  /// RTCP datagrams so far.
  public private(set) var controlCount = 0
  /// Datagrams so far that are neither RTP nor RTCP by their first bytes.
  public private(set) var otherCount = 0
  /// What SDP in the capture says of payload types.
  public private(set) var payloadNames: [UInt8: PayloadName] = [:]

  private var candidates: [RTPStream.Identity: RTPStream] = [:]
  private var order: [RTPStream.Identity] = []
  private let minimumPacketCount: Int

  /// Noise that looks like RTP makes a new SSRC with each packet; when so many are waiting, the unlikely ones go.
  private static let candidateLimit = 2_048

  /// - Parameter minimumPacketCount: streams with fewer different packets are not listed; at least 3.
  public init(minimumPacketCount: Int = 3) {
    precondition(minimumPacketCount >= 3, "\(minimumPacketCount) packets do not make a stream; ask for 3 or more")
    self.minimumPacketCount = minimumPacketCount
  }

  /// Counts one datagram. - Returns: the stream it seems to belong to; `nil` when it is not RTP.
  @discardableResult
  public mutating func add(_ datagram: Datagram) -> RTPStream.Identity? {
    let bytes = datagram.payload
    if datagram.isMarkedControl || bytes.count >= 8 && bytes[0] >> 6 == 2 && (192...223).contains(bytes[1]) {
      controlCount += 1
      return nil
    }
    guard let header = RTPHeaderPeek(bytes) else {
      otherCount += 1
      payloadNames.merge(PayloadName.mappings(in: bytes)) { _, new in new }
      return nil
    }
    let identity = RTPStream.Identity(
      source: datagram.source, destination: datagram.destination, ssrc: header.ssrc)
    let name = PayloadName.fixed(header.payloadType) ?? payloadNames[header.payloadType]
    if candidates[identity] == nil {
      if order.count >= Self.candidateLimit { forgetUnlikely() }
      guard order.count < Self.candidateLimit else { return nil }
      candidates[identity] = RTPStream(identity: identity, first: header, at: datagram.arrival)
      order.append(identity)
    }
    candidates[identity]?.add(header, name: name, at: datagram.arrival)
    return identity
  }

  /// The streams found so far, in the order of their first packets.
  public var streams: [RTPStream] {
    order.compactMap { candidates[$0] }
      .filter { $0.isConvincing && $0.distinctCount >= minimumPacketCount }
      .map { $0.completed(names: payloadNames) }
  }

  private mutating func forgetUnlikely() {
    order.removeAll { identity in
      guard candidates[identity]?.isConvincing != true else { return false }
      candidates[identity] = nil
      return true
    }
  }
}
