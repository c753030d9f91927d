internal import Networking
internal import RealtimeCore

// The messaging socket: links the chat session to the call, brings what was said, and reconnects by itself. Once the
// session has started, the call does not need it any more.
extension PolyAIDialect {
  struct Messaging: Sendable {
    var capabilities = PolyCapabilities()
    /// The session that started last.
    var startedSession: String?
    /// Whether there is a socket to a session that has started.
    var isStarted = false
    /// The number of the newest event.
    var cursor: Int?
    var seen = RecentIdentifiers()
    var reconnects = 0
    var isOver = false
    private let configured: (heartbeat: Double, reconnects: Int)
    private var random: UInt64

    init(_ configuration: PolyConfiguration, seed: UInt64) {
      configured = (configuration.heartbeatIntervalSeconds, configuration.maxReconnectAttempts)
      random = seed
    }

    /// Whether a session has ever started.
    var hasStarted: Bool { startedSession != nil }

    /// In seconds; 0: none.
    var heartbeat: Double { capabilities.heartbeatSeconds ?? configured.heartbeat }

    var maximumReconnects: Int { capabilities.maximumReconnects ?? configured.reconnects }

    /// 1, 2, 4 and so on to 30 seconds, a fifth more or less, so that clients do not come back all at once.
    mutating func pause() -> Double {
      // SplitMix64 (Steele, Lea, Flood 2014).
      random &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (random ^ random >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      let unit = Double((mixed ^ mixed >> 31) >> 11) * 0x1p-53
      return min(30, Double(1 << min(reconnects, 5))) * (0.8 + 0.4 * unit)
    }
  }

  private static let startSeconds = 15.0
  private static let networkPollSeconds = 10.0
  private static let renewalLimit = 3

  mutating func openMessaging(_ session: inout Session) {
    // A token that has ended opens nothing.
    if let expiry = credentials.expiry, expiry <= session.now, messaging.hasStarted {
      credentials.expiry = nil
      return request(.token, &session)
    }
    guard let token = credentials.token, let id = credentials.session else { return }
    messaging.isStarted = false
    session.open(
      .messaging, SocketRequest(addresses.messagingSocket(token: token, session: id, cursor: messaging.cursor)))
    if !messaging.hasStarted, !session.isRunning(.sessionStart) {
      session.setTimer(.sessionStart, after: Self.startSeconds)
    }
  }

  /// The socket to a session that has started before goes on where the last one ended; a new one is waited for.
  mutating func messagingOpened(_ session: inout Session) {
    guard messaging.hasStarted, messaging.startedSession == credentials.session else { return }
    messaging.isStarted = true
    scheduleHeartbeat(&session)
  }

  private mutating func scheduleHeartbeat(_ session: inout Session) {
    if messaging.heartbeat > 0 { session.setTimer(.heartbeat, after: messaging.heartbeat) }
  }

  mutating func takeMessage(_ event: JSON, _ session: inout Session) {
    messaging.reconnects = 0
    if let id = event["id"].string, !messaging.seen.insert(id) { return }
    if let sequence = event["sequence"].int { messaging.cursor = max(messaging.cursor ?? sequence, sequence) }
    guard let message = PolyMessage(event) else { return }
    switch message {
    case .started(let capabilities): started(capabilities, &session)
    case .ended(let reason):
      session.publish(.notice(.messagingEnded(reason: reason)))
      messaging.isOver = true
      if !messaging.hasStarted { session.fail(SessionError(PolyError.session(.sessionEnded))) }
    case .said(let id, let text, let isUser):
      publish(transcript.take(id: id, text: text, isUser: isUser, at: session.date), &session)
    case .chunk(let id, let index, let text, let isLast):
      publish(transcript.take(chunk: text, index: index, isLast: isLast, of: id, at: session.date), &session)
    case .agentJoined(let name, let avatar): session.publish(.notice(.agentJoined(name: name, avatarURL: avatar)))
    case .agentThinking: session.setAgentState(.thinking)
    case .agentLeft: session.publish(.notice(.agentLeft))
    case .other(let name, let text): session.publish(.notice(.other(name: name, text: text)))
    }
  }

  private func publish(_ item: TranscriptItem?, _ session: inout Session) {
    if let item { session.publish(.transcript(item)) }
  }

  private mutating func started(_ capabilities: PolyCapabilities, _ session: inout Session) {
    guard messaging.startedSession != credentials.session else { return }
    session.cancelTimer(.sessionStart)
    let isFirst = !messaging.hasStarted
    (messaging.capabilities, messaging.isStarted) = (capabilities, true)
    (messaging.startedSession, credentials.renewals) = (credentials.session, 0)
    // Whether it arrives is the server's affair: the call goes on without the link.
    session.send(PolyFrames.link(call: callSID).text, to: .messaging)
    scheduleHeartbeat(&session)
    session.publish(.notice(.messagingStarted))
    guard isFirst else { return }
    session.become(.connecting)
    request(.iceServers, &session)
  }

  mutating func beat(_ session: inout Session) {
    session.send(PolyFrames.event("HEARTBEAT").text, to: .messaging)
    scheduleHeartbeat(&session)
  }

  mutating func tell(_ frame: JSON, _ session: inout Session) throws(SessionError) {
    guard messaging.isStarted, session.send(frame.text, to: .messaging) else {
      throw SessionError(PolyError.message(.deliveryFailed))
    }
  }

  mutating func messagingClosed(_ ending: SocketEnding, _ session: inout Session) {
    session.cancelTimer(.heartbeat)
    messaging.isStarted = false
    switch ending.code {
    case _ where messaging.isOver: break
    case 1000, 4000:
      messaging.isOver = true
      let gone = PolyError.session(.unexpectedDisconnect(code: ending.code ?? 0, reason: ending.reason))
      giveUpMessaging(ending.code == 1000 ? .session(.sessionEnded) : gone, &session)
    case 4001:
      credentials.renewals += 1
      guard credentials.renewals <= Self.renewalLimit else {
        return giveUpMessaging(.session(.sessionExpired), &session)
      }
      (credentials.session, messaging.cursor) = (nil, nil)
      request(.session, &session)
    case 4003: session.setTimer(.messagingReconnect, after: Self.networkPollSeconds)
    default:
      guard messaging.reconnects < messaging.maximumReconnects else {
        return giveUpMessaging(.session(.maxReconnectAttemptsExceeded), &session)
      }
      session.setTimer(.messagingReconnect, after: messaging.pause())
      messaging.reconnects += 1
    }
  }

  /// Without a first session there is no call; later there is one without transcript.
  private mutating func giveUpMessaging(_ error: PolyError, _ session: inout Session) {
    messaging.isOver = true
    if messaging.hasStarted {
      session.publish(.problem(SessionError(error)))
    } else {
      session.fail(SessionError(error))
    }
  }
}
