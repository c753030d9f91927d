/// How the fakes of PolyAI's services are set up.
public struct PolyAISettings: Sendable {
  /// What `X-Token` must be; `nil`: anything but empty.
  public var connectorToken: String?
  /// What the web calling token must be; `nil`: anything but empty.
  public var webCallingToken: String?
  /// From the messaging socket's opening to its session start, in seconds; `nil`: it never comes.
  public var sessionStartSeconds: Double? = 0.05
  /// The answer to the question for ICE servers, as JSON.
  public var iceServers = #"{"iceServers":[]}"#
  /// What the session start says of heartbeats, in seconds; 0 for none.
  public var heartbeatSeconds = 30
  /// From the offer to the answer, in seconds.
  public var answerSeconds = 0.0
  /// How long a call waits for its signalling socket to come again, in seconds.
  public var patienceSeconds = 30.0

  /// Services that take every token.
  public init() {}
}
