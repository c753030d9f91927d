internal import Foundation
internal import Networking

/// Which agent is called, and by what right.
public enum ElevenLabsAgent: Sendable, Hashable {
  /// Anybody may talk to it.
  case open(id: String)
  /// A URL that the app's own server has got for this conversation.
  case signedURL(String)
  /// A token that the app's own server has got for this conversation.
  case token(String, id: String)
  /// The account's key. It belongs on a server, never into an app that is handed out: whoever has it can do everything.
  case apiKey(String, id: String)
}

/// Where ElevenLabs is, and what stands in the addresses.
public struct ElevenLabsHost: Sendable, Hashable {
  /// The server: `https://api.elevenlabs.io`, or that of a region, or of a test.
  public var base: String
  /// The environment of the agent's settings, where there are several.
  public var environment: String?

  /// A server by its base URL, without a path.
  public init(_ base: String = "https://api.elevenlabs.io", environment: String? = nil) {
    self.base = base
    self.environment = environment
  }

  /// The servers of the regions.
  public static let global = ElevenLabsHost()
  /// United States.
  public static let unitedStates = ElevenLabsHost("https://api.us.elevenlabs.io")
  /// Data that stays in the European Union.
  public static let europe = ElevenLabsHost("https://api.eu.residency.elevenlabs.io")
  /// Data that stays in India.
  public static let india = ElevenLabsHost("https://api.in.residency.elevenlabs.io")
  /// Data that stays in Singapore.
  public static let singapore = ElevenLabsHost("https://api.sg.residency.elevenlabs.io")

  /// What this client calls itself.
  static let source = "antiphon"
  static let version = "1.0"

  /// The socket of a conversation; `nil` when `base` or the signed URL is no URL.
  func socket(for agent: ElevenLabsAgent) -> SocketRequest? {
    switch agent {
    case .open(let id), .apiKey(_, let id): return request(conversationURL(id))
    case .token(let token, let id):
      return request(conversationURL(id)).map { SocketRequest($0.url, subprotocols: ["convai", "bearer.\(token)"]) }
    case .signedURL(let url): return request(URLComponents(string: url))
    }
  }

  /// Asks for a URL for one conversation.
  func signedURLRequest(id: String, apiKey: String) -> HTTPRequest? {
    guard var parts = URLComponents(string: base) else { return nil }
    parts.path = "/v1/convai/conversation/get-signed-url"
    parts.queryItems = [URLQueryItem(name: "agent_id", value: id)]
    return parts.string.map { HTTPRequest(.get, $0, headers: ["xi-api-key": apiKey]) }
  }

  private func conversationURL(_ id: String) -> URLComponents? {
    guard var parts = URLComponents(string: base), let scheme = parts.scheme?.lowercased() else { return nil }
    parts.scheme = scheme == "http" || scheme == "ws" ? "ws" : "wss"
    parts.path = "/v1/convai/conversation"
    parts.queryItems = [URLQueryItem(name: "agent_id", value: id)]
    return parts
  }

  private func request(_ parts: URLComponents?) -> SocketRequest? {
    guard var parts, parts.host != nil else { return nil }
    var items = parts.queryItems ?? []
    items += [URLQueryItem(name: "source", value: Self.source), URLQueryItem(name: "version", value: Self.version)]
    if let environment { items.append(URLQueryItem(name: "environment", value: environment)) }
    parts.queryItems = items
    return parts.string.map { SocketRequest($0, subprotocols: ["convai"]) }
  }
}
