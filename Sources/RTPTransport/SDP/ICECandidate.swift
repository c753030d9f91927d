// RFC 8839 §5.1:
//
//     candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.1.5 rport 46154 generation 0
//               foundation | component | transport | priority | address | port | kind | related | extensions

/// An address where an end may be reached.
public struct ICECandidate: Hashable, Sendable, CustomStringConvertible {
  /// How the address was found.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Of the machine itself.
    case host
    /// As a STUN server sees it.
    case serverReflexive = "srflx"
    /// As a peer sees it.
    case peerReflexive = "prflx"
    /// Of a TURN server.
    case relayed = "relay"
  }

  /// The same for candidates that were found in one way from one address; 1 to 32 characters.
  public var foundation: String
  /// 1 for RTP, 2 for RTCP on a port of its own.
  public var component: Int
  /// "udp" or "tcp", in the case in which it was read.
  public var transport: String
  /// The higher, the better (RFC 8445 §5.1.2).
  public var priority: UInt32
  /// IPv4 or IPv6 address; or a name, such as those ending in ".local" behind which browsers hide addresses.
  public var address: String
  /// The port.
  public var port: UInt16
  /// How the address was found.
  public var kind: Kind
  /// Which of the end's own addresses it belongs to, where that is told.
  public var relatedAddress: String?
  /// The port that belongs to `relatedAddress`.
  public var relatedPort: UInt16?
  /// What follows: names with values, such as "tcptype" with "passive" or "generation" with "0".
  public var extensions: [Extension]

  /// A name with its value.
  public struct Extension: Hashable, Sendable {
    /// Such as "tcptype".
    public var name: String
    /// Such as "passive".
    public var value: String

    /// A name with its value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// A candidate with these fields.
  public init(
    foundation: String, component: Int = 1, transport: String = "udp", priority: UInt32, address: String, port: UInt16,
    kind: Kind, relatedAddress: String? = nil, relatedPort: UInt16? = nil, extensions: [Extension] = []
  ) {
    self.foundation = foundation
    self.component = component
    self.transport = transport
    self.priority = priority
    self.address = address
    self.port = port
    self.kind = kind
    self.relatedAddress = relatedAddress
    self.relatedPort = relatedPort
    self.extensions = extensions
  }

  /// Reads a candidate as a description or a trickle message has it, with or without "a=" in front; `nil` when it has not
  /// that form or is of a kind not known.
  public init?(_ text: String) {
    var body = text[...]
    if body.hasPrefix("a=") { body = body.dropFirst(2) }
    guard body.hasPrefix("candidate:"), body.utf8.count <= SDPLimit.lineByteCount else { return nil }
    let words = body.dropFirst("candidate:".count).split(separator: " ").map(String.init)
    guard words.count >= 8, words[6] == "typ", (1...32).contains(words[0].utf8.count),
      let component = Int(words[1]), (1...256).contains(component), let priority = UInt32(words[3]),
      let port = UInt16(words[5]), let kind = Kind(rawValue: words[7])
    else { return nil }
    self.init(
      foundation: words[0], component: component, transport: words[2], priority: priority, address: words[4],
      port: port,
      kind: kind)
    // A name without a value ends the list: pairs are all that the grammar has here.
    var index = 8
    while index + 1 < words.count {
      switch words[index] {
      case "raddr" where relatedAddress == nil: relatedAddress = words[index + 1]
      case "rport" where relatedPort == nil:
        guard let port = UInt16(words[index + 1]) else { return nil }
        relatedPort = port
      default: extensions.append(Extension(words[index], words[index + 1]))
      }
      index += 2
    }
  }

  /// As it stands in a description, beginning with "candidate:".
  public var text: String {
    var words = [
      "candidate:\(foundation)", "\(component)", transport, "\(priority)", address, "\(port)", "typ", kind.rawValue,
    ]
    if let relatedAddress { words += ["raddr", relatedAddress] }
    if let relatedPort { words += ["rport", "\(relatedPort)"] }
    for pair in extensions { words += [pair.name, pair.value] }
    return words.joined(separator: " ")
  }

  /// As it stands in a description.
  public var description: String { text }

  /// Whether it goes by UDP.
  public var isUDP: Bool { transport.lowercased() == "udp" }
}
