/// Finds the RTP streams among the datagrams of a capture and counts what happened to them.
///
/// A stream is one SSRC from one endpoint to another whose sequence numbers go on from packet to packet; chance
/// look-alikes, RTCP and everything else are counted as other. SDP in the same capture names dynamic payload types.
public struct RTPStreamSurvey: Sendable {
  /// RTCP so far, and who sends it.
  public private(set) var control = ControlSurvey()
  /// RTCP datagrams so far.
  public var controlCount: Int { control.datagramCount }
  /// Datagrams so far that are neither RTP nor RTCP by their first bytes.
  public private(set) var otherCount = 0
  /// Session descriptions so far.
  public var descriptionCount: Int { directory.descriptionCount }

  private var directory: PayloadDirectory
  private var candidates: [RTPStream.Identity: RTPStream] = [:]
  private var order: [RTPStream.Identity] = []
  private let minimumPacketCount: Int

  /// Noise that looks like RTP makes a new SSRC with each packet; when so many are waiting, the unlikely ones go.
  private static let candidateLimit = 2_048

  /// - Parameters:
  ///   - minimumPacketCount: streams with fewer different packets are not listed; at least 3.
  ///   - names: of payload types, above what their numbers or SDP say.
  public init(minimumPacketCount: Int = 3, names: [UInt8: PayloadName] = [:]) {
    precondition(minimumPacketCount >= 3, "\(minimumPacketCount) packets do not make a stream; ask for 3 or more")
    self.minimumPacketCount = minimumPacketCount
    directory = PayloadDirectory(chosen: names)
  }

  /// Where a datagram belongs.
  public struct Place: Sendable {
    /// The stream that it seems to belong to.
    public let stream: RTPStream.Identity
    /// 0 to 127.
    public let payloadType: UInt8
    /// The media within the datagram, as far as it was captured.
    public let payload: Range<Int>
    /// Whether nothing of its number came before; copies are not worth a second look.
    public let isNew: Bool
    /// By number or by SDP so far.
    public let name: PayloadName?
  }

  /// Counts one datagram. - Returns: where it belongs; `nil` when it is not RTP.
  @discardableResult
  public mutating func add(_ datagram: Datagram) -> Place? {
    let bytes = datagram.payload
    if datagram.isMarkedControl || ControlSurvey.recognizes(bytes) {
      control.add(bytes)
      return nil
    }
    guard let header = RTPHeaderPeek(bytes, originalByteCount: datagram.originalByteCount) else {
      otherCount += 1
      if let description = SessionDescription(bytes) { directory.add(description) }
      return nil
    }
    let identity = RTPStream.Identity(
      source: datagram.source, destination: datagram.destination, ssrc: header.ssrc)
    let name = directory.name(header.payloadType, of: identity)
    if candidates[identity] == nil {
      if order.count >= Self.candidateLimit { forgetUnlikely() }
      guard order.count < Self.candidateLimit else { return nil }
      candidates[identity] = RTPStream(identity: identity, first: header, at: datagram.arrival)
      order.append(identity)
    }
    let range = header.headerByteCount..<min(bytes.count, header.headerByteCount + header.payloadByteCount)
    let isNew = candidates[identity]?.add(header, payload: bytes[range], name: name, at: datagram.arrival) ?? false
    return Place(
      stream: identity, payloadType: header.payloadType, payload: range, isNew: isNew, name: name)
  }

  /// The stream that a datagram belongs to; `nil` when it is not RTP.
  public static func identity(of datagram: Datagram) -> RTPStream.Identity? {
    guard !datagram.isMarkedControl, !ControlSurvey.recognizes(datagram.payload),
      let header = RTPHeaderPeek(datagram.payload, originalByteCount: datagram.originalByteCount)
    else { return nil }
    return RTPStream.Identity(source: datagram.source, destination: datagram.destination, ssrc: header.ssrc)
  }

  /// What a payload type of a stream is by its number, by the caller's choice or by SDP so far; `nil` when nothing tells.
  public func name(of payloadType: UInt8, in stream: RTPStream.Identity) -> PayloadName? {
    directory.name(payloadType, of: stream)
  }

  /// The streams found so far, in the order of their first packets.
  public var streams: [RTPStream] {
    order.compactMap { candidates[$0] }
      .filter { $0.isConvincing && $0.distinctCount >= minimumPacketCount }
      .map { $0.completed(by: directory) }
  }

  private mutating func forgetUnlikely() {
    order.removeAll { identity in
      guard candidates[identity]?.isConvincing != true else { return false }
      candidates[identity] = nil
      return true
    }
  }
}
