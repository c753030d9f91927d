import Antiphon
import DemoAgent
import Foundation

/// The systems that `talk` can call.
enum TalkSystem: String, CaseIterable, Sendable {
  case elevenLabs = "elevenlabs"

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  static let credentials = "ELEVENLABS_API_KEY"

  var vendor: Vendor {
    switch self {
    case .elevenLabs: .elevenLabs
    }
  }

  /// - Parameters:
  ///   - url: of this machine's agent, or the one that was asked for.
  ///   - isLocal: whether it is this machine's agent, which takes any number.
  func agent(at url: String, agent: String?, isLocal: Bool) throws -> CallAgent {
    let environment = ProcessInfo.processInfo.environment
    switch self {
    case .elevenLabs:
      if url.contains("conversation_signature=") { return .elevenLabs(.signedURL(url)) }
      guard let id = agent ?? environment["ELEVENLABS_AGENT_ID"] ?? (isLocal ? "local" : nil) else {
        throw UsageError("--url needs --agent ID, or a signed URL")
      }
      let host = ElevenLabsHost(try Self.base(of: url))
      if !isLocal, let key = environment["ELEVENLABS_API_KEY"] {
        return .elevenLabs(.apiKey(key, id: id), host: host)
      }
      return .elevenLabs(.open(id: id), host: host)
    }
  }

  /// Scheme, host and port.
  private static func base(of url: String) throws -> String {
    guard var parts = URLComponents(string: url), let scheme = parts.scheme, parts.host != nil else {
      throw UsageError("--url: '\(url)' is no URL, such as https://api.elevenlabs.io")
    }
    parts.scheme = ["ws": "http", "wss": "https"][scheme.lowercased()] ?? scheme
    parts.path = ""
    parts.query = nil
    return parts.string ?? url
  }
}
