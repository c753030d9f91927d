package import Networking
internal import RealtimeCore

/// PolyAI's protocol for voice: a token and a session by HTTP, a messaging socket on which the chat session is linked to
/// the call and transcripts come, a second socket for the offer, the answer and candidates, and WebRTC for the sound.
///
/// Whether the call is connected hangs on the sound only. The signalling socket may come and go meanwhile: the gateway
/// knows the call by its session, and an offer that was delivered is not sent again.
/// - Source: behaviour of the vendor's open client. Where transcripts and thinking come on the messaging socket they are
///   told, and speaking is what is heard; whether voice calls bring all chat events there is not published.
package struct PolyAIDialect: SessionDialect {
  package enum Socket: Hashable, Sendable { case messaging, signalling }

  package enum Request: Hashable, Sendable { case token, session, iceServers }

  package enum Timer: Hashable, Sendable {
    /// From the start to sound.
    case connect
    /// From the messaging socket's opening to its session.
    case sessionStart
    /// Until a request is sent again.
    case retry(Request)
    case heartbeat
    /// Until the messaging socket is opened again.
    case messagingReconnect
    /// From the opening of the signalling socket to its being open.
    case signallingOpen
    /// Until it is opened again.
    case signallingReconnect
    /// From a silent peer to the end of the call.
    case grace
    /// From the agent's last sound to its having fallen silent.
    case silence
  }

  package enum Command: Sendable {
    /// The sound that was taken away comes back, or not.
    case interruptionEnded(resumes: Bool)
    /// An event of the messaging socket without payload.
    case tell(PolyClientEvent)
  }

  package enum Notice: Sendable, Hashable {
    case messagingStarted
    case messagingEnded(reason: String?)
    case agentJoined(name: String?, avatarURL: String?)
    case agentLeft
    case other(name: String, text: String?)
  }

  let configuration: PolyConfiguration
  let options: VoiceOptions
  let addresses: PolyAddresses
  /// This end's name for the call.
  let callSID: String
  let correlationID: String
  var credentials = Credentials()
  var messaging: Messaging
  var signalling = Signalling()
  var transcript = PolyTranscript()
  var wasConnected = false

  /// Says what is wrong with the configuration, if anything is.
  package init(
    _ configuration: PolyConfiguration, _ options: VoiceOptions, identifiers: SessionIdentifiers = .random,
    seed: UInt64 = .random(in: 0 ... .max)
  ) throws(PolyError) {
    self.configuration = configuration
    self.options = options
    addresses = try PolyAddresses(configuration, options)
    var identifiers = identifiers
    callSID = identifiers.next().uppercased()
    correlationID = identifiers.next()
    messaging = Messaging(configuration, seed: seed)
  }

  package mutating func start(_ session: inout Session) {
    session.setTimer(.connect, after: 30)
    request(.token, &session)
  }

  package mutating func opened(_ socket: Socket, _ session: inout Session) {
    switch socket {
    case .messaging: messagingOpened(&session)
    case .signalling: signallingOpened(&session)
    }
  }

  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    let text: String
    switch message {
    case .text(let words): text = words
    case .binary(let bytes): text = String(decoding: bytes, as: UTF8.self)
    }
    guard let frame = try? JSON(parsing: text), frame.object != nil else { return }
    switch socket {
    case .messaging: for event in PolyMessage.events(in: frame) { takeMessage(event, &session) }
    case .signalling: takeSignal(frame, &session)
    }
  }

  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    switch socket {
    case .messaging: messagingClosed(ending, &session)
    case .signalling: signallingClosed(ending, &session)
    }
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .connect, .sessionStart: session.fail(SessionError(PolyError.voice(.timedOut)))
    case .retry(let purpose): request(purpose, &session)
    case .heartbeat: beat(&session)
    case .messagingReconnect: openMessaging(&session)
    case .signallingOpen:
      session.close(.signalling)
      reconnectSignalling(&session)
    case .signallingReconnect: openSignalling(&session)
    case .grace: session.fail(SessionError(PolyError.voice(.disconnected)))
    case .silence: session.setAgentState(.listening)
    }
  }

  package mutating func command(
    _ command: SessionCommand<Command>, _ session: inout Session
  ) throws(SessionError) {
    switch command {
    case .own(.interruptionEnded(let resumes)):
      if !resumes, session.state != .idle { session.fail(SessionError(PolyError.voice(.interrupted))) }
    case .own(.tell(let event)): try tell(PolyFrames.event(event.rawValue), &session)
    case .sendText(let text):
      guard text.utf8.count <= messaging.capabilities.maximumMessageBytes else {
        throw SessionError(PolyError.message(.payloadTooLarge))
      }
      // The server's copy of it is what is shown: it has the number.
      try tell(PolyFrames.event("USER_MESSAGE", ["text": .string(text)]), &session)
    case .hold: throw .unsupported("hold")
    case .pressKeys: throw .unsupported("pressing keys")
    case .toolResult: throw .unsupported("answering tools")
    case .start, .end, .mute, .systemMute: break  // the core's
    }
  }

  package mutating func goodbye(_ session: inout Session) {
    session.send(PolyFrames.close(session: signalling.sessionID).text, to: .signalling)
  }
}

/// What the user does, told on the messaging socket.
public enum PolyClientEvent: String, Sendable, Hashable, CaseIterable {
  /// Keys are being pressed.
  case typing = "USER_TYPING"
  /// The user is done with the chat.
  case endSession = "USER_END_SESSION"
  /// The user wants the agent back.
  case requestAgent = "REQUEST_POLY_AGENT_JOIN"
}
