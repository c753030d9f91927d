/// What the session descriptions of a capture say of payload types, by where RTP goes.
///
/// A dynamic payload type means something only to the one who asked for it, so the receiver's own description counts
/// first: its address and port, then the port alone (its address may have been translated on the way). Then the sender's
/// description, since most answer with the numbers they were offered; then any in the capture.
struct PayloadDirectory: Sendable {
  /// Names that the user chose, above all others.
  private let chosen: [UInt8: PayloadName]
  /// All names, the latest of each number.
  private(set) var all: [UInt8: PayloadName] = [:]
  /// Descriptions seen.
  private(set) var descriptionCount = 0
  private var byEndpoint: [NetworkEndpoint: [UInt8: PayloadName]] = [:]
  private var byPort: [UInt16: [UInt8: PayloadName]] = [:]
  private var protectedPorts: Set<UInt16> = []

  /// As many receivers as a machine has ports.
  private static let endpointLimit = 65_536

  init(chosen: [UInt8: PayloadName]) { self.chosen = chosen }

  mutating func add(_ description: SessionDescription) {
    descriptionCount += 1
    for stream in description.streams {
      all.merge(stream.names) { _, new in new }
      guard stream.port != 0 else { continue }
      let endpoint = NetworkEndpoint(address: stream.address, port: stream.port)
      if byEndpoint[endpoint] != nil || byEndpoint.count < Self.endpointLimit {
        byEndpoint[endpoint, default: [:]].merge(stream.names) { _, new in new }
      }
      byPort[stream.port, default: [:]].merge(stream.names) { _, new in new }
      if stream.isProtected { protectedPorts.insert(stream.port) } else { protectedPorts.remove(stream.port) }
    }
  }

  func name(_ payloadType: UInt8, of stream: RTPStream.Identity) -> PayloadName? {
    // Numbers below 35 were given away for good; the dynamic ones are above (RFC 3551 §3).
    chosen[payloadType] ?? PayloadName.fixed(payloadType)
      ?? byEndpoint[stream.destination]?[payloadType] ?? byPort[stream.destination.port]?[payloadType]
      ?? byEndpoint[stream.source]?[payloadType] ?? byPort[stream.source.port]?[payloadType] ?? all[payloadType]
  }

  /// Whether a description asked for SRTP at either end of the stream.
  func isProtected(_ stream: RTPStream.Identity) -> Bool {
    protectedPorts.contains(stream.destination.port) || protectedPorts.contains(stream.source.port)
  }
}
