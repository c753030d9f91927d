import Networking
import Testing

/// Whom a client trusts: certificates by the `openssl` program, both ends ours.
@Suite("TLS") struct TLSTests {
  let loop = EventLoop()

  func serve(_ identity: TLSIdentity) async throws -> (server: HTTPServer, place: String) {
    let server = try await HTTPServer.start(on: loop, identity: identity) { request in
      guard request.wantsWebSocket else { return .answer(200, text: "secret") }
      return .webSocket { socket in
        while let message = await socket.next() { try? await socket.send(message) }
      }
    }
    return (server, "127.0.0.1:\(await server.port)")
  }

  func get(_ place: String, _ trust: TLSTrust) async throws(HTTPError) -> String {
    var settings = HTTPClient.Settings()
    settings.trust = trust
    return try await HTTPClient(on: loop, settings: settings).send(HTTPRequest(.get, "https://\(place)/")).text
  }

  func open(_ place: String, _ trust: TLSTrust) async throws(WebSocketError) -> WebSocket {
    var settings = WebSocketSettings()
    settings.trust = trust
    return try await WebSocket.connect(to: "wss://\(place)/", on: loop, settings: settings)
  }

  @Test("a certificate of the given authority is accepted, and by no other")
  func authority() async throws {
    let certificates = try await Certificates()
    let (server, place) = try await serve(try await certificates.identity("leaf"))
    #expect(try await get(place, certificates.authority) == "secret")
    let socket = try await open(place, certificates.authority)
    try await socket.send("hello")
    #expect(await socket.next() == .text("hello"))
    await socket.close()
    let refusal = HTTPError.untrustedCertificate("127.0.0.1", [.unknownAuthority])
    await #expect(throws: refusal) { try await get(place, .system) }
    await #expect(throws: WebSocketError.notConnected(refusal)) { _ = try await open(place, .system) }
    let others = try await Certificates()
    await #expect(throws: refusal) { try await get(place, others.authority) }
    #expect(try await get(place, .dangerouslyAcceptAnyCertificate) == "secret")
    await server.stop()
  }

  @Test("another host's, an expired and a self-signed certificate are refused by name")
  func refusals() async throws {
    let certificates = try await Certificates()
    let cases: [(TLSIdentity, CertificateProblem)] = [
      (try await certificates.identity("elsewhere", for: "DNS:elsewhere.example"), .wrongHost),
      (try await certificates.identity("old", days: -1), .expired),
      (try await certificates.selfSigned(), .unknownAuthority),
    ]
    for (identity, problem) in cases {
      let (server, place) = try await serve(identity)
      await #expect(throws: HTTPError.untrustedCertificate("127.0.0.1", [problem])) {
        try await get(place, certificates.authority)
      }
      await #expect(throws: WebSocketError.notConnected(.untrustedCertificate("127.0.0.1", [problem]))) {
        _ = try await open(place, certificates.authority)
      }
      await server.stop()
    }
    let (server, place) = try await serve(cases[2].0)
    #expect(try await get(place, .authorities(inFile: cases[2].0.certificateFile)) == "secret")
    let socket = try await open(place, .dangerouslyAcceptAnyCertificate)
    await socket.close()
    await server.stop()
  }

  @Test("files that are no certificates are named")
  func badFiles() async throws {
    let certificates = try await Certificates()
    _ = try await certificates.identity("leaf")
    do {
      _ = try await get("127.0.0.1:1", .authorities(inFile: "/no/such/file.pem"))
      Issue.record("no error")
    } catch {
      guard case .certificateFile("/no/such/file.pem", _) = error else { throw error }
    }
    let wrong = TLSIdentity(certificateFile: certificates.path("leaf.ext"), keyFile: certificates.path("leaf.key"))
    do {
      _ = try await serve(wrong)
      Issue.record("no error")
    } catch let error as HTTPServerError {
      guard case .certificateFile(wrong.certificateFile, _) = error else { throw error }
    }
  }

  @Test("TLS to a port without, and plain to a port of TLS")
  func mixed() async throws {
    let certificates = try await Certificates()
    let (server, place) = try await serve(try await certificates.identity("leaf"))
    await #expect(throws: HTTPError.self) {
      _ = try await HTTPClient(on: loop).send(HTTPRequest(.get, "http://\(place)/"))
    }
    await server.stop()
    // Our plain server waits for the end of a line, which TLS does not have.
    let plain = try await HTTPServer.start(on: loop) { _ in .answer(200) }
    var settings = HTTPClient.Settings()
    settings.connectTimeout = 0.3
    let client = HTTPClient(on: loop, settings: settings)
    await #expect(throws: HTTPError.timedOut(.connecting, seconds: 0.3)) {
      _ = try await client.send(HTTPRequest(.get, "https://127.0.0.1:\(await plain.port)/"))
    }
    await plain.stop()
  }
}
