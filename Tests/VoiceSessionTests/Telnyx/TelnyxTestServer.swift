import Foundation
import Networking
import RealtimeCore
import Synchronization
import Testing

@testable import VoiceSession

/// A server of the widget's protocol on this machine: lets everybody in, answers each call with a tone, and notes what
/// it was told.
actor TelnyxTestServer {
  nonisolated let loop = EventLoop()
  let sound = TestSound(frequency: 700)
  private(set) var frames: [JSON] = []
  private(set) var connectionCount = 0
  private var server: HTTPServer?
  private var socket: WebSocket?
  private var far: PeerConnection?
  /// Somebody else's WebRTC in place of `far`.
  private var foreign: (any FarEnd)?
  private var callID = ""
  private var requestCount = 0

  static func start(_ foreign: (any FarEnd)? = nil) async throws -> TelnyxTestServer {
    let made = TelnyxTestServer()
    await made.take(foreign)
    try await made.listen()
    return made
  }

  private func take(_ foreign: (any FarEnd)?) { self.foreign = foreign }

  private func listen() async throws {
    server = try await HTTPServer.start(on: loop) { [weak self] _ in
      .webSocket { [weak self] socket in await self?.serve(socket) }
    }
  }

  var address: String { get async { "ws://127.0.0.1:\(await server?.port ?? 0)" } }

  var farSnapshot: MediaSnapshot? { get async { await far?.snapshot } }

  func stop() async {
    await far?.close()
    await server?.stop()
  }

  /// As when the network breaks.
  func dropSocket() async { await socket?.close(code: 1011) }

  /// The assistant hangs up.
  func hangUp() async {
    await send("telnyx_rtc.bye", ["callID": .string(callID), "cause": "NORMAL_CLEARING", "causeCode": 16])
    await far?.close()
  }

  func converse(_ params: JSON) async { await send("ai_conversation", params) }

  func frames(_ method: String) -> [JSON] { frames.filter { $0["method"].string == method } }

  private func send(_ method: String, _ params: JSON) async {
    requestCount += 1
    try? await socket?.send(TelnyxFrames.request(method, id: "server-\(requestCount)", params).text)
  }

  private func reply(_ frame: JSON, _ result: JSON) async {
    try? await socket?.send(JSON.object(["jsonrpc": "2.0", "id": frame["id"], "result": result]).text)
  }

  private func serve(_ socket: WebSocket) async {
    self.socket = socket
    connectionCount += 1
    while let message = await socket.next() {
      guard case .text(let text) = message, let frame = try? JSON(parsing: text) else { continue }
      frames.append(frame)
      do { try await answer(frame) } catch { Issue.record("the far end fails: \(error)") }
    }
  }

  private func answer(_ frame: JSON) async throws {
    let params = frame["params"]
    switch frame["method"].string {
    case "anonymous_login":
      await reply(frame, ["message": "logged in", "sessid": params["sessid"]])
      let isBack = params["reconnection"].bool == true && far != nil
      await send("telnyx_rtc.clientReady", ["reattached_sessions": isBack ? [.string(callID)] : []])
      if isBack, let far {
        await send("telnyx_rtc.attach", ["callID": .string(callID), "sdp": .string(try await far.makeOffer())])
      }
    case "telnyx_rtc.gatewayState":
      await reply(frame, ["params": ["state": "REGED"]])
      await converse(["type": "widget_settings", "widget_settings": ["start_call_text": "Talk to us"]])
    case "telnyx_rtc.invite":
      callID = params["dialogParams"]["callID"].string ?? ""
      await far?.close()
      await reply(frame, ["message": "CALL CREATED", "callID": .string(callID)])
      await send("telnyx_rtc.ringing", ["callID": .string(callID)])
      let answer = try await answer(to: params["sdp"].string ?? "")
      await send("telnyx_rtc.answer", ["callID": .string(callID), "sdp": .string(answer)])
    case "telnyx_rtc.attach": try await far?.accept(answer: params["sdp"].string ?? "")
    case "telnyx_rtc.candidate": try await far?.add(candidate: params["candidate"].string ?? "")
    case "telnyx_rtc.endOfCandidates": try await far?.endOfCandidates()
    case "telnyx_rtc.modify":
      guard let far, params["action"].string == "updateMedia" else { return }
      let answer = try await far.accept(offer: params["sdp"].string ?? "")
      await reply(frame, ["action": "updateMedia", "callID": .string(callID), "sdp": .string(answer)])
    case "telnyx_rtc.bye":
      await far?.close()
      far = nil
    default: break
    }
  }

  private func answer(to offer: String) async throws -> String {
    if let foreign { return try await foreign.answer(to: offer) }
    let far = try makePeer()
    self.far = far
    return try await far.accept(offer: offer)
  }

  private func makePeer() throws -> PeerConnection {
    var settings = PeerConnectionSettings()
    settings.transport.ice.allowsLoopback = true
    settings.transport.ice.localAddresses = ["127.0.0.1"]
    settings.engine = .unprocessed
    settings.trickles = false
    return try PeerConnection(settings, sound: sound.sound, on: loop)
  }
}

extension SessionEnvironment {
  /// Sound from and to a test, on this machine only.
  static func loopback(_ sound: TestSound) -> SessionEnvironment {
    var environment = SessionEnvironment(sound: sound.sound)
    environment.engine = .unprocessed
    environment.engine.bandCount = 10
    environment.peer.transport.ice.allowsLoopback = true
    environment.peer.transport.ice.localAddresses = ["127.0.0.1"]
    return environment
  }
}
