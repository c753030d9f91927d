package import Foundation
package import Networking
package import RealtimeCore

/// What a dialect sees of its session, and acts through. What it asks for becomes an action, in order.
package struct SessionContext<D: SessionDialect>: Sendable {
  /// When what is being told happened.
  package internal(set) var now: MediaInstant
  /// Where the session stands on its life line.
  package private(set) var state = SessionState.idle
  /// Who mutes the microphone.
  package internal(set) var mute = SessionMute()
  /// What the agent does.
  package private(set) var agentState = AgentState.listening
  /// What of the agent is being heard.
  package internal(set) var playout: SessionPlayout?

  let settings: SessionSettings
  var actions: [SessionAction<D>] = []
  var timers = SessionTimers<D.Timer>()
  private(set) var isMediaOpen = false
  private(set) var isSilenced = false
  private var sockets: [D.Socket: (generation: Int, phase: SocketPhase)] = [:]

  private enum SocketPhase { case opening, open, gone }

  init(_ settings: SessionSettings, at now: MediaInstant) {
    self.settings = settings
    self.now = now
  }

  /// `now` on the wall's clock.
  package var date: Date {
    Date(timeIntervalSince1970: settings.secondsSince1970AtZero + Double(now.nanoseconds) * 1e-9)
  }

  // MARK: the life line

  /// Moves on. What would lead back, as an answer that comes twice, is left out.
  package mutating func become(_ next: SessionState) {
    guard !state.isOver, next != state, next.rank > state.rank || (next.isActive && state.isActive) else { return }
    state = next
    actions.append(.publish(.state(next)))
  }

  /// The far end has ended it, or this end by an agreed way.
  package mutating func finish(_ ending: SessionEnding) { become(.ended(ending)) }

  /// It is over for this reason.
  package mutating func fail(_ error: SessionError) { become(.failed(error)) }

  /// Whether the network is being waited for.
  package mutating func setReconnecting(_ isReconnecting: Bool) { set(.reconnecting, isReconnecting) }

  /// Whether the call is held.
  package mutating func setHeld(_ isHeld: Bool) { set(.held, isHeld) }

  private mutating func set(_ flag: SessionActivity, _ isOn: Bool) {
    guard case .active(var activity) = state else { return }
    if isOn { activity.insert(flag) } else { activity.remove(flag) }
    become(.active(activity))
  }

  // MARK: events

  /// Tells the app. Nothing is told any more when the session is over.
  package mutating func publish(_ event: SessionEvent<D.Notice>) {
    guard !state.isOver else { return }
    actions.append(.publish(event))
  }

  /// What the agent does now; told when it is new.
  package mutating func setAgentState(_ new: AgentState) {
    guard new != agentState else { return }
    agentState = new
    publish(.agentState(new))
  }

  // MARK: requests and sockets

  /// Sends a request; `answered` follows, unless the session ends before.
  package mutating func send(_ request: HTTPRequest, for purpose: D.Request) {
    guard allows(request.url) else { return }
    actions.append(.request(purpose, request))
  }

  /// Opens a socket in place of the one that served this purpose; `opened` or `closed` follows.
  package mutating func open(_ socket: D.Socket, _ request: SocketRequest) {
    guard allows(request.url) else { return }
    close(socket)
    let generation = (sockets[socket]?.generation ?? 0) + 1
    sockets[socket] = (generation, .opening)
    actions.append(.open(SocketKey(socket, generation: generation), request))
  }

  /// Sends a text.
  /// - Returns: false when the socket is not open: nothing is sent.
  @discardableResult
  package mutating func send(_ text: String, to socket: D.Socket) -> Bool { send(.text(text), to: socket) }

  /// Sends a message.
  @discardableResult
  package mutating func send(_ message: WebSocketMessage, to socket: D.Socket) -> Bool {
    guard let key = openKey(socket) else { return false }
    actions.append(.send(key, message))
    return true
  }

  /// Closes a socket for good; what still comes from it is not told.
  package mutating func close(_ socket: D.Socket, code: Int = 1000) {
    guard let entry = sockets[socket], entry.phase != .gone else { return }
    sockets[socket]?.phase = .gone
    actions.append(.close(SocketKey(socket, generation: entry.generation), code: code))
  }

  /// Whether messages can be sent.
  package func isOpen(_ socket: D.Socket) -> Bool { sockets[socket]?.phase == .open }

  private func openKey(_ socket: D.Socket) -> SocketKey<D.Socket>? {
    guard let entry = sockets[socket], entry.phase == .open else { return nil }
    return SocketKey(socket, generation: entry.generation)
  }

  /// Whether the newest of its purpose has opened now.
  mutating func noteOpened(_ key: SocketKey<D.Socket>) -> Bool {
    guard let entry = sockets[key.purpose], entry.generation == key.generation, entry.phase == .opening else {
      return false
    }
    sockets[key.purpose]?.phase = .open
    return true
  }

  /// Whether this end still counted on it.
  mutating func noteClosed(_ key: SocketKey<D.Socket>) -> Bool {
    guard let entry = sockets[key.purpose], entry.generation == key.generation, entry.phase != .gone else {
      return false
    }
    sockets[key.purpose]?.phase = .gone
    return true
  }

  /// Whether it is the newest of its purpose, and open.
  func isCurrent(_ key: SocketKey<D.Socket>) -> Bool { openKey(key.purpose) == key }

  /// Off this machine, what is said goes through TLS, unless the settings allow otherwise.
  private mutating func allows(_ url: String) -> Bool {
    guard !settings.allowsUnencrypted, !SessionAddress(url).isSafe else { return true }
    fail(
      SessionError(
        .configuration, code: "unencrypted",
        "\(SessionAddress(url).shown) is not encrypted; use https or wss, or allow it in the settings"))
    return false
  }

  // MARK: timers

  /// Sets a timer, or sets it anew.
  package mutating func setTimer(_ timer: D.Timer, after seconds: Double) {
    timers.set(.own(timer), at: now.advanced(byNanoseconds: Int64(seconds * 1e9)))
  }

  /// Takes it back.
  package mutating func cancelTimer(_ timer: D.Timer) { timers.cancel(.own(timer)) }

  /// Whether it runs.
  package func isRunning(_ timer: D.Timer) -> Bool { timers.isSet(.own(timer)) }

  // MARK: sound

  /// Tells the sound something.
  package mutating func media(_ action: SessionMediaAction) {
    switch action {
    case .openStream, .openPeer:
      guard !isMediaOpen else { return }
      isMediaOpen = true
      actions.append(.media(action))
      if mute.isMuted { actions.append(.media(.mute(true))) }
    case .close:
      guard isMediaOpen else { return }
      isMediaOpen = false
      playout = nil
      actions.append(.media(action))
      endSilence()
    case .flush:
      actions.append(.media(action))
      endSilence()
    case .hold:
      isSilenced = true
      actions.append(.media(action))
    case .resume:
      guard isSilenced else { return }
      actions.append(.media(action))
      endSilence()
    default: actions.append(.media(action))
    }
  }

  private mutating func endSilence() {
    isSilenced = false
    timers.cancel(.resumeAgent)
  }

  /// The agent was cut short: silences its turns up to `item`, and tells.
  package mutating func interrupt(upTo item: Int?, turn: Int?) {
    let heard = playout.flatMap { item == nil || $0.item == item ? $0.milliseconds : nil }
    media(.flush(upTo: item))
    publish(.interruption(AgentInterruption(turn: turn, heardMilliseconds: heard)))
  }
}
