public import RealtimeCore

/// An IPv4 or IPv6 address with a UDP port, as told by a capture.
public struct NetworkEndpoint: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes in network order.
  public let address: [UInt8]
  /// UDP port.
  public let port: UInt16

  /// An endpoint of this address, 4 or 16 bytes in network order, and port.
  public init(address: [UInt8], port: UInt16) {
    self.address = address
    self.port = port
  }

  /// "192.0.2.1:5004", "[2001:db8:0:0:0:0:0:1]:5004".
  public var description: String {
    if address.count == 4 { return address.map(String.init).joined(separator: ".") + ":\(port)" }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map {
      String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16)
    }
    return "[" + groups.joined(separator: ":") + "]:\(port)"
  }
}

/// The payload of one UDP datagram, and when it passed the capturing machine.
public struct Datagram: Hashable, Sendable {
  /// Nanoseconds since 1970 as the capture tells them; captures need not tell the truth nor go forward.
  public let arrival: MediaInstant
  /// Who sent it.
  public let source: NetworkEndpoint
  /// All zero in an rtpdump file, which does not tell it.
  public let destination: NetworkEndpoint
  /// What was captured of the payload.
  public let payload: [UInt8]
  /// Bytes of payload on the wire; more than `payload` has when the capture cut packets short.
  public let originalByteCount: Int
  /// The file itself calls this RTCP (rtpdump does).
  public let isMarkedControl: Bool

  /// A datagram that arrived whole, unless told otherwise.
  public init(
    arrival: MediaInstant, source: NetworkEndpoint, destination: NetworkEndpoint, payload: [UInt8],
    originalByteCount: Int? = nil, isMarkedControl: Bool = false
  ) {
    self.arrival = arrival
    self.source = source
    self.destination = destination
    self.payload = payload
    self.originalByteCount = originalByteCount ?? payload.count
    self.isMarkedControl = isMarkedControl
  }
}

/// What is odd about a capture that could be read all the same.
public enum CaptureWarning: Hashable, Sendable, CustomStringConvertible {
  /// The file ends inside a record; all before it was read.
  case cutShort(byte: Int64)
  /// A record contradicts itself; reading ended before it.
  case damagedRecord(byte: Int64, reason: String)
  /// Packets of a link type that is not known were left out.
  case unsupportedLinkType(Int, packets: Int)
  /// Fragments of IP packets whose other fragments are missing were left out.
  case fragments(Int)
  /// Datagrams of which the capture kept only the beginning.
  case cutDatagrams(Int)

  /// One sentence for people, with the numbers.
  public var description: String {
    switch self {
    case .cutShort(let byte): "the capture is cut at byte \(byte), inside a record; all before it was read"
    case .damagedRecord(let byte, let reason): "the record at byte \(byte) is damaged (\(reason)); reading ended there"
    case .unsupportedLinkType(let type, let packets):
      "\(packets) packets of link type \(type) were left out; capture on Ethernet, Linux cooked, loopback or raw IP"
    case .fragments(let count):
      "\(count) IP fragments were left out; the others of their packets are not in the capture"
    case .cutDatagrams(let count): "\(count) datagrams were captured only in part; capture with a larger snap length"
    }
  }
}
