package import Networking

/// What one system says on the wire, and when: it renames and frames, while `SessionCore` keeps the life line, mutes,
/// timers, sockets and the order of events.
///
/// A dialect is a value without socket, thread or clock. It is told what happens, and does what it wants through the
/// session that comes along. Nothing is told after the session is over.
package protocol SessionDialect: Sendable {
  /// Purposes of its sockets.
  associatedtype Socket: Hashable & Sendable = Never
  /// Purposes of its HTTP requests.
  associatedtype Request: Hashable & Sendable = Never
  /// Its timers.
  associatedtype Timer: Hashable & Sendable = Never
  /// Commands that only it has.
  associatedtype Command: Sendable = Never
  /// Events that only it tells.
  associatedtype Notice: Sendable = Never

  typealias Session = SessionContext<Self>

  /// The user wants the call. The state is `preparing`.
  mutating func start(_ session: inout Session)
  /// A socket is open.
  mutating func opened(_ socket: Socket, _ session: inout Session)
  /// A message came.
  mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session)
  /// A socket is gone, or could not be opened; not told when this end closed it.
  mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session)
  /// A request was answered, by any status, or could not be.
  mutating func answered(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session)
  /// A timer is due.
  mutating func elapsed(_ timer: Timer, _ session: inout Session)
  /// Something about the sound.
  mutating func media(_ event: SessionMediaEvent, _ session: inout Session)
  /// The app wants something, other than to start, end or mute.
  mutating func command(_ command: SessionCommand<Command>, _ session: inout Session) throws(SessionError)
  /// The microphone was muted or unmuted; the sound knows already.
  mutating func muted(_ session: inout Session)
  /// The session is ending by this end's wish, or for an error: the last words.
  mutating func goodbye(_ session: inout Session)

  /// Whether a request is seen through when the session ends before its answer, as when the server would go on with a call
  /// that nobody is in.
  static func outlivesEnd(_ request: Request) -> Bool
  /// Such a request was answered behind the end. All that can be done now is to send another one of the kind.
  mutating func answeredAfterEnd(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session)
}

extension SessionDialect {
  package mutating func opened(_ socket: Socket, _ session: inout Session) {}
  package mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {}
  package mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {}
  package mutating func answered(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {}
  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {}
  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {}
  package mutating func muted(_ session: inout Session) {}
  package mutating func goodbye(_ session: inout Session) {}
  package static func outlivesEnd(_ request: Request) -> Bool { false }
  package mutating func answeredAfterEnd(
    _ request: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {}
}
