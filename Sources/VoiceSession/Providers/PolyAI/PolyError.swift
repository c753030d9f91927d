/// What goes wrong in a call with a PolyAI agent, as the vendor's clients name it. `SessionError` carries the same for any
/// system; each of the two makes the other.
public enum PolyError: Error, Sendable, Hashable {
  /// The credentials.
  public enum Auth: String, Sendable, Hashable {
    /// No token was to be had.
    case tokenAcquisitionFailed
    /// The connector token is not accepted.
    case unauthorized
  }

  /// The messaging session.
  public enum Session: Sendable, Hashable {
    /// It could not be made; the HTTP status.
    case sessionCreationFailed(code: Int)
    /// It is too old.
    case sessionExpired
    /// The server has ended it.
    case sessionEnded
    /// The socket was closed.
    case unexpectedDisconnect(code: Int, reason: String)
    /// It was opened again too often.
    case maxReconnectAttemptsExceeded
  }

  /// What was written.
  public enum Message: String, Sendable, Hashable {
    /// It could not be sent.
    case deliveryFailed
    /// It is larger than the server takes.
    case payloadTooLarge
  }

  /// The network.
  public enum Transport: String, Sendable, Hashable {
    /// A server cannot be reached.
    case networkError
    /// What came makes no sense.
    case protocolError
    /// There is no connection.
    case notConnected
  }

  /// The call.
  public enum Voice: Sendable, Hashable {
    /// There is nothing here that could carry sound.
    case notImplemented
    /// The call was not agreed on; the gateway's words.
    case signalingFailed(String)
    /// No sound could flow.
    case mediaFailed(String)
    /// It was not connected in time.
    case timedOut
    /// It was lost.
    case disconnected
    /// Another call or the system took the sound away.
    case interrupted
  }

  /// The credentials are refused.
  case auth(Auth)
  /// The messaging session.
  case session(Session)
  /// What was written.
  case message(Message)
  /// The network.
  case transport(Transport)
  /// The call.
  case voice(Voice)
  /// What was set makes no sense.
  case invalidConfiguration(String)

  /// Whether a new call may work without any change.
  public var isRetryable: Bool {
    switch self {
    case .session(.unexpectedDisconnect), .session(.maxReconnectAttemptsExceeded), .transport, .voice(.disconnected),
      .voice(.interrupted):
      true
    case .auth, .session, .message, .voice, .invalidConfiguration: false
    }
  }
}
