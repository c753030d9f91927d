internal import Foundation
internal import Networking

/// PolyAI's REST, messaging socket and WebRTC gateway, which are three hosts at the vendor's, at one place.
actor PolyAIFake: VendorFake {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let context: FakeContext
  let settings: PolyAISettings
  private var accessTokens: Set<String> = []
  private var sessions: [String: PolyAIMessaging] = [:]
  private var calls: [String: PolyAICall] = [:]

  static let root = "/api/v1"

  init(_ context: FakeContext) {
    self.context = context
    settings = context.settings.polyAI
    loop = context.loop
  }

  /// The REST base; `/ws` and `/api/v1/webrtc/signal` are at the same place.
  nonisolated func url(at place: String) async -> String { "http://\(place)\(Self.root)" }

  func stop() async {
    for call in calls.values { await call.release() }
    for session in sessions.values { session.release() }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    switch (request.method, request.path) {
    case ("POST", Self.root + "/access-token"): giveToken(request)
    case ("POST", Self.root + "/sessions"): beginSession(request)
    case ("GET", Self.root + "/ice-servers"): iceServers(request)
    case ("GET", "/ws") where request.wantsWebSocket: messaging(request)
    case ("GET", Self.root + "/webrtc/signal") where request.wantsWebSocket:
      .webSocket(settings: FakeLink.settings) { [context, weak self] socket in
        await self?.signal(FakeLink(socket, context.log, context.settings.misbehaviour))
      }
    default: .json(404, ["error": "not found"])
    }
  }

  // MARK: REST

  private func giveToken(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let token = request.headers["X-Token"] ?? ""
    guard !token.isEmpty, settings.connectorToken == nil || token == settings.connectorToken else {
      return .json(401, ["error": "unauthorized"])
    }
    let correlation = request.headers["X-Polyai-Correlation-Id"] ?? ""
    guard !(request.headers["X-Host"] ?? "").isEmpty, UUID(uuidString: correlation) != nil else {
      return .json(400, ["error": "X-Host and X-Polyai-Correlation-Id are expected"])
    }
    guard (try? JSONReader.read(request.body))?.members != nil else { return .json(400, ["error": "malformed body"]) }
    let access = "at-" + UUID().uuidString.lowercased()
    accessTokens.insert(access)
    return .json(200, ["access_token": .string(access), "expires_in": 3_600, "token_type": "Bearer"])
  }

  private func beginSession(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let words = (request.headers["Authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0] == "Bearer", accessTokens.contains(String(words[1])) else {
      return .json(401, ["error": "unauthorized"])
    }
    guard let body = try? JSONReader.read(request.body), let streams = body["streaming_enabled"]?.bool,
      body["platform"]?.string?.isEmpty == false,
      ["mobile", "tablet", "desktop"].contains(body["device_type"]?.string)
    else { return .json(400, ["error": "streaming_enabled, platform and device_type are expected"]) }
    let id = "ms-" + UUID().uuidString.lowercased()
    sessions[id] = PolyAIMessaging(id, streams: streams, settings, context)
    return .json(200, ["session_id": .string(id)])
  }

  private func iceServers(_ request: HTTPServerRequest) -> HTTPServerResponse {
    guard isWebToken(request.parameter("token")) else { return .json(401, ["error": "unauthorized"]) }
    return .answer(200, text: settings.iceServers, type: "application/json")
  }

  private func isWebToken(_ token: String?) -> Bool {
    guard let token, !token.isEmpty else { return false }
    return settings.webCallingToken == nil || token == settings.webCallingToken
  }

  // MARK: messaging

  private func messaging(_ request: HTTPServerRequest) -> HTTPServerResponse {
    let isKnown = request.parameter("access_token").map { accessTokens.contains($0) } ?? false
    let session = request.parameter("session_id").flatMap { sessions[$0] }
    let cursor = request.parameter("cursor").flatMap { Int($0) }
    return .webSocket(settings: FakeLink.settings) { [context, weak self] socket in
      let link = FakeLink(socket, context.log, context.settings.misbehaviour)
      guard isKnown, let session else {
        context.log.tell(.refused, "no such session", call: 0)
        link.close(4001, "invalid session")
        _ = await socket.ended()
        return
      }
      await self?.serve(link, session, from: cursor)
    }
  }

  private func serve(_ link: FakeLink, _ session: PolyAIMessaging, from cursor: Int?) async {
    session.attach(link, from: cursor)
    while let message = await link.next() {
      do throws(Refusal) { try session.take(message) } catch {
        context.log.tell(.refused, error.reason, call: 0)
        link.close(error.code, error.reason)
        break
      }
    }
    session.detach(link)
    _ = await link.socket.ended()
  }

  /// The session that has linked itself to a call.
  func session(of callSID: String) -> PolyAIMessaging? { sessions.values.first { $0.callSID == callSID } }

  // MARK: signalling

  private func signal(_ link: FakeLink) async {
    var call: PolyAICall?
    while let message = await link.next() {
      do throws(Refusal) {
        guard let json = Self.json(message), let type = json["type"]?.string else {
          throw Refusal(1008, "malformed message")
        }
        if type == "offer" {
          call = try await offer(json, link)
        } else if type == "ping" {
          link.send("pong", ["type": "pong"])
        } else {
          // A socket that was opened anew finds its call by the session's id.
          guard let id = json["sessionId"]?.string, let known = calls[id] else {
            throw Refusal(1008, "unknown session")
          }
          call = known
          known.attach(link)
          try await known.take(type, json)
        }
      } catch {
        context.log.tell(.refused, error.reason, call: call?.number ?? 0)
        link.send("error", ["type": "error", "data": ["message": .string(error.reason)]])
        link.close(error.code, error.reason)
        break
      }
    }
    call?.detach(link)
    _ = await link.socket.ended()
  }

  /// Text and bytes are both accepted.
  static func json(_ message: WebSocketMessage) -> JSON? {
    switch message {
    case .text(let text): try? JSONReader.read(text)
    case .binary(let bytes): try? JSONReader.read(bytes)
    }
  }

  private func offer(_ json: JSON, _ link: FakeLink) async throws(Refusal) -> PolyAICall {
    for key in ["data", "mode", "authToken", "callSid", "caller", "callee", "sessionId"] where json[key] == nil {
      throw Refusal(1008, "missing key \(key)")
    }
    guard isWebToken(json["authToken"]?.string) else { throw Refusal(1008, "bad token") }
    guard json["mode"] == "end-to-end", json["caller"]?.string != nil, json["callee"]?.string != nil,
      let callSID = json["callSid"]?.string, UUID(uuidString: callSID) != nil
    else { throw Refusal(1008, "malformed offer") }
    guard json["sessionId"] == .null else { throw Refusal(1008, "a new call has no sessionId") }
    guard json["data"]?["type"] == "offer", let sdp = json["data"]?["sdp"]?.string else {
      throw Refusal(1008, "offer without sdp")
    }
    let id = "g-" + UUID().uuidString.lowercased()
    let call: PolyAICall
    do { call = try PolyAICall(id, callSID: callSID, link, settings, context, on: self) } catch {
      throw Refusal(1011, "\(error)")
    }
    calls[id] = call
    do { try await call.answer(sdp) } catch {
      calls[id] = nil
      await call.release()
      throw Refusal(1008, "offer: \(error)")
    }
    return call
  }

  /// A call is over. - Parameter tells: whether the client is told.
  func end(_ call: PolyAICall, tells: Bool) async {
    guard calls.removeValue(forKey: call.id) != nil else { return }
    context.log.tell(.ended, tells ? "by the agent" : "by the caller", call: call.number)
    if tells { call.sayGoodbye() }
    session(of: call.callSID)?.callEnded()
    await call.release()
  }
}
