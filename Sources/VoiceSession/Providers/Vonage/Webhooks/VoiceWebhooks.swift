public import Networking

/// Answers the platform's two questions: what to do with a call, and what to do when something has happened to it. Beside
/// them stands the Voice WebSocket, if the app has one.
///
/// ```swift
/// let hooks = VoiceWebhooks { call in
///   NCCO([.connect(.phone(call.to ?? ""), from: "15550111")])
/// }
/// let server = try await HTTPServer.start(on: loop, port: 8080) { await hooks.respond(to: $0) }
/// ```
/// - Threads: any.
public struct VoiceWebhooks: Sendable {
  /// The list for a call.
  public typealias Answer = @Sendable (VoiceAnswerRequest) async -> NCCO
  /// Takes note of an event. A list takes the place of the running one, if the event waits for it.
  public typealias Event = @Sendable (VoiceWebhookEvent) async -> NCCO?

  /// Where the application's `answer_url` points, without host.
  public var answerPath = "/webhooks/answer"
  /// Where its `event_url` points.
  public var eventPath = "/webhooks/event"
  /// Where the platform dials in.
  public var socketPath = "/socket"
  /// Limits of the socket.
  public var socketSettings = VoiceSocketSettings()
  private let answer: Answer
  private let event: Event
  private let serve: (@Sendable (VoiceSocket) async -> Void)?

  /// Webhooks.
  /// - Parameter serve: serves a Voice WebSocket; `nil`: there is none.
  public init(
    serve: (@Sendable (VoiceSocket) async -> Void)? = nil, event: @escaping Event = { _ in nil },
    answer: @escaping Answer
  ) {
    self.answer = answer
    self.event = event
    self.serve = serve
  }

  /// Answers a request: 404 for what is none of the three, 400 for an event without a status.
  public func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
    switch request.path {
    case answerPath: return Self.list(await answer(VoiceAnswerRequest(request)))
    case eventPath:
      guard let told = VoiceWebhookEvent(request) else { return .answer(400, text: "there is no status") }
      guard let list = await event(told) else { return .answer(204) }
      return Self.list(list)
    case socketPath where request.wantsWebSocket:
      guard let serve else { return .answer(404) }
      return VoiceSocket.accept(settings: socketSettings, serve: serve)
    default: return .answer(404)
    }
  }

  private static func list(_ list: NCCO) -> HTTPServerResponse {
    .answer(200, text: list.json, type: "application/json")
  }
}
