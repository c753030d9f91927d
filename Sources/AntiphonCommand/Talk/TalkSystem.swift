import Antiphon
import DemoAgent
import Foundation

/// The systems that `talk` can call.
enum TalkSystem: String, CaseIterable, Sendable {
  case elevenLabs = "elevenlabs"
  case telnyx
  case polyAI = "polyai"
  case habla
  /// Over our stand-in for its client's wire, which is not published.
  case vonage

  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
  static let credentials = "ELEVENLABS_API_KEY; POLYAI_CONNECTOR_TOKEN and POLYAI_WEB_TOKEN; HABLA_AUTHORIZATION"

  var vendor: Vendor {
    switch self {
    case .elevenLabs: .elevenLabs
    case .telnyx: .telnyx
    case .polyAI: .polyAI
    case .habla: .habla
    case .vonage: .vonage
    }
  }

  /// An agent of this machine, at the address that it listens at.
  func localAgent(at url: String) throws -> CallAgent {
    switch self {
    case .elevenLabs: return .elevenLabs(agent: "demo", host: ElevenLabsHost(try Self.origin(of: url)))
    case .telnyx:
      var configuration = TelnyxConfiguration(assistantID: "demo")
      configuration.url = url
      configuration.iceServers = []
      return .telnyx(configuration)
    case .polyAI:
      let sockets = try Self.origin(of: url, scheme: "ws") + "/ws"
      let configuration = PolyConfiguration(apiKey: "demo", environment: .custom(rest: url, messaging: sockets))
      return try .polyAI(
        configuration, options: VoiceOptions(webrtcToken: "demo", signalingHost: try Self.origin(of: url)))
    case .habla:
      return .habla(.live(HablaLiveCall(to: "+15550100")), at: HablaServer(url, deviceID: UUID()))
    case .vonage: return .vonageStandIn(url: url, token: Self.demoToken(), context: ["to": "15550100"])
    }
  }

  /// A real agent.
  /// - Parameter id: the agent's or assistant's number.
  func agent(at url: String, id: String?) throws -> CallAgent {
    let environment = ProcessInfo.processInfo.environment
    func secret(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw UsageError("--as \(rawValue) with --url needs \(name) in the environment")
      }
      return value
    }
    func number() throws -> String {
      guard let id else { throw UsageError("--as \(rawValue) with --url needs --agent ID") }
      return id
    }
    switch self {
    case .elevenLabs:
      if url.contains("conversation_signature=") { return .elevenLabs(.signedURL(url)) }
      let host = ElevenLabsHost(try Self.origin(of: url))
      if let key = environment["ELEVENLABS_API_KEY"] { return .elevenLabs(.apiKey(key, id: try number()), host: host) }
      return .elevenLabs(.open(id: try number()), host: host)
    case .telnyx:
      var configuration = TelnyxConfiguration(assistantID: try number())
      configuration.url = url
      return .telnyx(configuration)
    case .polyAI:
      let sockets = try Self.origin(of: url, scheme: "wss") + "/ws"
      let configuration = PolyConfiguration(
        apiKey: try secret("POLYAI_CONNECTOR_TOKEN"), environment: .custom(rest: url, messaging: sockets))
      let options = VoiceOptions(webrtcToken: try secret("POLYAI_WEB_TOKEN"), signalingHost: id)
      return try .polyAI(configuration, options: options)
    case .habla:
      let server = HablaServer(url, authorization: environment["HABLA_AUTHORIZATION"], deviceID: UUID())
      return .habla(.live(HablaLiveCall(to: try number())), at: server)
    case .vonage:
      throw UsageError("the wire of Vonage's client is not published; --as vonage talks to 'antiphon agent' only")
    }
  }

  /// A token of the right form; this machine's agent cannot check who signed it.
  private static func demoToken() -> String {
    let now = Int(Date().timeIntervalSince1970)
    let claims = #"{"application_id":"demo","sub":"Alice","iat":\#(now - 5),"jti":"demo","exp":\#(now + 3_600)}"#
    let parts = [#"{"typ":"JWT","alg":"RS256"}"#, claims, "demo"].map { part in
      Data(part.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
    return parts.joined(separator: ".")
  }

  /// Scheme, host and port.
  private static func origin(of url: String, scheme: String? = nil) throws -> String {
    guard var parts = URLComponents(string: url), let given = parts.scheme, parts.host != nil else {
      throw UsageError("--url: '\(url)' is no URL, such as https://api.elevenlabs.io")
    }
    parts.scheme = scheme ?? ["ws": "http", "wss": "https"][given.lowercased()] ?? given
    parts.path = ""
    parts.query = nil
    return parts.string ?? url
  }
}
