internal import Networking

// Each way in which a call can go wrong has a code of its own; those of the vendor's app keep its names.
extension SessionError {
  /// A status that is no success. FastAPI's `detail` is a text, or a list of what is wrong with which field.
  static func habla(_ response: HTTPResponse) -> SessionError {
    let words = detail(response.json["detail"]).map { "\(response.status): \($0)" } ?? "\(response.status)"
    switch response.status {
    case 400: return SessionError(.configuration, code: "badRequest", "the back end refuses: \(words)")
    case 401, 403: return SessionError(.authentication, code: "unauthorized", "the back end refuses: \(words)")
    case 404: return SessionError(.signalling, code: "noSuchCall", "the back end knows no such call: \(words)")
    case 422: return SessionError(.configuration, code: "invalidValue", "the back end refuses a value: \(words)")
    case 429, 500...599:
      return SessionError(.server, code: "networkError", "the back end has a fault: \(words)", isRetryable: true)
    default: return SessionError(.server, code: "networkError", "the back end answers \(words)")
    }
  }

  private static func detail(_ detail: JSON) -> String? {
    if let text = detail.string { return String(text.prefix(200)) }
    guard let faults = detail.array, !faults.isEmpty else { return nil }
    let words = faults.prefix(5).compactMap { fault -> String? in
      guard let message = fault["msg"].string else { return nil }
      let place = (fault["loc"].array ?? []).compactMap(\.string).last
      return (place.map { "\($0): " } ?? "") + message.prefix(100)
    }
    return words.isEmpty ? nil : words.joined(separator: "; ")
  }

  /// A request without an answer.
  static func habla(_ error: SessionError) -> SessionError {
    guard error.code == nil else { return error }
    var error = error
    error.code = "networkError"
    return error
  }

  /// A call's socket that is gone, other than by an agreed end.
  static func habla(_ ending: SocketEnding) -> SessionError {
    switch (ending.code, ending.status) {
    case (1008, _), (_, 401), (_, 403):
      SessionError(.authentication, code: "unauthorized", "the back end does not let this device into the call")
    case (4004, _), (_, 404): SessionError(.signalling, code: "noSuchCall", "the back end knows no such call")
    case (1011, _):
      SessionError(.server, code: "translatorUnavailable", "the translator did not start", isRetryable: true)
    default:
      SessionError(
        .network, code: "webSocketError",
        ending.wasOpen ? "the call's socket was lost: \(ending.reason)" : ending.reason)
    }
  }

  /// The sound does not start or go on.
  static func habla(sound error: SessionError) -> SessionError {
    var error = error
    error.code = error.kind == .permission ? "microphonePermissionDenied" : "audioError"
    return error
  }

  static let hablaNoCallID = SessionError(.signalling, code: "noCallID", "the back end named no call")
  static let hablaNoAnswer = SessionError(
    .timeout, code: "networkError", "the back end did not answer within \(Int(HablaDialect.initiationSeconds)) s")
}
