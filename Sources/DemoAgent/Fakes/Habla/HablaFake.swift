internal import Networking

/// Habla's backend: REST for calls and caller ids, a live socket with bytes, an agent socket with JSON.
actor HablaFake: VendorFake {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let context: FakeContext
  let settings: HablaSettings
  var liveCalls: [String: String] = [:]
  var agentCalls: [String: HablaAgentCall] = [:]
  var callerIDs = HablaCallerIDs()
  private var callCount = 0

  init(_ context: FakeContext) {
    self.context = context
    settings = context.settings.habla
    loop = context.loop
  }

  nonisolated func url(at place: String) async -> String { "http://\(place)" }

  func stop() async {
    for call in agentCalls.values { call.end("ended") }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    let path = request.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    if request.wantsWebSocket { return socket(request, path) }
    if (request.headers["X-Habla-Device-ID"] ?? "").isEmpty {
      return .json(400, ["detail": "Missing X-Habla-Device-ID header"])
    }
    guard isAuthorized(request) else { return .json(401, ["detail": "Invalid authorization"]) }
    do throws(RequestForm.Problem) {
      return try answer(request, path)
    } catch {
      context.log.tell(.refused, "\(request.method) \(request.path)", call: 0)
      return error.response
    }
  }

  private func answer(_ request: HTTPServerRequest, _ path: [String]) throws(RequestForm.Problem) -> HTTPServerResponse
  {
    switch (request.method, path.first, path.count) {
    case ("POST", "call", 1): try beginCall(request)
    case ("POST", "call", 3) where path[2] == "end": endCall(path[1])
    case ("GET", "call", 3) where path[2] == "status": status(path[1])
    case ("GET", "translation", 2) where path[1] == "languages":
      .json(200, ["languages": .array(HablaSettings.languages.map { .string($0) })])
    case ("POST", "agent", 2) where path[1] == "call": try beginAgentCall(request)
    case ("POST", "agent", 4) where path[1] == "call" && path[3] == "end": endAgentCall(path[2])
    case ("GET", "agent", 4) where path[1] == "call" && path[3] == "status":
      agentCalls[path[2]].map { .json(200, $0.report) } ?? Self.notFound
    case (_, "caller-id", _): try callerIDs.answer(request, path)
    case (_, "call", 1), (_, "agent", 2): .json(405, ["detail": "Method Not Allowed"])
    default: Self.notFound
    }
  }

  static let notFound = HTTPServerResponse.json(404, ["detail": "Not Found"])

  private func isAuthorized(_ request: HTTPServerRequest) -> Bool {
    guard let secret = settings.secret else { return true }
    var given = request.headers["Authorization"] ?? ""
    if given.hasPrefix("Bearer ") { given.removeFirst("Bearer ".count) }
    return given == HMAC.sha256(key: secret, message: settings.bundleID)
  }

  func newSID() -> String {
    callCount += 1
    return "CA" + String(UInt64.random(in: 0 ... .max), radix: 16) + "\(callCount)"
  }

  private func socket(_ request: HTTPServerRequest, _ path: [String]) -> HTTPServerResponse {
    let isAllowed = isAuthorized(request) && !(request.headers["X-Habla-Device-ID"] ?? "").isEmpty
    let isAgent = path.count == 3 && path[0] == "agent" && path[1] == "ws"
    guard isAgent || (path.count == 2 && path[0] == "ws") else { return Self.notFound }
    let sid = path[path.count - 1]
    let refusal: Refusal? =
      if !isAllowed {
        Refusal(1008, "Unauthorized")
      } else if isAgent ? agentCalls[sid] == nil : liveCalls[sid] == nil {
        Refusal(4004, "Call not found")
      } else if !isAgent, !settings.translatorStarts {
        Refusal(1011, "Translator failed to start")
      } else {
        nil
      }
    return .webSocket(settings: FakeLink.settings) { [context, settings, weak self] socket in
      let link = FakeLink(socket, context.log, context.settings.misbehaviour)
      if let refusal {
        context.log.tell(.refused, refusal.reason, call: 0)
        link.close(refusal.code, refusal.reason)
        _ = await socket.ended()
      } else if isAgent {
        await self?.serve(sid, link)
      } else {
        await self?.set(sid, "in_progress")
        await HablaLiveSession(link, settings, context).run()
        await self?.set(sid, "completed")
      }
    }
  }

  private func serve(_ sid: String, _ link: FakeLink) async { await agentCalls[sid]?.serve(link) }

  private func set(_ sid: String, _ status: String) { liveCalls[sid] = status }
}
