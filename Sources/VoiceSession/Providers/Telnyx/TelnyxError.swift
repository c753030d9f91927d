/// What goes wrong in a session with Telnyx, as the provider's clients name it. `SessionError` carries the same for any
/// system; each of the two makes the other.
public enum TelnyxError: Error, Sendable, Hashable {
  /// Why there is no connection.
  public enum SocketFailure: String, Sendable, Hashable {
    /// It cannot be made, or is lost.
    case socketNotConnected
    /// It was given up.
    case socketCancelled
  }

  /// What a call lacks.
  public enum CallFailure: String, Sendable, Hashable {
    /// There is nobody to call.
    case destinationNumberIsRequired
    /// The login is not accepted yet.
    case sessionIdIsRequired
    /// The network came back too late, or the server has let the call go.
    case reconnectFailed
    /// There is no call.
    case callNotFound
    /// There was no sound to measure.
    case noMetricsCollected
  }

  /// What the server says.
  public enum ServerFailure: Sendable, Hashable {
    /// An error of its own.
    case signalingServerError(message: String, code: Int)
    /// The gateway did not take the registration in time.
    case gatewayNotRegistered
  }

  /// There is no connection.
  case socketConnectionFailed(SocketFailure)
  /// What the client was set up with does not do.
  case clientConfigurationFailed(String)
  /// A call cannot be made or kept.
  case callFailed(CallFailure)
  /// The server refuses.
  case serverError(ServerFailure)
  /// Anything else: no sound, no answer in time.
  case other(SessionError)

  /// Whether the same may work when tried again without any change.
  public var isRetryable: Bool { SessionError(self).isRetryable }

  /// The same as the provider's clients name it.
  public init(_ error: SessionError) {
    let code = error.code ?? ""
    if let failure = SocketFailure(rawValue: code) {
      self = .socketConnectionFailed(failure)
    } else if let failure = CallFailure(rawValue: code) {
      self = .callFailed(failure)
    } else if code == "gatewayNotRegistered" {
      self = .serverError(.gatewayNotRegistered)
    } else if let number = Int(code) {
      self = .serverError(.signalingServerError(message: error.message, code: number))
    } else if error.kind == .configuration {
      self = .clientConfigurationFailed(error.message)
    } else {
      self = .other(error)
    }
  }
}

extension SessionError {
  /// The shape that all systems share.
  public init(_ error: TelnyxError) {
    switch error {
    case .socketConnectionFailed(let failure):
      self.init(.network, code: failure.rawValue, "Connection lost", isRetryable: true)
    case .clientConfigurationFailed(let message):
      self.init(.configuration, message, isRetryable: false)
    case .callFailed(.reconnectFailed):
      self.init(
        .network, code: TelnyxError.CallFailure.reconnectFailed.rawValue, "the call could not be taken up again",
        isRetryable: true)
    case .callFailed(let failure):
      self.init(.configuration, code: failure.rawValue, failure.advice, isRetryable: false)
    case .serverError(.gatewayNotRegistered):
      self.init(.server, code: "gatewayNotRegistered", "the gateway did not register this client", isRetryable: true)
    case .serverError(.signalingServerError(let message, let code)):
      // -32000 and -32001: the login; -32002: the codec; -32003 and -32004: the gateway, which may do better later.
      let isOfLogin = code == -32_000 || code == -32_001
      self.init(
        isOfLogin ? .authentication : code == -32_002 ? .signalling : .server, code: "\(code)",
        message.isEmpty ? "the server refuses" : message, isRetryable: code == -32_003 || code == -32_004)
    case .other(let error): self = error
    }
  }
}

extension TelnyxError.CallFailure {
  fileprivate var advice: String {
    switch self {
    case .destinationNumberIsRequired: "a call needs a destination, even where its value has no meaning"
    case .sessionIdIsRequired: "a call needs a connection; wait until the link is up"
    case .reconnectFailed: "the call could not be taken up again"
    case .callNotFound: "there is no call; start one"
    case .noMetricsCollected: "there was no sound to measure"
    }
  }
}
