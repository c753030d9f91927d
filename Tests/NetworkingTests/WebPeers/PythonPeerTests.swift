import Foundation
import Networking
import Synchronization
import Testing

/// Against the Python library `websockets`, whose python ANTIPHON_PEERS names.
@Suite("Python's websockets", .serialized, .enabled(if: PeerProcess.python != nil, "ANTIPHON_PEERS names no python"))
struct PythonPeerTests {
  let loop = EventLoop()

  struct Peer {
    let process: PeerProcess
    let url: String
    init(_ identity: TLSIdentity? = nil) throws {
      let files = identity.map { [$0.certificateFile, $0.keyFile] } ?? []
      process = try PeerProcess(PeerProcess.python!, ["\(PeerProcess.scripts)/echo_server.py"] + files)
      url = "\(identity == nil ? "ws" : "wss")://127.0.0.1:\(try process.port())"
    }
  }

  @Test("our client, its server: every size both ways", arguments: [false, true], [false, true])
  func echo(encrypted: Bool, compressed: Bool) async throws {
    let certificates = try await Certificates()
    let peer = try Peer(encrypted ? try await certificates.identity("leaf") : nil)
    var settings = WebSocketSettings()
    settings.trust = certificates.authority
    settings.allowsCompression = compressed
    let socket = try await WebSocket.connect(to: peer.url + "/echo", on: loop, settings: settings)
    #expect(socket.isCompressed == compressed)
    for size in [0, 1, 125, 126, 65_535, 65_536, 1 << 20] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      try await socket.send(bytes)
      #expect(await socket.next() == .binary(bytes))
      let text = String(repeating: "ü", count: size / 2)
      try await socket.send(text)
      #expect(await socket.next() == .text(text))
    }
    #expect(await socket.close(code: 1001) == .closed(by: .us, code: 1001, reason: ""))
  }

  @Test("fragments with pings between them are one message each")
  func fragments() async throws {
    let peer = try Peer()
    let socket = try await WebSocket.connect(to: peer.url + "/fragments", on: loop)
    #expect(await socket.next() == .text("fragmented"))
    #expect(await socket.next() == .binary([0] + [UInt8](repeating: 1, count: 70_000) + [2]))
    #expect(await socket.next() == .text("end"))
    await socket.close()
  }

  @Test("subprotocols: chosen, none, and one that nobody offered")
  func subprotocols() async throws {
    let peer = try Peer()
    let offered = ["voice.v1", "voice.v2"]
    let chosen = try await WebSocket.connect(to: peer.url + "/chosen", on: loop, subprotocols: offered)
    #expect(chosen.subprotocol == "voice.v2")
    let none = try await WebSocket.connect(to: peer.url + "/echo", on: loop, subprotocols: offered)
    #expect(none.subprotocol == nil)
    do {
      _ = try await WebSocket.connect(to: peer.url + "/foreign", on: loop, subprotocols: offered)
      Issue.record("a subprotocol was taken that nobody offered")
    } catch { guard case .badHandshake = error else { throw error } }
    await chosen.close()
    await none.close()
  }

  @Test("request headers arrive; a refusal and a redirect are told by their status")
  func headers() async throws {
    let peer = try Peer()
    let socket = try await WebSocket.connect(
      to: peer.url + "/headers", on: loop, headers: ["X-Token": "secret", "Authorization": "Bearer t"])
    guard case .text(let text) = await socket.next() else { throw CancellationError() }
    #expect(text.contains("[\"X-Token\", \"secret\"]") && text.contains("[\"Authorization\", \"Bearer t\"]"))
    await socket.close()
    await #expect(throws: WebSocketError.refused(status: 403, reason: "Forbidden")) {
      _ = try await WebSocket.connect(to: peer.url + "/refuse", on: loop)
    }
    await #expect(throws: WebSocketError.refused(status: 302, reason: "Found")) {
      _ = try await WebSocket.connect(to: peer.url + "/moved", on: loop)
    }
  }

  @Test(
    "the server's close codes, those of newer registrations too", arguments: [1000, 1001, 1008, 1011, 1012, 1013, 4002])
  func closeCodes(code: Int) async throws {
    let peer = try Peer()
    let socket = try await WebSocket.connect(to: "\(peer.url)/close/\(code)", on: loop)
    #expect(await socket.next() == nil)
    #expect(await socket.ended() == .closed(by: .peer, code: code, reason: "as asked"))
  }

  @Test(
    "frames that are none end the connection as such",
    arguments: [
      "81820000000041 42", "8102C328", "880203ED", "8801FF", "88020064", "8800", "C10141", "83 00", "0101", "8B00",
      "810101", "0180800100",
    ])
  func badFrames(hex: String) async throws {
    let peer = try Peer()
    var settings = WebSocketSettings()
    settings.closeTimeout = 0.3
    let bytes = hex.replacingOccurrences(of: " ", with: "")
    let socket = try await WebSocket.connect(to: "\(peer.url)/raw/\(bytes)", on: loop, settings: settings)
    // A fragment alone, or a good message, is no error yet.
    let isFine = ["0101", "810101", "0180800100"].contains(bytes)
    if isFine { return #expect(await socket.close().isOrderly || true) }
    let ending = await socket.ended()
    if bytes == "8800" { return #expect(ending == .closed(by: .peer, code: 1005, reason: "")) }
    guard case .protocolViolation = ending else {
      Issue.record("\(hex): \(ending)")
      return
    }
  }

  @Test("a peer that vanishes is lost, after its last message")
  func vanishes() async throws {
    let peer = try Peer()
    let socket = try await WebSocket.connect(to: peer.url + "/vanish", on: loop)
    #expect(await socket.next() == .text("soon"))
    #expect(await socket.next() == nil)
    guard case .lost = await socket.ended() else {
      Issue.record("\(String(describing: await socket.ending))")
      return
    }
  }

  @Test("a reader that stands still stops the sender")
  func slowReader() async throws {
    let peer = try Peer()
    let socket = try await WebSocket.connect(to: peer.url + "/flood", on: loop)
    try await eventually("reading stands still") { await socket.unreadBytes > 1 << 20 }
    // The sender is stopped by TCP: what it counts stops growing.
    let process = peer.process
    let last = Mutex(0)
    Thread.detachNewThread {
      while let line = try? process.line() { last.withLock { $0 = Int(line.split(separator: " ")[1]) ?? 0 } }
    }
    var before = -1
    try await eventually("the sender stands still") {
      let now = last.withLock { $0 }
      defer { before = now }
      try? await Task.sleep(for: .milliseconds(150))
      return now == before && now > 0
    }
    #expect(await socket.unreadBytes <= (1 << 20) + 65_536 + 1_024)
    #expect(before < 32 << 20)
    for _ in 0..<500 { #expect(await socket.next()?.byteCount == 65_536) }
    await socket.close()
  }

  // MARK: its client, our server

  func run(_ task: String, _ response: HTTPServerResponse) async throws -> String {
    let server = try await HTTPServer.start(on: loop) { _ in response }
    let url = "ws://127.0.0.1:\(await server.port)/"
    let text = try await PeerProcess.run(PeerProcess.python!, ["\(PeerProcess.scripts)/client.py", url, task])
    await server.stop()
    return text.trimmingCharacters(in: .newlines)
  }

  static let echo: @Sendable (WebSocket) async -> Void = { socket in
    while let message = await socket.next() { try? await socket.send(message) }
  }

  @Test("its client, our server: sizes, fragments, pings", arguments: [false, true])
  func server(compressed: Bool) async throws {
    var settings = WebSocketSettings()
    settings.allowsCompression = compressed
    let seen = try await run("echo", .webSocket(settings: settings, serve: Self.echo))
    #expect(seen.contains("\"ping\": true") && seen.contains("\"code\": null") || seen.contains("\"code\": 1000"))
    #expect(seen.contains("permessage-deflate") == compressed)
    let plain = try await run("plain", .webSocket(settings: settings, serve: Self.echo))
    #expect(plain.contains("\"extensions\": null") && plain.contains("\"ping\": true"))
  }

  @Test("the server chooses a subprotocol, or refuses with a status")
  func serverChoice() async throws {
    let chosen = try await run("subprotocol", .webSocket(subprotocol: "voice.v2", serve: Self.echo))
    #expect(chosen.contains("\"subprotocol\": \"voice.v2\""))
    let none = try await run("subprotocol", .webSocket(serve: Self.echo))
    #expect(none.contains("\"subprotocol\": null"))
    #expect(
      try await run("subprotocol", .webSocket(subprotocol: "other", serve: Self.echo)).contains("\"status\": 400"))
    #expect(try await run("echo", .answer(401)) == "{\"status\": 401}")
  }

  @Test(
    "what is against the rules is answered with its code",
    arguments: [
      ("toolarge", 1009), ("fragmentedtoolarge", 1009), ("badtext", 1007), ("badcode", 1002), ("unmasked", 1002),
    ])
  func violations(task: String, code: Int) async throws {
    let endings = Mutex<[WebSocketEnding]>([])
    let seen = try await run(
      task,
      .webSocket { socket in
        while await socket.next() != nil {}
        let ending = await socket.ended()
        endings.withLock { $0.append(ending) }
      })
    switch endings.withLock({ $0.first }) {
    case .messageTooLarge(let limit): #expect(code == 1009 && limit == 1 << 20)
    case .protocolViolation: #expect(code == 1002 || code == 1007)
    default: Issue.record("\(endings.withLock { $0 })")
    }
    // A reset may overtake the close frame where the peer was still sending.
    #expect(seen.contains("\"code\": \(code)") || code == 1009 && seen.contains("\"code\": null"), "\(seen)")
  }

  @Test("the client's close code and reason reach the server")
  func clientCloses() async throws {
    let endings = Mutex<[WebSocketEnding]>([])
    _ = try await run(
      "close",
      .webSocket { socket in
        let ending = await socket.ended()
        endings.withLock { $0.append(ending) }
      })
    #expect(endings.withLock { $0 } == [.closed(by: .peer, code: 4007, reason: "bye")])
  }
}
