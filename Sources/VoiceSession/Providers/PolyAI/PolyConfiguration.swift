/// Which of PolyAI's agents is called, and by whom.
public struct PolyConfiguration: Sendable {
  /// The connector token. A secret: it goes into no log and no error.
  public var apiKey: String
  /// Where the servers stand.
  public var environment: PolyEnvironment
  /// The app, as the servers know it: its bundle id.
  public var hostIdentifier: String
  /// Whether the agent's text comes piece by piece.
  public var streamingEnabled: Bool
  /// What this end says it runs on.
  public var platform = "ios"
  /// "mobile", "tablet" or "desktop".
  public var deviceType = "mobile"
  /// Between signs of life on the messaging socket, in seconds, unless the server wants others; 0: none.
  public var heartbeatIntervalSeconds = 30.0
  /// How often a lost messaging socket is opened again in a row, unless the server wants otherwise.
  public var maxReconnectAttempts = 10

  /// An agent by its token.
  public init(
    apiKey: String, environment: PolyEnvironment = .us, hostIdentifier: String = "antiphon",
    streamingEnabled: Bool = true
  ) {
    self.apiKey = apiKey
    self.environment = environment
    self.hostIdentifier = hostIdentifier
    self.streamingEnabled = streamingEnabled
  }
}

/// Where PolyAI's servers stand.
public enum PolyEnvironment: Sendable, Hashable {
  /// The United States.
  case us
  /// The United Kingdom.
  case uk
  /// The west of Europe.
  case euw
  /// Another one, by its name.
  case cluster(String)
  /// Servers of one's own: the base of the requests, and the messaging socket, which may have a query.
  case custom(rest: String, messaging: String)
}

/// How a call is made.
public struct VoiceOptions: Sendable {
  /// The web calling token; another one than the connector token. A secret, too.
  public var webrtcToken: String
  /// Whether the loudspeaker is used where no headset is; else the earpiece.
  public var speakerphone: Bool
  /// The gateway, with a port if need be; `nil`: the environment's. With "http://" in front it is reached without TLS,
  /// which serves for this machine only.
  public var signalingHost: String?
  /// Whether the system decides when sound may begin, as CallKit does: it waits for `audioSessionDidActivate()`.
  public var callKit: Bool

  /// Options.
  public init(webrtcToken: String, speakerphone: Bool = true, signalingHost: String? = nil, callKit: Bool = false) {
    self.webrtcToken = webrtcToken
    self.speakerphone = speakerphone
    self.signalingHost = signalingHost
    self.callKit = callKit
  }
}
