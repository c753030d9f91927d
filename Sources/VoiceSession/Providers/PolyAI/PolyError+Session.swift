// Each of `PolyError` and `SessionError` makes the other: the code names the case, the message has its words.

extension SessionError {
  /// The shape that all systems share.
  public init(_ error: PolyError) {
    let (kind, code, message): (Kind, String, String) =
      switch error {
      case .auth(let auth):
        (.authentication, "auth.\(auth.rawValue)", "the tokens are not accepted; check both in the agent's settings")
      case .session(.sessionCreationFailed(let status)):
        (.server, "session.sessionCreationFailed.\(status)", "the server makes no session (status \(status))")
      case .session(.sessionExpired): (.server, "session.sessionExpired", "the session is too old")
      case .session(.sessionEnded): (.server, "session.sessionEnded", "the server has ended the session")
      case .session(.unexpectedDisconnect(let code, let reason)):
        (.network, "session.unexpectedDisconnect.\(code)", reason)
      case .session(.maxReconnectAttemptsExceeded):
        (.network, "session.maxReconnectAttemptsExceeded", "the messaging socket cannot be kept")
      case .message(let failure): (.signalling, "message.\(failure.rawValue)", failure.advice)
      case .transport(let failure):
        (failure == .protocolError ? .signalling : .network, "transport.\(failure.rawValue)", failure.advice)
      case .voice(let failure): (failure.kind, "voice.\(failure.name)", failure.words)
      case .invalidConfiguration(let text): (.configuration, "invalidConfiguration", text)
      }
    self.init(kind, code: code, message, isRetryable: error.isRetryable)
  }
}

extension PolyError {
  /// The same as the vendor's clients name it.
  public init(_ error: SessionError) {
    let parts = (error.code ?? "").split(separator: ".").map { String($0) }
    let (group, name) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    let number = parts.count > 2 ? Int(parts[2]) ?? 0 : 0
    self = Self.named(group, name, number, error.message) ?? Self.other(error)
  }

  private static func named(_ group: String, _ name: String, _ number: Int, _ message: String) -> PolyError? {
    switch group {
    case "auth": Auth(rawValue: name).map { .auth($0) }
    case "message": Message(rawValue: name).map { .message($0) }
    case "transport": Transport(rawValue: name).map { .transport($0) }
    case "invalidConfiguration": .invalidConfiguration(message)
    case "session":
      switch name {
      case "sessionCreationFailed": .session(.sessionCreationFailed(code: number))
      case "sessionExpired": .session(.sessionExpired)
      case "sessionEnded": .session(.sessionEnded)
      case "unexpectedDisconnect": .session(.unexpectedDisconnect(code: number, reason: message))
      case "maxReconnectAttemptsExceeded": .session(.maxReconnectAttemptsExceeded)
      default: nil
      }
    case "voice":
      switch name {
      case "notImplemented": .voice(.notImplemented)
      case "signalingFailed": .voice(.signalingFailed(message))
      case "mediaFailed": .voice(.mediaFailed(message))
      case "timedOut": .voice(.timedOut)
      case "disconnected": .voice(.disconnected)
      case "interrupted": .voice(.interrupted)
      default: nil
      }
    default: nil
    }
  }

  /// Errors that any system may have.
  private static func other(_ error: SessionError) -> PolyError {
    switch error.kind {
    case .configuration: .invalidConfiguration(error.message)
    case .authentication: .auth(.unauthorized)
    case .network: .transport(.networkError)
    case .timeout: .voice(.timedOut)
    case .interrupted: .voice(.interrupted)
    case .permission, .media: .voice(.mediaFailed(error.message))
    case .signalling, .server: .voice(.signalingFailed(error.message))
    }
  }
}

extension PolyError.Message {
  fileprivate var advice: String {
    switch self {
    case .deliveryFailed: "the text could not be sent; wait until the messaging socket is there"
    case .payloadTooLarge: "the text is larger than the server takes"
    }
  }
}

extension PolyError.Transport {
  fileprivate var advice: String {
    switch self {
    case .networkError: "the server cannot be reached"
    case .protocolError: "the server's answer makes no sense"
    case .notConnected: "there is no connection"
    }
  }
}

extension PolyError.Voice {
  fileprivate var name: String {
    switch self {
    case .notImplemented: "notImplemented"
    case .signalingFailed: "signalingFailed"
    case .mediaFailed: "mediaFailed"
    case .timedOut: "timedOut"
    case .disconnected: "disconnected"
    case .interrupted: "interrupted"
    }
  }

  fileprivate var kind: SessionError.Kind {
    switch self {
    case .notImplemented: .configuration
    case .signalingFailed: .signalling
    case .mediaFailed: .media
    case .timedOut: .timeout
    case .disconnected: .network
    case .interrupted: .interrupted
    }
  }

  fileprivate var words: String {
    switch self {
    case .notImplemented: "nothing here carries sound"
    case .signalingFailed(let text), .mediaFailed(let text): text
    case .timedOut: "the call was not connected in time"
    case .disconnected: "the call was lost"
    case .interrupted: "the sound was taken away and not given back"
    }
  }
}
