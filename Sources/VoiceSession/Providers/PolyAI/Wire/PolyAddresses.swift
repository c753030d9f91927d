/// Where the servers are: of requests, of the messaging socket, and of the gateway.
struct PolyAddresses: Sendable, Hashable {
  /// Base of the requests.
  let rest: String
  /// The messaging socket; it may have a query.
  let messaging: String
  /// The gateway, with its scheme.
  private let gateway: String

  /// Says what is wrong where something is.
  init(_ configuration: PolyConfiguration, _ options: VoiceOptions) throws(PolyError) {
    for (name, value) in [("connector", configuration.apiKey), ("web calling", options.webrtcToken)] {
      guard value.contains(where: { !$0.isWhitespace }) else {
        throw .invalidConfiguration("the \(name) token is blank; copy it from the agent's settings")
      }
    }
    // Both go into headers, where a line break would begin another one.
    for (name, value) in [("connector token", configuration.apiKey), ("host identifier", configuration.hostIdentifier)]
    {
      guard PolyAddresses.isHeaderValue(value) else {
        throw .invalidConfiguration("the \(name) has a line break or other control character")
      }
    }
    let host: String?
    switch configuration.environment {
    case .us: (rest, messaging, host) = PolyAddresses.region("us-1")
    case .uk: (rest, messaging, host) = PolyAddresses.region("uk-1")
    case .euw: (rest, messaging, host) = PolyAddresses.region("euw-1")
    case .cluster("dev"):
      (rest, messaging) = ("https://messaging.dev.poly.ai/api/v1", "wss://messaging.dev.poly.ai/ws")
      host = "webrtc-gateway.dev.polyai.app"
    case .cluster(let name): (rest, messaging, host) = PolyAddresses.region(name)
    case .custom(let rest, let messaging): (self.rest, self.messaging, host) = (rest, messaging, nil)
    }
    guard let gateway = options.signalingHost ?? host, !gateway.isEmpty else {
      throw .invalidConfiguration("servers of one's own need the gateway's name too: set signalingHost")
    }
    self.gateway = gateway.contains("://") ? gateway : "https://" + gateway
  }

  private static func region(_ name: String) -> (String, String, String?) {
    (
      "https://messaging.\(name).poly.ai/api/v1", "wss://messaging.\(name).poly.ai/ws",
      "webrtc-gateway.\(name).platform.polyai.app"
    )
  }

  static func isHeaderValue(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// The messaging socket of a session.
  /// - Parameter cursor: the newest event that came, for those behind it.
  func messagingSocket(token: String, session: String, cursor: Int?) -> String {
    var address = messaging + (messaging.contains("?") ? "&" : "?")
    address += "access_token=\(QueryValue.encoded(token))&session_id=\(QueryValue.encoded(session))"
    if let cursor { address += "&cursor=\(cursor)" }
    return address
  }

  func iceServers(token: String) -> String { "\(gateway)/api/v1/ice-servers?token=\(QueryValue.encoded(token))" }

  /// http becomes ws, https wss.
  var signalling: String { "ws\(gateway.dropFirst(4))/api/v1/webrtc/signal" }
}
