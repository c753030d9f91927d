internal import Networking
internal import Synchronization

/// The REST endpoints and the conversation socket of ElevenLabs' agents.
final class ElevenLabsFake: VendorFake {
  private let context: FakeContext
  private let settings: ElevenLabsSettings
  /// What was handed out and lets a caller in.
  private let passes = Mutex<(place: String, signatures: Set<String>)>(("", []))

  static let path = "/v1/convai/conversation"

  init(_ context: FakeContext) {
    self.context = context
    settings = context.settings.elevenLabs
    for name in [settings.inputFormat, settings.outputFormat] {
      precondition(
        FramedAudioFormat(elevenLabs: name) != nil, "ElevenLabsSettings: \(name) is no format; give one like pcm_16000")
    }
  }

  func listening(at place: String) async { passes.withLock { $0.place = place } }

  func url(at place: String) async -> String { "ws://\(place)\(Self.path)?agent_id=\(settings.agentID ?? "demo")" }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    switch (request.method, request.path) {
    case ("GET", Self.path): converse(request)
    case ("GET", Self.path + "/get-signed-url"), ("GET", Self.path + "/get_signed_url"): signedURL(request)
    case ("GET", Self.path + "/token"): token(request)
    case (_, Self.path), (_, Self.path + "/get-signed-url"), (_, Self.path + "/token"):
      .json(405, ["detail": "Method Not Allowed"])
    default: .json(404, ["detail": "Not Found"])
    }
  }

  private func signedURL(_ request: HTTPServerRequest) -> HTTPServerResponse {
    if let refusal = checkKey(request) ?? checkAgent(request) { return refusal }
    let (place, signature) = makePass(prefix: "cvtkn_")
    let agent = request.parameter("agent_id") ?? ""
    return .json(
      200, ["signed_url": .string("ws://\(place)\(Self.path)?agent_id=\(agent)&conversation_signature=\(signature)")])
  }

  private func token(_ request: HTTPServerRequest) -> HTTPServerResponse {
    if settings.isPrivate, let refusal = checkKey(request) { return refusal }
    if let refusal = checkAgent(request) { return refusal }
    return .json(200, ["token": .string(makePass(prefix: "").signature)])
  }

  private func makePass(prefix: String) -> (place: String, signature: String) {
    let signature = prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
    return passes.withLock { passes in
      passes.signatures.insert(signature)
      return (passes.place, signature)
    }
  }

  private func checkKey(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    let key = request.headers["xi-api-key"] ?? ""
    guard key.isEmpty || (settings.apiKey != nil && key != settings.apiKey) else { return nil }
    return .json(401, ["detail": ["status": "invalid_api_key", "message": "Invalid API key"]])
  }

  private func checkAgent(_ request: HTTPServerRequest) -> HTTPServerResponse? {
    guard let agent = request.parameter("agent_id"), !agent.isEmpty else {
      return .json(
        422, ["detail": [["type": "missing", "loc": ["query", "agent_id"], "msg": "Field required", "input": nil]]])
    }
    guard settings.agentID == nil || agent == settings.agentID else {
      return .json(
        404, ["detail": ["status": "agent_not_found", "message": .string("Document with id \(agent) not found.")]])
    }
    return nil
  }

  private func converse(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard request.wantsWebSocket else { return .json(404, ["detail": "Not Found"]) }
    let refusal = refusal(request)
    // Clients in browsers offer these, and expect the first one back.
    let subprotocol = request.subprotocols.first { $0 == "convai" }
    return .webSocket(subprotocol: subprotocol, settings: FakeLink.settings) { [context, settings] socket in
      let link = FakeLink(socket, context.log, context.settings.misbehaviour)
      if let refusal {
        context.log.tell(.refused, refusal.reason, call: 0)
        link.close(refusal.code, refusal.reason)
        _ = await socket.ended()
        return
      }
      await ElevenLabsSession(link, settings, context).run()
    }
  }

  /// The vendor takes the socket, and then closes it.
  private func refusal(_ request: HTTPServerRequest) -> Refusal? {
    let bearer = request.subprotocols.first { $0.hasPrefix("bearer.") }?.dropFirst("bearer.".count)
    let pass =
      request.parameter("conversation_signature") ?? request.parameter("conversation_token") ?? bearer.map(String.init)
    if let pass {
      guard passes.withLock({ $0.signatures.contains(pass) }) else {
        return Refusal(1008, "Invalid or expired conversation signature")
      }
    } else if settings.isPrivate {
      return Refusal(1008, "This agent needs authentication")
    }
    guard let agent = request.parameter("agent_id"), !agent.isEmpty else {
      return pass == nil ? Refusal(1008, "agent_id is missing") : nil
    }
    guard settings.agentID == nil || agent == settings.agentID else {
      return Refusal(1008, "The AI agent you are trying to reach does not exist")
    }
    return nil
  }
}
