/// Why a connection is over; the same for both roles.
public enum WebSocketEnding: Sendable, Equatable, CustomStringConvertible {
  /// One of the two.
  public enum Side: Sendable, Equatable {
    /// This process.
    case us
    /// The other end.
    case peer
  }

  /// A close frame was sent and answered. 1005 stands for a frame without a code (RFC 6455 §7.4.1).
  case closed(by: Side, code: Int, reason: String)
  /// We closed, and the peer did not answer in time.
  case closeUnanswered(seconds: Double)
  /// The connection went without a close frame.
  case lost(String)
  /// What the peer sent is no WebSocket, or its text is not UTF-8.
  case protocolViolation(String)
  /// A message was larger than the settings allow.
  case messageTooLarge(limit: Int)
  /// Nothing came, not even the answer to a ping.
  case silent(seconds: Double)
  /// No message in either direction.
  case idle(seconds: Double)
  /// Nobody held on to the connection any more.
  case abandoned

  /// Both sides agreed to end, without an error's code: 1000, 1001 or none.
  public var isOrderly: Bool {
    if case .closed(_, let code, _) = self { code == 1000 || code == 1001 || code == 1005 } else { false }
  }

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .closed(let side, let code, let reason):
      "closed by \(side == .us ? "us" : "the peer") with \(code)\(reason.isEmpty ? "" : ": \(reason)")"
    case .closeUnanswered(let seconds): "we closed, and the peer did not answer within \(seconds) s"
    case .lost(let reason): "the connection was lost: \(reason); connect again"
    case .protocolViolation(let words): "the peer broke the protocol: \(words); check what stands between"
    case .messageTooLarge(let limit):
      "the peer sent a message of more than \(limit) bytes; raise maximumMessageBytes if it is meant"
    case .silent(let seconds): "the peer was silent for \(seconds) s, pings included; connect again"
    case .idle(let seconds): "no message for \(seconds) s; raise idleTimeout if that is normal"
    case .abandoned: "nobody held the connection any more; keep the WebSocket while it is in use"
    }
  }
}

/// Why a WebSocket cannot be had, or a message not be sent.
public enum WebSocketError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no connection to the server, or no secure one.
  case notConnected(HTTPError)
  /// The server answered something else than a WebSocket.
  case refused(status: Int, reason: String)
  /// The server's handshake is wrong; libsoup's words follow.
  case badHandshake(String)
  /// The connection is over.
  case ended(WebSocketEnding)
  /// `close` was called before.
  case closing
  /// The message is larger than all that may wait.
  case messageTooLarge(bytes: Int, limit: Int)
  /// The peer takes less than is sent: so much waits already, the callers of `send` included.
  case backlogFull(bytes: Int, limit: Int)
  /// The task was cancelled; the message was not sent.
  case cancelled

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .notConnected(let error): error.description
    case .refused(let status, let reason):
      "the server refused the WebSocket with \(status) \(reason); check path, keys and subprotocol"
    case .badHandshake(let words): "the server's handshake is wrong: \(words); check that it is a WebSocket server"
    case .ended(let ending): ending.description
    case .closing: "the connection was closed by us; send before that"
    case .messageTooLarge(let bytes, let limit):
      "a message of \(bytes) bytes is larger than the send backlog of \(limit); send it in parts"
    case .backlogFull(let bytes, let limit):
      "\(bytes) of at most \(limit) bytes wait for the peer; send less, or drop what is late"
    case .cancelled: "the task was cancelled"
    }
  }
}
