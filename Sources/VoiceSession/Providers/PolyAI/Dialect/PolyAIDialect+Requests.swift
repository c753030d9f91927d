internal import Foundation
package import Networking
internal import RealtimeCore

// The steps by HTTP: a token, a session, servers for the path. The first two are tried four times.
extension PolyAIDialect {
  /// What the steps have brought.
  struct Credentials: Sendable {
    var token: String?
    /// When the token ends.
    var expiry: MediaInstant?
    var session: String?
    /// How often a request was sent in a row.
    var attempts: [Request: Int] = [:]
    /// Sessions that were made since the server said that the last one was none.
    var renewals = 0
  }

  private static let attemptLimit = 4
  private static let retrySeconds = 1.0

  mutating func request(_ purpose: Request, _ session: inout Session) {
    credentials.attempts[purpose, default: 0] += 1
    switch purpose {
    case .token:
      let headers: HTTPHeaders = [
        "X-Token": configuration.apiKey, "X-Host": configuration.hostIdentifier,
        "X-Polyai-Correlation-Id": correlationID, "Content-Type": "application/json",
      ]
      session.send(
        HTTPRequest(.post, addresses.rest + "/access-token", headers: headers, body: Array("{}".utf8)), for: purpose)
    case .session:
      let body: JSON = [
        "streaming_enabled": .bool(configuration.streamingEnabled), "platform": .string(configuration.platform),
        "device_type": .string(configuration.deviceType),
      ]
      let headers: HTTPHeaders = [
        "Authorization": "Bearer \(credentials.token ?? "")", "Content-Type": "application/json",
      ]
      session.send(
        HTTPRequest(.post, addresses.rest + "/sessions", headers: headers, body: Array(body.text.utf8)), for: purpose)
    case .iceServers:
      session.send(HTTPRequest(.get, addresses.iceServers(token: options.webrtcToken)), for: purpose)
    }
  }

  package mutating func answered(
    _ purpose: Request, _ result: Result<HTTPResponse, SessionError>, _ session: inout Session
  ) {
    if purpose == .iceServers {
      session.media(.openPeer(servers: PolyICEServers.reading(result), trickles: true, offers: true))
      return
    }
    switch result {
    case .success(let response) where response.isSuccess && take(purpose, response.json, &session):
      credentials.attempts[purpose] = 0
      next(after: purpose, &session)
    case .success(let response) where response.status == 401 || response.status == 403:
      stepFailed(.auth(.unauthorized), &session)
    case .success(let response):
      let failure: PolyError =
        purpose == .token
        ? .auth(.tokenAcquisitionFailed) : .session(.sessionCreationFailed(code: response.status))
      retry(purpose, after: Self.pause(before: response), orFail: failure, &session)
    case .failure(let error):
      guard error.kind != .configuration else { return stepFailed(PolyError(error), &session) }
      retry(purpose, after: Self.retrySeconds, orFail: .transport(.networkError), &session)
    }
  }

  /// Whether the answer has what it should.
  private mutating func take(_ purpose: Request, _ json: JSON, _ session: inout Session) -> Bool {
    guard purpose == .token else {
      credentials.session = json["session_id"].string
      return credentials.session != nil
    }
    // It goes into a header: what could break out of it is no token.
    guard let token = json["access_token"].string, !token.isEmpty, PolyAddresses.isHeaderValue(token) else {
      return false
    }
    credentials.token = token
    let seconds = json["expires_in"].number.flatMap { (0...1e9).contains($0) ? $0 : nil }
    // One that ends at once would be asked for without end.
    credentials.expiry = seconds.map { session.now.advanced(byNanoseconds: Int64(max(60, $0) * 1e9)) }
    return true
  }

  private mutating func next(after purpose: Request, _ session: inout Session) {
    if purpose == .token, credentials.session == nil { return request(.session, &session) }
    openMessaging(&session)
  }

  /// A server that is asked too often says when to come back.
  private static func pause(before response: HTTPResponse) -> Double {
    guard response.status == 429 else { return retrySeconds }
    let wish = response.headers["Retry-After"].flatMap { Double($0.trimmingCharacters(in: .whitespaces)) } ?? 5
    return wish.isFinite ? min(30, max(0, wish)) : 5
  }

  private mutating func retry(
    _ purpose: Request, after seconds: Double, orFail error: PolyError, _ session: inout Session
  ) {
    guard credentials.attempts[purpose, default: 0] < Self.attemptLimit else { return stepFailed(error, &session) }
    session.setTimer(.retry(purpose), after: seconds)
  }

  /// A step on the way to the call, or to a messaging socket that the call can do without.
  private mutating func stepFailed(_ error: PolyError, _ session: inout Session) {
    credentials.attempts = [:]
    if messaging.hasStarted {
      session.publish(.problem(SessionError(error)))
    } else {
      session.fail(SessionError(error))
    }
  }
}
