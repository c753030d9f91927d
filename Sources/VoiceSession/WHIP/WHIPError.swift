public import Networking

/// Why a call by WHIP does not come about.
public enum WHIPError: Error, Sendable, CustomStringConvertible {
  /// The server cannot be reached.
  case http(HTTPError)
  /// The server says no.
  case refused(status: Int, reason: String)
  /// The server's answer is no session description.
  case noAnswer(type: String?)
  /// The connection cannot be made.
  case connection(PeerConnectionError)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .http(let error): "\(error)"
    case .refused(let status, let reason):
      switch status {
      case 401, 403: "the server refuses the call (\(status) \(reason)); give the token that it asks for"
      case 404, 405: "there is no WHIP endpoint at that address (\(status) \(reason)); check its path"
      case 503: "the server takes no more calls now (503 \(reason)); try again later"
      default: "the server refuses the call (\(status) \(reason))"
      }
    case .noAnswer(let type):
      "the server answers with \(type ?? "no content type") instead of application/sdp; it is no WHIP endpoint"
    case .connection(let error): "\(error)"
    }
  }
}
