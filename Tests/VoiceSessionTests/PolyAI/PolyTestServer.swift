import Foundation
import Networking
import RealtimeCore
import Synchronization
import Testing

@testable import VoiceSession

/// Servers of a call on this machine: tokens, sessions, the messaging socket and the gateway, whose far end hums.
actor PolyTestServer {
  nonisolated let loop = EventLoop()
  let sound = TestSound(frequency: 700)
  private(set) var requests: [HTTPServerRequest] = []
  private(set) var messages: [JSON] = []
  private(set) var signals: [JSON] = []
  private(set) var gatewayConnections = 0
  private(set) var messagingConnections = 0
  /// Whether the messaging session never starts.
  var isSilent = false
  private var server: HTTPServer?
  private var gateway: WebSocket?
  private var messaging: WebSocket?
  private var far: PeerConnection?
  /// Somebody else's WebRTC in place of `far`.
  private var foreign: (any FarEnd)?

  static func start(_ foreign: (any FarEnd)? = nil) async throws -> PolyTestServer {
    let made = PolyTestServer()
    await made.take(foreign)
    try await made.listen()
    return made
  }

  private func take(_ foreign: (any FarEnd)?) { self.foreign = foreign }

  private func listen() async throws {
    server = try await HTTPServer.start(on: loop) { [weak self] request in
      await self?.answer(request) ?? .answer(503)
    }
  }

  func setSilent() { isSilent = true }

  private var port: UInt16 { get async { await server?.port ?? 0 } }

  /// A call to these servers.
  func makeCall(_ sound: TestSound, callKit: Bool = false, routes: SoundRoutes? = nil) async throws -> VoiceCall {
    let place = "127.0.0.1:\(await port)"
    let configuration = PolyConfiguration(
      apiKey: "connector", environment: .custom(rest: "http://\(place)/rest", messaging: "ws://\(place)/ws"))
    let options = VoiceOptions(webrtcToken: "web", signalingHost: "http://\(place)", callKit: callKit)
    var environment = SessionEnvironment.loopback(sound)
    if let routes {
      let plain = environment.sound
      environment.sound = CallSound(sampleRate: plain.sampleRate, routes: routes) { try plain.start($0) }
    }
    return try await PolyVoice.call(config: configuration, options: options, environment: environment)
  }

  func stop() async {
    await far?.close()
    await server?.stop()
  }

  func dropGateway() async { await gateway?.close(code: 1011) }
  func dropMessaging() async { await messaging?.close(code: 1011) }
  func signal(_ frame: JSON) async { try? await gateway?.send(frame.text) }
  func say(_ name: String, _ payload: JSON) async { try? await messaging?.send(PolyFrames.event(name, payload).text) }
  func hasPeer() -> Bool { far != nil }

  private func answer(_ request: HTTPServerRequest) -> HTTPServerResponse {
    requests.append(request)
    switch (request.method, request.path) {
    case ("POST", "/rest/access-token") where request.headers["X-Token"] == "connector":
      return .answer(200, text: #"{"access_token":"at","expires_in":3600}"#, type: "application/json")
    case ("POST", "/rest/sessions") where request.headers["Authorization"] == "Bearer at":
      return .answer(200, text: #"{"session_id":"ms-1"}"#, type: "application/json")
    case ("GET", "/api/v1/ice-servers") where request.parameter("token") == "web":
      return .answer(404)
    case ("GET", "/ws") where request.wantsWebSocket:
      return .webSocket { [weak self] socket in await self?.serveMessaging(socket) }
    case ("GET", "/api/v1/webrtc/signal") where request.wantsWebSocket:
      return .webSocket { [weak self] socket in await self?.serveGateway(socket) }
    default: return .answer(401)
    }
  }

  private func serveMessaging(_ socket: WebSocket) async {
    messaging = socket
    messagingConnections += 1
    if !isSilent { await say("SESSION_START", ["capabilities": ["streaming": true]]) }
    while let message = await socket.next() {
      if case .text(let text) = message, let frame = try? JSON(parsing: text) { messages.append(frame) }
    }
  }

  private func serveGateway(_ socket: WebSocket) async {
    gateway = socket
    gatewayConnections += 1
    while let message = await socket.next() {
      guard case .text(let text) = message, let frame = try? JSON(parsing: text) else { continue }
      signals.append(frame)
      do { try await take(frame) } catch { Issue.record("the far end fails: \(error)") }
    }
  }

  private func take(_ frame: JSON) async throws {
    switch frame["type"].string {
    case "offer":
      if let foreign {
        let answer = try await foreign.answer(to: frame["data"]["sdp"].string ?? "")
        return await signal(["type": "answer", "sessionId": "g-9", "data": ["type": "answer", "sdp": .string(answer)]])
      }
      var settings = PeerConnectionSettings()
      settings.transport.ice.allowsLoopback = true
      settings.transport.ice.localAddresses = ["127.0.0.1"]
      settings.engine = .unprocessed
      let far = try PeerConnection(settings, sound: sound.sound, on: loop)
      self.far = far
      let events = far.events
      Task { [weak self] in
        for await event in events {
          guard case .localCandidate(let candidate, _) = event else { continue }
          await self?.signal(PolySample.remote(candidate.description))
        }
      }
      let answer = try await far.accept(offer: frame["data"]["sdp"].string ?? "")
      await signal(["type": "answer", "sessionId": "g-9", "data": ["type": "answer", "sdp": .string(answer)]])
    case "ice-candidate" where foreign != nil:
      try await foreign?.add(candidate: frame["data"]["candidate"].string ?? "")
    case "ice-candidate": try await far?.add(candidate: frame["data"]["candidate"].string ?? "")
    case "close": await far?.close()
    default: break
    }
  }
}
