/// A STUN or TURN server, as in W3C's RTCIceServer.
public struct ICEServer: Hashable, Sendable, CustomStringConvertible {
  /// How a TURN server is reached. The relayed address is of UDP in each case.
  public enum RelayTransport: String, Hashable, Sendable {
    case udp
    /// For networks that block UDP.
    case tcp
    /// For networks that let nothing but TLS pass. The server's certificate is checked.
    case tls
  }

  /// What the server does.
  public enum Service: Hashable, Sendable {
    /// Tells how this end looks from outside (RFC 8489).
    case stun
    /// Relays, for a user with a password (RFC 8656).
    case turn(RelayTransport, username: String, password: String)
  }

  /// What the server does.
  public let service: Service
  /// Its name or address; IPv6 without brackets.
  public let host: String
  /// Its port.
  public let port: UInt16

  /// A server that tells how this end looks from outside.
  public static func stun(_ host: String, port: UInt16 = 3_478) -> ICEServer {
    ICEServer(service: .stun, host: host, port: port)
  }

  /// A server that relays.
  /// - Parameter port: `nil` for the usual one, 3478, or 5349 with TLS.
  public static func turn(
    _ host: String, port: UInt16? = nil, transport: RelayTransport = .udp, username: String, password: String
  ) -> ICEServer {
    ICEServer(
      service: .turn(transport, username: username, password: password), host: host,
      port: port ?? (transport == .tls ? 5_349 : 3_478))
  }

  /// Reads a URI of RFC 7064 or RFC 7065, as signalling hands them out: "stun:host", "turn:host:port?transport=tcp",
  /// "turns:host".
  ///
  /// `nil` for another form, a TURN URI without username and password, or "stuns:", whose answers would not tell where
  /// this end's UDP packets come from.
  public init?(_ uri: String, username: String? = nil, password: String? = nil) {
    guard let colon = uri.firstIndex(of: ":") else { return nil }
    let scheme = uri[..<colon].lowercased()
    let parts = uri[uri.index(after: colon)...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let (host, port) = parts.first.flatMap(Self.hostAndPort) else { return nil }
    var transport: String?
    if parts.count == 2 {
      guard parts[1].lowercased().hasPrefix("transport=") else { return nil }
      transport = parts[1].dropFirst("transport=".count).lowercased()
    }
    switch (scheme, transport) {
    case ("stun", nil): self = .stun(host, port: port ?? 3_478)
    case ("turn", nil), ("turn", "udp"), ("turn", "tcp"), ("turns", nil), ("turns", "tcp"):
      guard let username, let password else { return nil }
      let relay: RelayTransport = scheme == "turns" ? .tls : transport == "tcp" ? .tcp : .udp
      self = .turn(host, port: port, transport: relay, username: username, password: password)
    default: return nil
    }
  }

  /// What it is and where; never the password.
  public var description: String {
    let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    switch service {
    case .stun: return "stun:\(place)"
    case .turn(.tls, _, _): return "turns:\(place)?transport=tcp"
    case .turn(let transport, _, _): return "turn:\(place)?transport=\(transport.rawValue)"
    }
  }

  var isRelay: Bool { if case .turn = service { true } else { false } }

  private init(service: Service, host: String, port: UInt16) {
    self.service = service
    self.host = host
    self.port = port
  }

  private static func hostAndPort(_ text: Substring) -> (String, UInt16?)? {
    var host = text
    var rest: Substring = ""
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      rest = text[text.index(after: end)...]
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      rest = text[colon...]
    }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
    if rest.isEmpty { return (String(host), nil) }
    guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
    return (String(host), port)
  }
}
