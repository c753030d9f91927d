package import Networking

/// A client's session in our stand-in for the vendor's unpublished wire (see `StandInMessage`): login, pings, the way back
/// after a loss, and the messages of all its calls. Each call has a session core of its own, as its sound goes on when
/// this one ends.
package struct StandInSessionDialect: SessionDialect {
  package enum Socket: Hashable, Sendable { case signalling }
  package enum Timer: Hashable, Sendable {
    case creation
    case ping
    case reconnection
  }
  package enum Command: Sendable {
    case refresh(token: String)
    case send(StandInRequest)
  }
  package enum Notice: Sendable, Hashable {
    case created(id: String)
    case refreshed
    case willReconnect
    case didReconnect
    case callCreated(id: String)
    case invite(id: String, from: String, VoiceChannelType)
    case call(id: String, StandInCallMessage)
  }

  /// How long the back end may take to let the client in.
  package static let creationSeconds = 10.0
  package static let pingSeconds = 10.0
  /// Pings without any sign of life.
  package static let missedPings = 2
  /// Before each try to find a lost back end again.
  package static let reconnectSeconds = [1.0, 2, 4, 8, 16]

  private let url: String
  private var token: String
  package private(set) var sessionID: String?
  private var unansweredPings = 0
  private var tries = 0
  /// What the calls' sound needs said, oldest first, while the back end is found anew.
  private var waiting: [StandInRequest] = []
  private var isCreated = false

  /// - Parameter sessionID: of an earlier session that is to go on.
  package init(url: String, token: String, sessionID: String? = nil) {
    self.url = url
    self.token = token
    self.sessionID = sessionID
  }

  package mutating func start(_ session: inout Session) {
    session.become(.connecting)
    connect(&session)
  }

  private mutating func connect(_ session: inout Session) {
    isCreated = false
    session.setTimer(.creation, after: Self.creationSeconds)
    session.open(.signalling, SocketRequest(url))
  }

  package mutating func opened(_ socket: Socket, _ session: inout Session) {
    session.send(StandInRequest.sessionCreate(token: token, id: sessionID).text, to: .signalling)
  }

  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    unansweredPings = 0
    guard case .text(let text) = message, let message = StandInMessage(text) else { return }
    switch message {
    case .sessionCreated(let id): created(id, &session)
    case .sessionRefreshed: session.publish(.notice(.refreshed))
    case .sessionDeleted: session.finish(.remote("deleted"))
    case .sessionError(let reason): session.fail(reason.error)
    case .pong: break
    case .callCreated(let id): session.publish(.notice(.callCreated(id: id)))
    case .invite(let id, let from, let channel): session.publish(.notice(.invite(id: id, from: from, channel)))
    case .call(let id, let message): session.publish(.notice(.call(id: id, message)))
    }
  }

  private mutating func created(_ id: String, _ session: inout Session) {
    guard !isCreated else { return }
    isCreated = true
    let isNew = !session.state.isActive
    sessionID = id
    session.cancelTimer(.creation)
    session.setTimer(.ping, after: Self.pingSeconds)
    (tries, unansweredPings) = (0, 0)
    if isNew {
      session.publish(.notice(.created(id: id)))
      session.become(.active([]))
    } else {
      session.setReconnecting(false)
      session.publish(.notice(.didReconnect))
    }
    for request in waiting { session.send(request.text, to: .signalling) }
    waiting = []
  }

  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    guard session.state.isActive else {
      var error = VoiceSessionErrorReason.transportClosed.error
      if !ending.reason.isEmpty { error.message += ": \(ending.reason)" }
      return session.fail(error)
    }
    lost(&session)
  }

  private mutating func lost(_ session: inout Session) {
    isCreated = false
    session.cancelTimer(.ping)
    session.cancelTimer(.creation)
    guard tries < Self.reconnectSeconds.count else {
      return session.fail(VoiceSessionErrorReason.transportClosed.error)
    }
    if tries == 0 {
      session.setReconnecting(true)
      session.publish(.notice(.willReconnect))
    }
    session.setTimer(.reconnection, after: Self.reconnectSeconds[tries])
    tries += 1
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    switch timer {
    case .creation:
      guard session.state.isActive else {
        return session.fail(SessionError(.timeout, "the back end does not let the client in"))
      }
      session.close(.signalling, code: 1001)
      lost(&session)
    case .ping:
      guard unansweredPings < Self.missedPings else {
        return session.fail(VoiceSessionErrorReason.pingTimeout.error)
      }
      unansweredPings += 1
      session.send(StandInRequest.ping.text, to: .signalling)
      session.setTimer(.ping, after: Self.pingSeconds)
    case .reconnection: connect(&session)
    }
  }

  package mutating func command(_ command: SessionCommand<Command>, _ session: inout Session) throws(SessionError) {
    switch command {
    case .own(.refresh(let token)):
      guard isCreated, session.isOpen(.signalling) else { throw .vonageNoSession }
      self.token = token
      session.send(StandInRequest.sessionRefresh(token: token).text, to: .signalling)
    case .own(.send(let request)):
      if isCreated, session.send(request.text, to: .signalling) { return }
      guard request.isOfMedia else { throw .vonageNoSession }
      waiting.append(request)
    default: throw .unsupported("holding, keys and texts of a session; they are a call's, and that")
    }
  }

  package mutating func goodbye(_ session: inout Session) {
    // One that has failed can be resumed by its id.
    if case .ended(.local) = session.state { session.send(StandInRequest.sessionDelete.text, to: .signalling) }
  }
}
