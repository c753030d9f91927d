import Foundation
import Networking
import Synchronization
import Testing

/// Our client and our server over the loopback interface.
@Suite("HTTP, own client and server") struct HTTPLoopbackTests {
  let loop = EventLoop()

  @Test("method, path, query, headers and body arrive, and the answer comes back")
  func exchange() async throws {
    let server = try await HTTPServer.start(on: loop) { request in
      let parts = [
        request.method, request.path, request.parameter("name") ?? "-", request.headers["x-key"] ?? "-",
        "\(request.body.count)", request.remoteHost,
      ]
      return .answer(207, headers: ["X-Seen": parts.joined(separator: "|")], body: request.body.reversed())
    }
    let base = "http://127.0.0.1:\(await server.port)"
    let client = HTTPClient(on: loop)
    for method in HTTPRequest.Method.allCases {
      let body: [UInt8]? = [.post, .put, .patch].contains(method) ? [1, 2, 3] : nil
      let answer = try await client.send(
        HTTPRequest(method, base + "/a%20b?x=1&name=J%C3%BCrg+B", headers: ["X-Key": "k"], body: body))
      #expect(answer.status == 207)
      #expect(answer.headers["x-seen"] == "\(method.rawValue)|/a b|Jürg B|k|\(body?.count ?? 0)|127.0.0.1")
      #expect(answer.body == (method == .head ? [] : body?.reversed() ?? []))
    }
    await server.stop()
  }

  @Test("a body beyond the limit is refused at both ends, with and without a length")
  func limits() async throws {
    var limits = HTTPServer.Settings()
    limits.maximumBodyBytes = 10_000
    let server = try await HTTPServer.start(on: loop, settings: limits) { request in
      if request.path == "/stream" {
        return .stream(
          pieces: AsyncStream {
            for _ in 0..<100 { $0.yield([UInt8](repeating: 1, count: 1_000)) }; $0.finish()
          })
      }
      return .answer(
        200, body: [UInt8](repeating: 1, count: Int(request.parameter("size") ?? "") ?? request.body.count))
    }
    let base = "http://127.0.0.1:\(await server.port)"
    var settings = HTTPClient.Settings()
    settings.maximumBodyBytes = 50_000
    let client = HTTPClient(on: loop, settings: settings)
    func post(_ count: Int) async throws -> HTTPResponse {
      try await client.send(HTTPRequest(.post, base, body: [UInt8](repeating: 0, count: count)))
    }
    #expect(try await post(10_000).body.count == 10_000)
    #expect(try await post(10_001).status == 413)
    #expect(try await client.send(HTTPRequest(.get, base + "/?size=50000")).body.count == 50_000)
    for path in ["/?size=50001", "/stream"] {
      await #expect(throws: HTTPError.bodyTooLarge(limit: 50_000)) {
        _ = try await client.send(HTTPRequest(.get, base + path))
      }
    }
    await server.stop()
  }

  @Test("pieces come as they are sent, and letting go of the body ends the sender")
  func streams() async throws {
    let (pieces, source) = AsyncStream.makeStream(of: [UInt8].self)
    let ended = Mutex(false)
    source.onTermination = { _ in ended.withLock { $0 = true } }
    let server = try await HTTPServer.start(on: loop) { _ in
      .stream(headers: ["Content-Type": "text/event-stream"], pieces: pieces)
    }
    let client = HTTPClient(on: loop)
    do {
      let answer = try await client.stream(HTTPRequest(.get, "http://127.0.0.1:\(await server.port)/"))
      #expect(answer.headers["Content-Type"] == "text/event-stream")
      var body = answer.body.makeAsyncIterator()
      for number in 0..<50 {
        source.yield(Array("event \(number)".utf8))
        #expect(try await body.next().map { String(decoding: $0, as: UTF8.self) } == "event \(number)")
      }
    }
    // The server notices when it writes.
    try await eventually("the sender is told") {
      source.yield([0])
      return ended.withLock { $0 }
    }
    await server.stop()
  }

  @Test("errors say what is wrong")
  func errors() async throws {
    let client = HTTPClient(on: loop)
    await #expect(throws: HTTPError.hostNotFound("no-such-host.invalid")) {
      _ = try await client.send(HTTPRequest(.get, "http://no-such-host.invalid/"))
    }
    await #expect(throws: HTTPError.refused("127.0.0.1:1")) {
      _ = try await client.send(HTTPRequest(.get, "http://127.0.0.1:1/"))
    }
    for url in ["ftp://host/", "no url", "http://", "http://host:port/", ""] {
      await #expect(throws: HTTPError.invalidURL(url, expected: "http://host/path or https://host/path")) {
        _ = try await client.send(HTTPRequest(.get, url))
      }
    }
    await #expect(throws: WebSocketError.notConnected(.refused("127.0.0.1:1"))) {
      _ = try await WebSocket.connect(to: "ws://127.0.0.1:1/", on: loop)
    }
  }

  @Test("no answer: the idle and the total limit end it, and a cancelled task at once")
  func timeouts() async throws {
    let silent = try SilentPort()
    let url = "http://127.0.0.1:\(silent.port)/"
    var settings = HTTPClient.Settings()
    settings.idleTimeout = 0.15
    await #expect(throws: HTTPError.timedOut(.idle, seconds: 0.15)) {
      _ = try await HTTPClient(on: loop, settings: settings).send(HTTPRequest(.get, url))
    }
    settings.idleTimeout = nil
    settings.totalTimeout = 0.15
    await #expect(throws: HTTPError.timedOut(.total, seconds: 0.15)) {
      _ = try await HTTPClient(on: loop, settings: settings).send(HTTPRequest(.get, url))
    }
    // TLS that never begins is part of connecting.
    settings.connectTimeout = 0.15
    settings.totalTimeout = nil
    await #expect(throws: HTTPError.timedOut(.connecting, seconds: 0.15)) {
      _ = try await HTTPClient(on: loop, settings: settings).send(
        HTTPRequest(.get, "https://127.0.0.1:\(silent.port)/"))
    }
    let request = Task { try await HTTPClient(on: loop).send(HTTPRequest(.get, url)).status }
    try await Task.sleep(for: .milliseconds(20))
    let began = EventLoop.now
    request.cancel()
    await #expect(throws: HTTPError.cancelled) { try await request.value }
    #expect(EventLoop.now.milliseconds(since: began) < 500)
  }

  @Test("a client that is gone cancels its handler, and stop waits for all of them")
  func handlersEnd() async throws {
    let ended = Atomic<Int>(0)
    let began = Atomic<Int>(0)
    let server = try await HTTPServer.start(on: loop) { _ in
      began.add(1, ordering: .relaxed)
      try? await Task.sleep(for: .seconds(30))
      ended.add(1, ordering: .relaxed)
      return .answer(200)
    }
    let url = "http://127.0.0.1:\(await server.port)/"
    let requests = (0..<5).map { _ in Task { try await HTTPClient(on: loop).send(HTTPRequest(.get, url)).status } }
    try await eventually("all are served") { began.load(ordering: .relaxed) == 5 }
    await server.stop()
    #expect(ended.load(ordering: .relaxed) == 5)
    for request in requests { request.cancel() }
    for request in requests { _ = try? await request.value }
  }
}
