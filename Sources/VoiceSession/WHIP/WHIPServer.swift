public import Networking

/// Takes calls that come by HTTP: each offer that is posted becomes a connection, and its answer goes back (WHIP, RFC 9725).
///
/// POST at the endpoint begins a call and names its address; DELETE there ends it; PATCH there brings candidates that were
/// found later. Browsers may call from pages of other servers, if the settings allow it.
/// - Threads: any.
public actor WHIPServer {
  /// What a server takes.
  public struct Settings: Sendable {
    /// The path of the endpoint.
    public var path = "/whip"
    /// What callers must send as bearer token; `nil`: anybody may call.
    public var token: String?
    /// Calls at the same time; beyond, 503 is answered.
    public var maximumCalls = 16
    /// Whether pages of other servers may call (CORS).
    public var allowsOtherOrigins = false
    /// What a browser gets at "/": a page that calls; `nil`: nothing.
    public var page: String?
    /// How connections are made. They do not trickle: the answer carries all candidates.
    public var connection = PeerConnectionSettings()

    /// The defaults.
    public init() { connection.trickles = false }
  }

  /// A call that began or ended.
  public enum Event: Sendable {
    /// A caller was answered; `number` counts from 1.
    case began(PeerConnection, number: Int)
    /// It is over; nothing of it is left.
    case ended(number: Int)
  }

  /// The loop of all connections.
  public nonisolated let loop: EventLoop
  /// The loop; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private let settings: Settings
  private let makeSound: @Sendable (_ number: Int) -> CallSound
  private let broadcast = EventBroadcast<Event> { _ in nil }
  private var server: HTTPServer?
  private var calls: [String: (connection: PeerConnection, number: Int)] = [:]
  private var pendingCount = 0
  private var callCount = 0
  private var isStopped = false

  /// - Parameter sound: where microphone and loudspeaker of call `number` are.
  public init(
    _ settings: Settings = Settings(), on loop: EventLoop, sound: @escaping @Sendable (_ number: Int) -> CallSound
  ) {
    self.settings = settings
    self.loop = loop
    makeSound = sound
  }

  /// Calls that begin and end from now on; the stream ends when the server stops.
  public nonisolated var events: AsyncStream<Event> { broadcast.stream }

  /// Starts to listen.
  /// - Parameter port: 0 takes a free one.
  /// - Returns: the port.
  public func listen(
    at address: HTTPServer.Address = .loopback, port: UInt16 = 0, identity: TLSIdentity? = nil
  ) async throws(HTTPServerError) -> UInt16 {
    let server = try await HTTPServer.start(on: loop, at: address, port: port, identity: identity) {
      [weak self] request in
      guard let self else { return .answer(503) }
      return await self.answer(request)
    }
    self.server = server
    return await server.port
  }

  /// Ends all calls and stops listening.
  public func stop() async {
    isStopped = true
    await server?.stop()
    server = nil
    for id in Array(calls.keys) { await end(id) }
    broadcast.finish()
  }

  private func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    let response: (status: Int, headers: HTTPHeaders, body: String)
    let path = settings.path
    let isResource = request.path.hasPrefix(path + "/")
    switch request.method {
    case "GET" where request.path == "/" && settings.page != nil:
      response = (200, ["Content-Type": "text/html; charset=utf-8"], settings.page ?? "")
    case "OPTIONS" where request.path == path || isResource: response = (204, [:], "")
    case _ where (request.path == path || isResource) && !isAuthorized(request):
      response = (401, ["WWW-Authenticate": "Bearer"], "a bearer token is needed")
    case "POST" where request.path == path: response = await begin(request)
    case "DELETE" where isResource:
      let id = String(request.path.dropFirst(path.count + 1))
      let isKnown = calls[id] != nil
      await end(id)
      response = (isKnown ? 200 : 404, [:], "")
    case "PATCH" where isResource: response = await patch(request)
    case _ where request.path == path || isResource:
      response = (405, ["Allow": isResource ? "DELETE, PATCH, OPTIONS" : "POST, OPTIONS"], "POST an offer here")
    default: response = (404, [:], "calls are taken at \(path)")
    }
    var headers = response.headers
    if headers["Content-Type"] == nil, !response.body.isEmpty { headers["Content-Type"] = "text/plain; charset=utf-8" }
    if settings.allowsOtherOrigins {
      headers["Access-Control-Allow-Origin"] = "*"
      headers["Access-Control-Allow-Methods"] = "POST, DELETE, PATCH, OPTIONS"
      headers["Access-Control-Allow-Headers"] = "Content-Type, Authorization, If-Match"
      headers["Access-Control-Expose-Headers"] = "Location, ETag"
    }
    return .answer(response.status, headers: headers, body: Array(response.body.utf8))
  }

  private func isAuthorized(_ request: HTTPServerRequest) -> Bool {
    guard let token = settings.token else { return true }
    let given = Array((request.headers["Authorization"] ?? "").utf8)
    let wanted = Array("Bearer \(token)".utf8)
    // In constant time: how long it takes must not tell how much of a guess is right.
    var difference = given.count ^ wanted.count
    for (index, byte) in wanted.enumerated() { difference |= Int(byte ^ (index < given.count ? given[index] : 0)) }
    return difference == 0
  }

  private func begin(_ request: HTTPServerRequest) async -> (Int, HTTPHeaders, String) {
    guard request.headers["Content-Type"]?.lowercased().hasPrefix("application/sdp") == true else {
      return (415, ["Accept-Post": "application/sdp"], "post an offer as application/sdp")
    }
    guard !isStopped, calls.count + pendingCount < settings.maximumCalls else {
      return (503, ["Retry-After": "10"], "\(settings.maximumCalls) calls are as many as are taken")
    }
    pendingCount += 1
    defer { pendingCount -= 1 }
    callCount += 1
    let number = callCount
    var made: PeerConnection?
    do {
      let connection = try PeerConnection(settings.connection, sound: makeSound(number), on: loop)
      made = connection
      let answer = try await connection.accept(offer: String(decoding: request.body, as: UTF8.self))
      guard !isStopped else {
        await connection.close()
        return (503, [:], "the server is stopping")
      }
      let id = String(UInt64.random(in: 0 ... .max), radix: 36) + String(UInt64.random(in: 0 ... .max), radix: 36)
      calls[id] = (connection, number)
      watch(connection, id)
      broadcast.publish(.began(connection, number: number))
      return (
        201, ["Content-Type": "application/sdp", "Location": "\(settings.path)/\(id)", "ETag": "\"\(id)\""], answer
      )
    } catch {
      await made?.close()
      return (400, [:], "\(error)")
    }
  }

  /// Ends a call whose peer has gone.
  private func watch(_ connection: PeerConnection, _ id: String) {
    let events = connection.events
    Task { [weak self] in
      for await event in events {
        switch event {
        case .media(.remoteStreamEnded), .state(.failed): await self?.end(id)
        default: break
        }
      }
    }
  }

  private func patch(_ request: HTTPServerRequest) async -> (Int, HTTPHeaders, String) {
    guard let call = calls[String(request.path.dropFirst(settings.path.count + 1))] else { return (404, [:], "") }
    guard request.headers["Content-Type"]?.lowercased().hasPrefix(TrickleFragment.mediaType) == true else {
      return (415, ["Accept-Patch": TrickleFragment.mediaType], "send candidates as \(TrickleFragment.mediaType)")
    }
    let fragment = TrickleFragment(String(decoding: request.body, as: UTF8.self))
    let negotiated = await call.connection.negotiated
    if let name = fragment.usernameFragment, name != negotiated?.remoteICE.usernameFragment {
      return (422, [:], "a restart of ICE needs a new offer here: end this call and post another")
    }
    for candidate in fragment.candidates { try? await call.connection.add(candidate: candidate) }
    if fragment.isEnd { try? await call.connection.endOfCandidates() }
    return (204, [:], "")
  }

  private func end(_ id: String) async {
    guard let call = calls.removeValue(forKey: id) else { return }
    await call.connection.close()
    broadcast.publish(.ended(number: call.number))
  }
}
