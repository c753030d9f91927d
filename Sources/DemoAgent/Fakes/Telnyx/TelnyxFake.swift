internal import Foundation
internal import Networking

/// Telnyx' signalling server and the assistant behind it: JSON-RPC on a WebSocket, sound over WebRTC.
actor TelnyxFake: VendorFake {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let context: FakeContext
  private let settings: TelnyxSettings
  /// Sticks clients to the same back end; here there is one.
  private let backEnd = "VSDK" + String(UInt64.random(in: 0 ... .max), radix: 36)
  private var sessions: [String: TelnyxSession] = [:]

  init(_ context: FakeContext) {
    self.context = context
    settings = context.settings.telnyx
    loop = context.loop
  }

  nonisolated func url(at place: String) async -> String { "ws://\(place)" }

  func stop() async {
    for session in sessions.values { await session.release() }
  }

  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    guard request.wantsWebSocket, request.path == "/" else { return .answer(404) }
    return .webSocket(settings: FakeLink.settings) { [context, weak self] socket in
      await self?.serve(FakeLink(socket, context.log, context.settings.misbehaviour))
    }
  }

  private func serve(_ link: FakeLink) async {
    var session: TelnyxSession?
    while let message = await link.next() {
      // The vendor passes over bytes.
      guard case .text(let text) = message else { continue }
      do throws(TelnyxError) {
        let frame = try TelnyxFrame(text)
        if frame.method == "anonymous_login" {
          session = try login(frame, link)
        } else if let session {
          try await session.take(frame)
          session.noticed(text)
        } else {
          throw TelnyxError(-32_000, "Authentication Required", id: frame.id)
        }
      } catch {
        context.log.tell(.refused, "\(error.code) \(error.message)", call: 0)
        link.send(
          "error",
          [
            "jsonrpc": "2.0", "id": error.id ?? .null,
            "error": ["code": .integer(error.code), "message": .string(error.message)],
          ])
      }
    }
    session?.detach(link)
    _ = await link.socket.ended()
  }

  private func login(_ frame: TelnyxFrame, _ link: FakeLink) throws(TelnyxError) -> TelnyxSession {
    guard try frame.text("target_type") == "ai_assistant" else {
      throw TelnyxError(-32_602, "Invalid params: target_type", id: frame.id)
    }
    let assistant = try frame.text("target_id")
    guard settings.assistantID == nil || assistant == settings.assistantID else {
      throw TelnyxError(-32_001, "Login Incorrect", id: frame.id)
    }
    guard frame.params["User-Agent"]?.members != nil else {
      throw TelnyxError(-32_602, "Invalid params: User-Agent", id: frame.id)
    }
    for (key, value) in [("reconnection", frame.params["reconnection"])] where value != nil && value?.bool == nil {
      throw TelnyxError(-32_602, "Invalid params: \(key)", id: frame.id)
    }
    let id = frame.params["sessid"]?.string ?? UUID().uuidString.lowercased()
    let isAgain = frame.params["reconnection"]?.bool == true
    let session = (isAgain ? sessions[id] : nil) ?? TelnyxSession(id, backEnd: backEnd, settings, context, on: self)
    sessions[id] = session
    session.attach(link, login: frame)
    return session
  }

  /// A call has waited long enough for its client.
  func giveUp(_ call: String, of session: TelnyxSession) async { await session.end(call, nil) }

  /// The agent has hung up, or the path is lost.
  func end(_ call: String, of session: TelnyxSession, cause: TelnyxCause) async { await session.end(call, cause) }
}

/// Why a call ends, in the telephone network's words.
struct TelnyxCause: Sendable {
  let name: String
  let code: Int
  static let normal = TelnyxCause(name: "NORMAL_CLEARING", code: 16)
  static let timeout = TelnyxCause(name: "RECOVERY_ON_TIMER_EXPIRE", code: 102)
}
