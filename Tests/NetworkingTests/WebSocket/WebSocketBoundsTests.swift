import Foundation
import RealtimeCore
import Synchronization
import Testing

@testable import Networking

/// Time, memory and cancellation.
@Suite("WebSocket bounds", .serialized) struct WebSocketBoundsTests {
  let loop = EventLoop()

  func serve(
    settings: WebSocketSettings = WebSocketSettings(), hook: WebSocketHook? = nil,
    _ body: @escaping @Sendable (WebSocket) async -> Void
  ) async throws -> (server: HTTPServer, url: String) {
    let server = try await HTTPServer.start(on: loop) { _ in .webSocket(settings: settings, hook: hook, serve: body) }
    return (server, "ws://127.0.0.1:\(await server.port)/")
  }

  /// Hands the server's end of a connection to the test, and keeps it open.
  final class Far: Sendable {
    private let (sockets, continuation) = AsyncStream.makeStream(of: WebSocket.self)
    var serve: @Sendable (WebSocket) async -> Void {
      { [continuation] in
        continuation.yield($0)
        _ = await $0.ended()
      }
    }
    func next() async throws -> WebSocket {
      for await socket in sockets { return socket }
      throw CancellationError()
    }
  }

  static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4_096
  }

  @Test("a slow reader slows the writer down; memory is bounded and nothing is lost")
  func backpressure() async throws {
    var settings = WebSocketSettings()
    settings.receiveBufferBytes = 256 << 10
    settings.sendBufferBytes = 128 << 10
    let far = Far()
    let (server, url) = try await serve(settings: settings, far.serve)
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    let reader = try await far.next()

    let (count, size) = (2_000, 32 << 10)
    let before = Self.residentBytes
    let sent = Atomic<Int>(0)
    let writer = Task { () throws -> Void in
      for index in 0..<count {
        try await socket.send([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size))
        sent.store(index + 1, ordering: .relaxed)
      }
    }
    // It stands still when nothing has moved for 200 ms.
    var last = -1
    try await eventually("the writer stands still") {
      let now = sent.load(ordering: .relaxed)
      defer { last = now }
      if now == last, now > 0 { return true }
      try? await Task.sleep(for: .milliseconds(200))
      return false
    }
    #expect(last < count / 2, "\(last) messages of \(size) bytes went out, and nobody reads")
    #expect(await socket.unsentBytes <= settings.sendBufferBytes + size + 128)
    #expect(await reader.unreadBytes <= settings.receiveBufferBytes + size + 1_024)
    let grown = Self.residentBytes - before
    #expect(grown < 24 << 20, "\(grown) bytes for \(last * size) sent")

    for index in 0..<count {
      #expect(await reader.next() == .binary([UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)))
    }
    try await writer.value
    await socket.close()
    await server.stop()
  }

  @Test("more than the backlog is refused, and offer refuses beyond the buffer")
  func backlog() async throws {
    var settings = WebSocketSettings()
    settings.receiveBufferBytes = 0
    settings.sendBufferBytes = 64 << 10
    settings.sendBacklogBytes = 256 << 10
    let far = Far()
    let (server, url) = try await serve(settings: settings, far.serve)
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    _ = try await far.next()
    await #expect(throws: WebSocketError.messageTooLarge(bytes: 1 << 20, limit: 256 << 10)) {
      try await socket.send([UInt8](repeating: 0, count: 1 << 20))
    }
    // Until the sockets' own buffers are full and offer says no.
    let piece = [UInt8](repeating: 0, count: 32 << 10)
    try await eventually("offer refuses") {
      await withCheckedContinuation { done in
        loop.perform { done.resume(returning: !socket.offer(piece.span)) }
      }
    }
    #expect(await socket.unsentBytes <= settings.sendBufferBytes + 64)
    let senders = (0..<20).map { _ in
      Task { () -> WebSocketError? in
        do throws(WebSocketError) {
          try await socket.send(piece)
          return nil
        } catch { return error }
      }
    }
    try await eventually("the backlog is full") { await socket.unsentBytes + piece.count > settings.sendBacklogBytes }
    #expect(await socket.unsentBytes <= settings.sendBacklogBytes + 1_024)
    await socket.close()
    var refused = 0
    for sender in senders {
      switch await sender.value {
      case .backlogFull(_, let limit):
        #expect(limit == settings.sendBacklogBytes)
        refused += 1
      case .closing: break
      case let other: Issue.record("\(String(describing: other))")
      }
    }
    #expect(refused >= 12)
    await server.stop()
  }

  @Test("a cancelled reader loses no message, and a cancelled sender sends none")
  func cancellation() async throws {
    var settings = WebSocketSettings()
    settings.receiveBufferBytes = 0
    settings.sendBufferBytes = 0
    let far = Far()
    let (server, url) = try await serve(settings: settings, far.serve)
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    let other = try await far.next()
    for round in 0..<50 {
      let reader = Task { await other.next() }
      if round % 2 == 0 { await Task.yield() }
      reader.cancel()
      try await socket.send("\(round)")
      // The message comes to the one call or the other, never to none.
      let got = await reader.value
      if got == nil {
        #expect(await other.next() == .text("\(round)"))
      } else {
        #expect(got == .text("\(round)"))
      }
    }

    // Fill the way until a sender has to wait.
    let piece = [UInt8](repeating: 7, count: 256 << 10)
    let sent = Atomic<Int>(0)
    let filler = Task {
      while (try? await socket.send(piece)) != nil { sent.add(1, ordering: .relaxed) }
    }
    var last = -1
    try await eventually("a sender waits") {
      let now = sent.load(ordering: .relaxed)
      defer { last = now }
      try? await Task.sleep(for: .milliseconds(100))
      return now == last && now > 0
    }
    filler.cancel()
    await filler.value
    let waiting = Task { try await socket.send("never") }
    waiting.cancel()
    await #expect(throws: WebSocketError.cancelled) { try await waiting.value }
    let drain = Task { () -> [WebSocketMessage] in
      var seen: [WebSocketMessage] = []
      while let message = await other.next() {
        if case .text = message { seen.append(message) }
        if message == .text("last") { break }
      }
      return seen
    }
    try await socket.send("last")
    #expect(await drain.value == [.text("last")])
    await socket.close()
    await server.stop()
  }

  @Test("no answer to the handshake: it ends in time, or at once when cancelled")
  func handshakeTimeout() async throws {
    let silent = try SilentPort()
    var settings = WebSocketSettings()
    settings.handshakeTimeout = 0.2
    let url = "ws://127.0.0.1:\(silent.port)/"
    let began = EventLoop.now
    await #expect(throws: WebSocketError.notConnected(.timedOut(.handshake, seconds: 0.2))) {
      _ = try await WebSocket.connect(to: url, on: loop, settings: settings)
    }
    #expect((190..<1_000).contains(EventLoop.now.milliseconds(since: began)))
    let connecting = Task { try await WebSocket.connect(to: url, on: loop).subprotocol }
    try await Task.sleep(for: .milliseconds(20))
    let cancelled = EventLoop.now
    connecting.cancel()
    await #expect(throws: WebSocketError.cancelled) { try await connecting.value }
    #expect(EventLoop.now.milliseconds(since: cancelled) < 500)
  }

  @Test("a peer that answers no ping is given up; one that does is measured")
  func keepalive() async throws {
    var deaf = WebSocketSettings()
    deaf.receiveBufferBytes = 0
    let far = Far()
    let (server, url) = try await serve(settings: deaf, far.serve)
    var settings = WebSocketSettings()
    settings.keepaliveSeconds = 1
    settings.pongTimeout = 0.3
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    try await eventually("a pong") { await socket.roundTripMilliseconds != nil }
    #expect(await socket.roundTripMilliseconds! < 500)
    // One message, which nobody takes, and the peer reads no more: no ping either.
    try await socket.send("x")
    #expect(await socket.ended() == .silent(seconds: 2.3))
    await server.stop()
  }

  @Test("a connection without messages ends after its idle time")
  func idle() async throws {
    var settings = WebSocketSettings()
    settings.idleTimeout = 0.15
    let (server, url) = try await serve { _ = await $0.ended() }
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    #expect(await socket.ended() == .idle(seconds: 0.15))
    await server.stop()
  }

  @Test("close returns in time though the peer does not answer")
  func closeUnanswered() async throws {
    var deaf = WebSocketSettings()
    deaf.receiveBufferBytes = 0
    let far = Far()
    let (server, url) = try await serve(settings: deaf, far.serve)
    var settings = WebSocketSettings()
    settings.closeTimeout = 0.2
    let socket = try await WebSocket.connect(to: url, on: loop, settings: settings)
    let other = try await far.next()
    try await socket.send("x")
    try await eventually("it has come") { await other.unreadBytes > 0 }
    let began = EventLoop.now
    #expect(await socket.close() == .closeUnanswered(seconds: 0.2))
    #expect(EventLoop.now.milliseconds(since: began) < 1_000)
    await server.stop()
  }

  @Test("a hook gets its messages on the loop, in order; the rest goes to the consumer")
  func hook() async throws {
    let seen = Mutex<[(first: UInt8, arrival: MediaInstant, onLoop: Bool)]>([])
    let loop = loop
    let hook: WebSocketHook = { kind, payload, arrival in
      guard kind == .binary else { return .queued }
      seen.withLock { $0.append((payload[0], arrival, loop.isCurrent)) }
      return .taken
    }
    let (server, url) = try await serve { socket in
      for index in 0..<200 { try? await socket.send([UInt8(index)] + [UInt8](repeating: 0, count: 639)) }
      try? await socket.send("done")
      _ = await socket.ended()
    }
    let before = EventLoop.now
    let socket = try await WebSocket.connect(to: url, on: loop, hook: hook)
    #expect(await socket.next() == .text("done"))
    await socket.close()
    let all = seen.withLock { $0 }
    #expect(all.map(\.first) == (0..<200).map { UInt8($0) })
    #expect(all.allSatisfy { $0.onLoop && $0.arrival > before && $0.arrival < EventLoop.now })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
    await server.stop()
  }

  @Test("letting go of a WebSocket ends it")
  func abandoned() async throws {
    let far = Far()
    let (server, url) = try await serve(far.serve)
    weak var weakSocket: WebSocket?
    do {
      let socket = try await WebSocket.connect(to: url, on: loop)
      weakSocket = socket
    }
    let other = try await far.next()
    #expect(await other.ended() == .closed(by: .peer, code: 1001, reason: ""))
    #expect(weakSocket == nil)
    await server.stop()
  }

  @Test("200 connections leave no descriptor and no thread behind")
  func noLeaks() async throws {
    func count(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }
    let (server, url) = try await serve { socket in
      while let message = await socket.next() { try? await socket.send(message) }
    }
    func round(_ number: Int) async throws {
      let socket = try await WebSocket.connect(to: url, on: loop)
      try await socket.send("\(number)")
      #expect(await socket.next() == .text("\(number)"))
      await socket.close()
    }
    for number in 0..<20 { try await round(number) }
    let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"))
    for number in 0..<200 { try await round(number) }
    try await eventually("descriptors are given back") { count("/proc/self/fd") < descriptors + 20 }
    #expect(count("/proc/self/task") < threads + 20)
    await server.stop()
  }
}
