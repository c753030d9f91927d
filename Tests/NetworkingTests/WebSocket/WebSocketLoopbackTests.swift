import RealtimeCore
import Synchronization
import Testing

@testable import Networking

/// Our client and our server over the loopback interface.
@Suite("WebSocket, own client and server") struct WebSocketLoopbackTests {
  let loop = EventLoop()

  /// A server whose every WebSocket is served so, and its URL.
  func serve(
    subprotocol: String? = nil, settings: WebSocketSettings = WebSocketSettings(), hook: WebSocketHook? = nil,
    _ body: @escaping @Sendable (WebSocket) async -> Void
  ) async throws -> (server: HTTPServer, url: String) {
    let server = try await HTTPServer.start(on: loop) { request in
      guard request.wantsWebSocket else { return .answer(404) }
      return .webSocket(subprotocol: subprotocol, settings: settings, hook: hook, serve: body)
    }
    return (server, "ws://127.0.0.1:\(await server.port)/agent")
  }

  /// Sends everything back.
  static let echo: @Sendable (WebSocket) async -> Void = { socket in
    while let message = await socket.next() { try? await socket.send(message) }
  }

  @Test("messages of every size come back whole and in order", arguments: [false, true])
  func echoes(compressed: Bool) async throws {
    var settings = WebSocketSettings()
    settings.allowsCompression = compressed
    settings.maximumMessageBytes = 2 << 20
    let (server, url) = try await serve(settings: settings, Self.echo)
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    #expect(socket.isCompressed == compressed)
    let sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 20]
    for size in sizes {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      try await socket.send(bytes)
      try await socket.send("text of \(size)")
    }
    for size in sizes {
      let binary = await socket.next()
      #expect(binary?.byteCount == size)
      #expect(binary == .binary((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }))
      #expect(await socket.next() == .text("text of \(size)"))
    }
    #expect(await socket.close() == .closed(by: .us, code: 1000, reason: ""))
    await server.stop()
  }

  @Test("close codes and reasons reach the other side")
  func closeCodes() async throws {
    let seen = Mutex<[WebSocketEnding]>([])
    let (server, url) = try await serve { socket in
      let ending = await socket.ended()
      seen.withLock { $0.append(ending) }
    }
    for code in [1000, 1001, 1002, 1003, 1007, 1008, 1009, 3000, 4004, 4999] {
      let socket = try await WebSocket.connect(to: url, on: loop)
      async let again = socket.close(code: code, reason: "why \(code)")
      let ending = await socket.close(code: code, reason: "why \(code)")
      #expect(ending == .closed(by: .us, code: code, reason: "why \(code)"))
      #expect(await again == ending)
      #expect(await socket.close() == ending)
      #expect(await socket.next() == nil)
      await #expect(throws: WebSocketError.ended(ending)) { try await socket.send("late") }
    }
    await server.stop()
    #expect(
      seen.withLock { $0.sorted { "\($0)" < "\($1)" } }
        == [1000, 1001, 1002, 1003, 1007, 1008, 1009, 3000, 4004, 4999].map {
          .closed(by: .peer, code: $0, reason: "why \($0)")
        })
  }

  @Test("what the server closes with is seen after its last message")
  func serverCloses() async throws {
    let (server, url) = try await serve { socket in
      try? await socket.send("one")
      try? await socket.send("two")
      await socket.close(code: 4001, reason: "enough")
    }
    let socket = try await WebSocket.connect(to: url, on: loop)
    var seen: [WebSocketMessage] = []
    for await message in socket.messages { seen.append(message) }
    #expect(seen == [.text("one"), .text("two")])
    #expect(await socket.ended() == .closed(by: .peer, code: 4001, reason: "enough"))
    await server.stop()
  }
}
