import Foundation
import Networking
import RealtimeCore

@testable import VoiceSession

/// A session on virtual time, without network or sound: what it wants done is noted, and what comes is told by the test.
struct SessionHarness<D: SessionDialect> {
  var core: SessionCore<D>
  private(set) var now = MediaInstant.zero
  /// All that was wanted so far.
  private(set) var actions: [SessionAction<D>] = []
  private var read = 0
  private var keys: [D.Socket: SocketKey<D.Socket>] = [:]

  init(_ dialect: D, settings: SessionSettings = SessionSettings()) {
    core = SessionCore(dialect, settings: settings, at: .zero)
  }

  var state: SessionState { core.state }
  var seconds: Double { Double(now.nanoseconds) * 1e-9 }

  mutating func perform(_ command: SessionCommand<D.Command>) throws(SessionError) {
    let (wanted, refusal) = core.perform(command, at: now)
    note(wanted)
    if let refusal { throw refusal }
  }

  mutating func tell(_ input: SessionInput<D>) { note(core.handle(input, at: now)) }

  private mutating func note(_ wanted: [SessionAction<D>]) {
    for case .open(let key, _) in wanted { keys[key.purpose] = key }
    actions += wanted
  }

  mutating func media(_ event: SessionMediaEvent) { tell(.media(event)) }

  /// The socket of that purpose that was opened last opens.
  mutating func open(_ socket: D.Socket) { tell(.opened(key(socket))) }

  mutating func receive(_ json: JSON, from socket: D.Socket) { receive(json.text, from: socket) }
  mutating func receive(_ text: String, from socket: D.Socket) { tell(.received(key(socket), .text(text))) }
  mutating func receive(_ bytes: [UInt8], from socket: D.Socket) { tell(.received(key(socket), .binary(bytes))) }

  mutating func close(_ socket: D.Socket, code: Int? = nil, reason: String = "", wasOpen: Bool = true) {
    tell(.closed(key(socket), SocketEnding(code: code, reason, wasOpen: wasOpen)))
  }

  mutating func answer(_ request: D.Request, status: Int = 200, headers: HTTPHeaders = [:], _ json: JSON = .object([:]))
  {
    tell(
      .answered(
        request, .success(HTTPResponse(status: status, reason: "", headers: headers, body: Array(json.text.utf8)))))
  }

  /// Lets time pass; timers come when they are due, none earlier.
  mutating func pass(seconds: Double) {
    let end = now.advanced(byNanoseconds: Int64(seconds * 1e9))
    while let next = core.nextDeadline, next <= end {
      now = max(now, next)
      tell(.timePassed)
    }
    now = end
  }

  /// What was wanted since the last call.
  mutating func news() -> [SessionAction<D>] {
    defer { read = actions.count }
    return Array(actions[read...])
  }

  /// Of the last socket of that purpose.
  func key(_ socket: D.Socket) -> SocketKey<D.Socket> {
    keys[socket] ?? SocketKey(socket, generation: 0)
  }
}

// What a list of actions has of each kind, in order.
extension Array {
  func events<D: SessionDialect>() -> [SessionEvent<D.Notice>] where Element == SessionAction<D> {
    compactMap { if case .publish(let event) = $0 { event } else { nil } }
  }

  func states<D: SessionDialect>() -> [SessionState] where Element == SessionAction<D> {
    events().compactMap { if case .state(let state) = $0 { state } else { nil } }
  }

  func transcripts<D: SessionDialect>() -> [TranscriptItem] where Element == SessionAction<D> {
    events().compactMap { if case .transcript(let item) = $0 { item } else { nil } }
  }

  func agentStates<D: SessionDialect>() -> [AgentState] where Element == SessionAction<D> {
    events().compactMap { if case .agentState(let state) = $0 { state } else { nil } }
  }

  /// What was sent as text, read as JSON.
  func sent<D: SessionDialect>() -> [JSON] where Element == SessionAction<D> {
    compactMap {
      if case .send(_, .text(let text)) = $0 { try? JSON(parsing: text) } else { nil }
    }
  }

  func sentBytes<D: SessionDialect>() -> [[UInt8]] where Element == SessionAction<D> {
    compactMap { if case .send(_, .binary(let bytes)) = $0 { bytes } else { nil } }
  }

  func requests<D: SessionDialect>() -> [(D.Request, HTTPRequest)] where Element == SessionAction<D> {
    compactMap { if case .request(let purpose, let request) = $0 { (purpose, request) } else { nil } }
  }

  func opens<D: SessionDialect>() -> [SocketRequest] where Element == SessionAction<D> {
    compactMap { if case .open(_, let request) = $0 { request } else { nil } }
  }

  func media<D: SessionDialect>() -> [SessionMediaAction] where Element == SessionAction<D> {
    compactMap { if case .media(let action) = $0 { action } else { nil } }
  }

  func releases<D: SessionDialect>() -> Int where Element == SessionAction<D> {
    reduce(0) { if case .release = $1 { $0 + 1 } else { $0 } }
  }
}
