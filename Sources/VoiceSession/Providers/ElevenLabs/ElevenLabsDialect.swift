internal import Foundation
package import Networking
internal import RealtimeCore

/// ElevenLabs' conversation over one WebSocket: typed JSON both ways, sound as base64 inside it.
///
/// - Source: the vendor's WebSocket reference and the schema in its Swift SDK's repository, as of 2026.
package struct ElevenLabsDialect: SessionDialect {
  package enum Socket: Hashable, Sendable { case conversation }
  package enum Request: Hashable, Sendable { case signedURL }
  package enum Timer: Hashable, Sendable {
    case metadata
    case openAgain
    case listening
    case speechHeld
    case silenceHeld
    case speechEnded
  }
  package enum Command: Sendable {
    case contextualUpdate(String, contextID: String?)
    case userActivity
    case feedback(isLike: Bool?, eventID: Int)
    case approve(mcpCall: String, Bool)
    case toolResult(id: String, result: String, isError: Bool, errorType: ToolErrorType?)
    case forgetTool(id: String)
  }
  package typealias Notice = ElevenLabsNotice

  let agent: ElevenLabsAgent
  let host: ElevenLabsHost
  let config: ConversationConfig
  var startup = StartupClock()
  var metadata: ConversationMetadata?
  /// What came before the metadata, to be handled behind it.
  var early: [JSON] = []
  var turns = ElevenLabsTurns()
  var agentStates: ElevenLabsAgentStates
  var transcript = ElevenLabsTranscript()
  var pendingTools: Set<String> = []
  private var mutedSpeech = MutedSpeechDetector()
  private var socketRequest: SocketRequest?

  /// A server that sends without end before it says in which format costs no more than this.
  private static let largestEarlyCount = 256
  /// How long the server may take to tell the formats, in seconds.
  static let metadataLimit = 10.0
  /// When a socket that did not open is tried again, in seconds from the failure.
  private static let retryDelays = [0.2, 0.5]

  package init(_ agent: ElevenLabsAgent, host: ElevenLabsHost = .global, config: ConversationConfig = .init()) {
    self.agent = agent
    self.host = host
    self.config = config
    agentStates = ElevenLabsAgentStates(config.agentState)
  }

  package mutating func start(_ session: inout Session) {
    startup.begin(at: session.now)
    guard case .apiKey(let key, let id) = agent else {
      socketRequest = host.socket(for: agent)
      return connect(&session)
    }
    guard let request = host.signedURLRequest(id: id, apiKey: key) else { return failAddress(&session) }
    session.publish(.notice(.startup(.resolvingToken)))
    session.send(request, for: .signedURL)
  }

  package mutating func answered(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {
    startup.tokenCame(at: session.now)
    switch result {
    case .failure(let error): fail(error, &session)
    case .success(let response):
      guard response.isSuccess, let url = response.json["signed_url"].string else {
        return fail(Self.refusal(status: response.status, of: "the signed URL"), &session)
      }
      socketRequest = host.socket(for: .signedURL(url))
      connect(&session)
    }
  }

  private mutating func connect(_ session: inout Session) {
    guard let socketRequest else { return failAddress(&session) }
    session.become(.connecting)
    startup.attempt(at: session.now)
    if startup.metrics.attempts == 1 { session.publish(.notice(.startup(.connecting))) }
    session.open(.conversation, socketRequest)
  }

  package mutating func opened(_ socket: Socket, _ session: inout Session) {
    startup.opened(at: session.now)
    session.publish(.notice(.startup(.sendingConversationInit(attempt: startup.metrics.attempts))))
    session.send(config.initiation.text, to: .conversation)
    session.publish(.notice(.startup(.waitingForAgent)))
    session.setTimer(.metadata, after: Self.metadataLimit)
  }

  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    // Binary messages are not of this protocol.
    guard case .text(let text) = message else { return }
    guard let event = try? JSON(parsing: text), event.object != nil else {
      return session.publish(.problem(SessionError(.server, code: "badJSON", "a message that is no JSON was left out")))
    }
    if metadata != nil { return handle(event, &session) }
    switch event["type"].string {
    case "conversation_initiation_metadata": take(metadata: event, &session)
    // Whoever does not answer is taken for gone, and an error ends the wait.
    case "ping", "client_error", "error": handle(event, &session)
    default: if early.count < Self.largestEarlyCount { early.append(event) }
    }
  }

  private mutating func take(metadata event: JSON, _ session: inout Session) {
    let fields = event["conversation_initiation_metadata_event"]
    let metadata = ConversationMetadata(
      conversationID: fields["conversation_id"].string ?? "",
      agentOutputAudioFormat: fields["agent_output_audio_format"].string ?? "pcm_16000",
      userInputAudioFormat: fields["user_input_audio_format"].string ?? "pcm_16000")
    self.metadata = metadata
    session.cancelTimer(.metadata)
    if !config.isTextOnly {
      guard let output = FramedAudioFormat(elevenLabs: metadata.agentOutputAudioFormat) else {
        let format = metadata.agentOutputAudioFormat
        return fail(
          SessionError(
            .media, code: "audioFormat",
            "the agent's sound is \(format), which cannot be played here; choose pcm or ulaw in the agent's settings"),
          &session)
      }
      // The vendor's rule for a format that the client does not know.
      let input = FramedAudioFormat(elevenLabs: metadata.userInputAudioFormat) ?? FramedAudioFormat(.pcm16, .hz16000)
      turns.format = output
      session.media(.openStream(send: input, receive: output, packetMilliseconds: config.packetMilliseconds))
    }
    session.publish(.notice(.metadata(metadata)))
    session.become(.active([]))
    session.publish(.notice(.startup(.active(startup.ended(at: session.now)))))
    let waiting = early
    early = []
    for event in waiting { handle(event, &session) }
  }

  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    if metadata == nil {
      if !ending.wasOpen, ending.status == nil, startup.metrics.attempts <= Self.retryDelays.count {
        return session.setTimer(.openAgain, after: Self.retryDelays[startup.metrics.attempts - 1])
      }
      if let status = ending.status { return fail(Self.refusal(status: status, of: "the conversation"), &session) }
      return fail(Self.closing(ending), &session)
    }
    if !ending.isOrderly { session.publish(.problem(Self.closing(ending))) }
    session.finish(.remote(ending.code.map { "\($0) \(ending.reason)" } ?? ending.reason))
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .metadata:
      fail(
        SessionError(
          .timeout, code: "connectionFailed",
          "the server did not tell the conversation's formats within \(Int(Self.metadataLimit)) s; try again"),
        &session)
    case .openAgain: connect(&session)
    case .listening, .speechHeld, .silenceHeld, .speechEnded: agentStates.elapsed(timer, &session)
    }
  }

  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {
    switch event {
    case .microphone(let packet):
      guard session.state.isActive else { return }
      // Written by hand: it is sent 50 times a second, and base64 needs no escapes.
      session.send(#"{"user_audio_chunk":""# + Data(packet).base64EncodedString() + #""}"#, to: .conversation)
    case .playout(let playout):
      for text in turns.spoken(until: playout) { session.publish(.spoken(text)) }
      agentStates.playout(isOn: playout != nil, &session)
    case .microphoneLevel(let level):
      if mutedSpeech.take(level, isMuted: session.mute.isMuted, at: session.now) {
        session.publish(.notice(.mutedSpeech))
      }
    case .failed(let error): fail(error, &session)
    default: break
    }
  }

  package mutating func goodbye(_ session: inout Session) { session.close(.conversation) }
}

// What can go wrong.
extension ElevenLabsDialect {
  mutating func fail(_ error: SessionError, _ session: inout Session) {
    if metadata == nil { session.publish(.notice(.startup(.failed(error, startup.ended(at: session.now))))) }
    session.fail(error)
  }

  private mutating func failAddress(_ session: inout Session) {
    fail(SessionError(.configuration, "the host or the signed URL is no URL; give https://host or wss://…"), &session)
  }

  private static func refusal(status: Int, of what: String) -> SessionError {
    status == 401 || status == 403
      ? SessionError(
        .authentication, code: "authenticationFailed",
        "the server refuses \(what) (\(status)); check agent id, key or token")
      : SessionError(
        .network, code: "connectionFailed", "the server refuses \(what) with status \(status)",
        isRetryable: status == 429 || status >= 500)
  }

  /// Settings that the agent does not allow end the connection without a message: the code is all there is to see.
  private static func closing(_ ending: SocketEnding) -> SessionError {
    guard let code = ending.code else {
      return SessionError(.network, code: "connectionFailed", "the connection was lost: \(ending.reason)")
    }
    let words = ending.reason.isEmpty ? "without a word" : "saying \"\(ending.reason)\""
    return SessionError(
      code == 1008 ? .configuration : .server, code: "\(code)",
      "the server closed \(words); with 1008 check that the agent allows the overrides that were asked for",
      isRetryable: code != 1008)
  }
}

extension FramedAudioFormat {
  /// `nil`: none that is known here.
  init?(elevenLabs name: String) {
    let parts = name.split(separator: "_")
    guard parts.count == 2, let hertz = Int(parts[1]), [8_000, 16_000, 22_050, 24_000, 44_100, 48_000].contains(hertz),
      let rate = try? SampleRate(hertz: hertz)
    else { return nil }
    switch parts[0] {
    case "pcm": self.init(.pcm16, rate)
    case "ulaw" where hertz == 8_000: self.init(.muLaw, rate)
    default: return nil
    }
  }
}

/// Where the time of the start goes.
struct StartupClock: Sendable {
  private(set) var metrics = ConversationStartupMetrics()
  private var begun = MediaInstant.zero
  private var attempted = MediaInstant.zero
  private var isOpen = MediaInstant.zero

  mutating func begin(at now: MediaInstant) { begun = now }
  mutating func tokenCame(at now: MediaInstant) { metrics.token = seconds(begun, now) }
  mutating func attempt(at now: MediaInstant) {
    attempted = now
    metrics.attempts += 1
  }
  mutating func opened(at now: MediaInstant) {
    isOpen = now
    metrics.connection = seconds(attempted, now)
  }
  mutating func ended(at now: MediaInstant) -> ConversationStartupMetrics {
    metrics.total = seconds(begun, now)
    if isOpen > .zero { metrics.agentWait = seconds(isOpen, now) }
    return metrics
  }

  private func seconds(_ start: MediaInstant, _ end: MediaInstant) -> Double {
    Double(end.nanoseconds - start.nanoseconds) * 1e-9
  }
}
