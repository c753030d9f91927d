internal import Networking

/// All of Vonage that can be had without Vonage: the application that the platform dials (`/socket`), the application's
/// webhooks (`/answer`, `/event`), the REST call that ends a leg, and a stand-in for the client SDK's wire (`/session`).
actor VonageFake: VendorFake {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let context: FakeContext
  let settings: VonageSettings
  private var place = ""
  var sessions: [String: VonageClientSession] = [:]

  init(_ context: FakeContext) {
    self.context = context
    settings = context.settings.vonage
    precondition(
      VonageWire.format(hertz: settings.sampleRate) != nil,
      "VonageSettings: \(settings.sampleRate) Hz; the platform has 8000, 16000 and 24000")
    loop = context.loop
  }

  func listening(at place: String) async { self.place = place }

  /// The stand-in's; `/socket` in its place is what a platform dials.
  nonisolated func url(at place: String) async -> String { "ws://\(place)/session" }

  func stop() async {
    for session in sessions.values { await session.release() }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    switch (request.method, request.path) {
    case ("GET", "/socket") where request.wantsWebSocket:
      .webSocket(settings: FakeLink.settings) { [context] socket in
        await VonageAgentEndpoint(FakeLink(socket, context.log, context.settings.misbehaviour), context).run()
      }
    case ("GET", "/session") where request.wantsWebSocket:
      .webSocket(settings: FakeLink.settings) { [context, weak self] socket in
        await self?.serve(FakeLink(socket, context.log, context.settings.misbehaviour))
      }
    case ("GET", "/answer"): answerCall(request)
    case ("POST", "/event"): takeEvent(request)
    case ("PUT", _) where request.path.hasPrefix("/v1/calls/"): await changeCall(request)
    default: .json(404, ["type": "NOT_FOUND", "error_title": "Not Found"])
    }
  }

  /// The answer webhook: the list that connects the call to the agent.
  private func answerCall(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard request.parameter("conversation_uuid") != nil, request.parameter("uuid") != nil else {
      return .json(400, ["error_title": "conversation_uuid and uuid are expected in the query"])
    }
    let caller = request.parameter("from_user") ?? request.parameter("from") ?? "unknown"
    let format = VonageWire.format(hertz: settings.sampleRate).map { VonageWire.contentType($0) } ?? ""
    let endpoint: JSON = [
      "type": "websocket", "uri": .string("ws://\(place)/socket"), "content-type": .string(format),
      "headers": ["caller": .string(caller)],
    ]
    return .json(
      200,
      [
        [
          "action": "connect", "eventType": "synchronous", "eventUrl": [.string("http://\(place)/event")],
          "endpoint": [endpoint],
        ]
      ])
  }

  /// The event webhook; where the agent's socket has failed, the answer is another list.
  private func takeEvent(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard let event = try? JSONReader.read(request.body), let status = event["status"]?.string else {
      return .json(400, ["error_title": "an event with a status is expected"])
    }
    context.log.tell(.note, "event \(status)", call: 0)
    guard ["failed", "unanswered", "disconnected"].contains(status) else { return .answer(204) }
    return .json(200, [["action": "talk", "text": "The agent cannot be reached. Goodbye."]])
  }

  private func changeCall(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    guard let body = try? JSONReader.read(request.body), body["action"] == "hangup" else {
      return .json(400, ["error_title": "Bad Request", "detail": "action must be hangup"])
    }
    let id = String(request.path.dropFirst("/v1/calls/".count))
    for session in sessions.values where session.has(call: id) {
      await session.end(call: id, reason: "remoteHangup")
      return .answer(204)
    }
    return .json(404, ["type": "NOT_FOUND", "error_title": "Not Found"])
  }
}
