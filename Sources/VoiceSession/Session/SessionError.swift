/// Why a session cannot do what it was told, or has failed: the same shape for every system.
///
/// No secret is ever in it: addresses come without their query, headers and bodies not at all.
public struct SessionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the cause lies.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// What the caller has set, or when it was asked.
    case configuration
    /// The user or the system does not allow the microphone or the network.
    case permission
    /// The credentials are not accepted.
    case authentication
    /// A server cannot be reached, or the way to it broke.
    case network
    /// What was said to set up the call makes no sense, or was refused.
    case signalling
    /// No sound can flow.
    case media
    /// Something did not come in time.
    case timeout
    /// Another call or the system took the sound away.
    case interrupted
    /// The server says that it has a fault.
    case server
  }

  /// Where the cause lies.
  public var kind: Kind
  /// The system's own code or name for it, where it has one.
  public var code: String?
  /// What happened, and what to do about it.
  public var message: String
  /// Whether the same may work when tried again without any change.
  public var isRetryable: Bool

  /// An error; without `isRetryable` networks, timeouts and interruptions may be tried again.
  public init(_ kind: Kind, code: String? = nil, _ message: String, isRetryable: Bool? = nil) {
    self.kind = kind
    self.code = code
    self.message = message
    self.isRetryable = isRetryable ?? [.network, .timeout, .interrupted].contains(kind)
  }

  /// The message, behind the code where there is one.
  public var description: String { code.map { "\(message) (\($0))" } ?? message }
}

extension SessionError {
  static let alreadyStarted = SessionError(
    .configuration, code: "alreadyActive", "the session was started before; make a new one for a new call")
  static let over = SessionError(.configuration, code: "ended", "the session is over; make a new one")
  static let notActive = SessionError(
    .configuration, code: "notConnected", "this needs an active session; wait for the state active")
  static func unsupported(_ what: String) -> SessionError {
    SessionError(.configuration, code: "unsupported", "\(what) is not part of this system's protocol")
  }
}
