import Foundation
import Networking
import Synchronization

@testable import VoiceSession

/// A back end that names each call, notes all and says what the test wants.
final class HablaScriptedServer: Sendable {
  struct Noted {
    var sockets: [WebSocket] = []
    var requests: [(line: String, headers: HTTPHeaders, body: JSON)] = []
    var microphone: [Float] = []
    var packetSizes: Set<Int> = []
    var packetCount = 0
    var texts: [JSON] = []
    var closeCode: Int?
  }

  let noted = Mutex(Noted())
  /// Held back answers of `POST /call`, in seconds.
  let answerDelay = Mutex(0.0)
  /// What else is answered, by method and path.
  let answers = Mutex<[String: (status: Int, body: JSON)]>([:])
  private let server: HTTPServer
  let loop = EventLoop()

  init() async throws {
    let box = Box()
    server = try await HTTPServer.start(on: loop, port: 0) { request in
      guard let owner = box.owner.withLock({ $0 }) else { return .answer(503) }
      if request.wantsWebSocket {
        owner.note(request)
        return .webSocket { socket in await owner.serve(socket) }
      }
      return await owner.answer(request)
    }
    box.owner.withLock { $0 = self }
  }

  private final class Box: Sendable {
    let owner = Mutex<HablaScriptedServer?>(nil)
  }

  var url: String { get async { "http://127.0.0.1:\(await server.port)" } }
  var lines: [String] { noted.withLock { $0.requests.map(\.line) } }
  var microphone: [Float] { noted.withLock { $0.microphone } }
  var packetCount: Int { noted.withLock { $0.packetCount } }
  var texts: [JSON] { noted.withLock { $0.texts } }
  var isAttached: Bool { noted.withLock { !$0.sockets.isEmpty } }

  func say(_ bytes: [UInt8]) async throws { try await noted.withLock { $0.sockets.last }?.send(bytes) }
  func send(_ json: JSON) async throws { try await noted.withLock { $0.sockets.last }?.send(json.text) }
  func close(_ code: Int) async { await noted.withLock { $0.sockets.last }?.close(code: code) }
  func stop() async { await server.stop() }

  private func note(_ request: HTTPServerRequest) {
    let body = (try? JSON(parsing: String(decoding: request.body, as: UTF8.self))) ?? .null
    noted.withLock { $0.requests.append(("\(request.method) \(request.path)", request.headers, body)) }
  }

  private func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse {
    note(request)
    let line = "\(request.method) \(request.path)"
    if line == "POST /call" || line == "POST /agent/call" {
      try? await Task.sleep(for: .seconds(answerDelay.withLock { $0 }))
    }
    if let (status, body) = answers.withLock({ $0[line] }) {
      return .answer(status, text: body.text, type: "application/json")
    }
    switch line {
    case "POST /call", "POST /agent/call":
      return .answer(200, text: #"{"call_sid":"CA1","status":"initiating"}"#, type: "application/json")
    case "POST /call/CA1/end", "POST /agent/call/CA1/end":
      return .answer(200, text: #"{"call_sid":"CA1","status":"completed"}"#, type: "application/json")
    default: return .answer(404, text: #"{"detail":"Not Found"}"#, type: "application/json")
    }
  }

  private func serve(_ socket: WebSocket) async {
    noted.withLock { $0.sockets.append(socket) }
    while let message = await socket.next() {
      switch message {
      case .binary(let bytes):
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
          Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
        }
        noted.withLock {
          $0.microphone += samples
          $0.packetSizes.insert(bytes.count)
          $0.packetCount += 1
        }
      case .text(let text): if let json = try? JSON(parsing: text) { noted.withLock { $0.texts.append(json) } }
      }
    }
    let ending = await socket.ended()
    noted.withLock { if case .closed(_, let code, _) = ending { $0.closeCode = code } else { $0.closeCode = 0 } }
  }
}
