import Foundation
import Networking
import Testing

/// Our client against Python's http.server and `openssl s_server`, our server against `curl`.
@Suite("HTTP peers", .serialized, .enabled(if: PeerProcess.python != nil, "ANTIPHON_PEERS names no python"))
struct HTTPPeerTests {
  let loop = EventLoop()

  struct Peer {
    let process: PeerProcess
    let url: String
    init(_ identity: TLSIdentity? = nil) throws {
      let files = identity.map { [$0.certificateFile, $0.keyFile] } ?? []
      process = try PeerProcess(PeerProcess.python!, ["\(PeerProcess.scripts)/http_peer.py"] + files)
      url = "\(identity == nil ? "http" : "https")://127.0.0.1:\(try process.port())"
    }
  }

  @Test("requests arrive as they were meant", arguments: [false, true])
  func echo(encrypted: Bool) async throws {
    let certificates = try await Certificates()
    let peer = try Peer(encrypted ? try await certificates.identity("leaf") : nil)
    var settings = HTTPClient.Settings()
    settings.trust = certificates.authority
    let client = HTTPClient(on: loop, settings: settings)
    for (method, body) in [
      (HTTPRequest.Method.get, nil), (.post, Array("{\"a\":1}".utf8)), (.put, []), (.delete, nil), (.patch, [0, 255]),
    ] as [(HTTPRequest.Method, [UInt8]?)] {
      let answer = try await client.send(
        HTTPRequest(
          method, peer.url + "/echo?q=1", headers: ["X-Token": "t", "Content-Type": "application/json"], body: body))
      #expect(answer.status == 200 && answer.reason == "OK" && answer.headers["note"] == "seen")
      let seen = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
      #expect(seen["method"] as? String == method.rawValue)
      #expect(seen["path"] as? String == "/echo?q=1")
      #expect(seen["body"] as? String == (body ?? []).map { String(format: "%02x", $0) }.joined())
      let headers = try #require(seen["headers"] as? [[String]])
      #expect(headers.contains(["X-Token", "t"]))
    }
    for status in [204, 400, 401, 422, 429, 500] {
      let answer = try await client.send(HTTPRequest(.get, "\(peer.url)/status/\(status)"))
      #expect(answer.status == status && answer.isSuccess == (status == 204))
    }
  }

  @Test("redirects up to the limit; own headers do not go to another origin")
  func redirects() async throws {
    let (peer, other) = (try Peer(), try Peer())
    var settings = HTTPClient.Settings()
    settings.maximumRedirects = 3
    let client = HTTPClient(on: loop, settings: settings)
    #expect(try await client.send(HTTPRequest(.get, peer.url + "/redirect/3")).status == 200)
    await #expect(throws: HTTPError.tooManyRedirects(limit: 3)) {
      _ = try await client.send(HTTPRequest(.get, peer.url + "/redirect/4"))
    }
    settings.maximumRedirects = 0
    let still = HTTPClient(on: loop, settings: settings)
    #expect(try await still.send(HTTPRequest(.get, peer.url + "/redirect/1")).status == 302)
    let secret: HTTPHeaders = ["X-Api-Key": "secret", "Authorization": "Bearer secret"]
    let same = try await client.send(HTTPRequest(.get, "\(peer.url)/to?\(peer.url)/echo", headers: secret))
    #expect(same.text.contains("secret"))
    let away = try await client.send(HTTPRequest(.get, "\(peer.url)/to?\(other.url)/echo", headers: secret))
    #expect(away.status == 200 && !away.text.contains("secret"))
    let certificates = try await Certificates()
    let encrypted = try Peer(try await certificates.identity("leaf"))
    settings = HTTPClient.Settings()
    settings.trust = certificates.authority
    do {
      _ = try await HTTPClient(on: loop, settings: settings).send(
        HTTPRequest(.get, "\(encrypted.url)/to?\(other.url)/echo"))
      Issue.record("it went from https to http")
    } catch { guard case HTTPError.insecureRedirect = error else { throw error } }
  }

  @Test("an answer that stalls, breaks off or has no end")
  func badAnswers() async throws {
    let peer = try Peer()
    var settings = HTTPClient.Settings()
    settings.idleTimeout = 0.2
    let client = HTTPClient(on: loop, settings: settings)
    await #expect(throws: HTTPError.timedOut(.idle, seconds: 0.2)) {
      _ = try await client.send(HTTPRequest(.get, peer.url + "/slow/1000/3"))
    }
    #expect(try await HTTPClient(on: loop).send(HTTPRequest(.get, peer.url + "/slow/1000/0.3")).body.count == 1_000)
    do {
      _ = try await client.send(HTTPRequest(.get, peer.url + "/half"))
      Issue.record("half a body is no body")
    } catch { guard case HTTPError.connectionLost = error else { throw error } }
    settings = HTTPClient.Settings()
    settings.totalTimeout = 0.3
    await #expect(throws: HTTPError.timedOut(.total, seconds: 0.3)) {
      _ = try await HTTPClient(on: loop, settings: settings).send(HTTPRequest(.get, peer.url + "/endless"))
    }
  }

  @Test("a stream comes piece by piece, and may be left in the middle without a wait")
  func streams() async throws {
    let peer = try Peer()
    let client = HTTPClient(on: loop)
    let whole = try await client.stream(HTTPRequest(.get, peer.url + "/stream/20"))
    var text = ""
    for try await piece in whole.body { text += String(decoding: piece, as: UTF8.self) }
    #expect(text == (0..<20).map { "data: \($0)\n\n" }.joined())
    for _ in 0..<3 {
      let endless = try await client.stream(HTTPRequest(.get, peer.url + "/endless"))
      var body = endless.body.makeAsyncIterator()
      #expect(try await body.next() != nil)
    }
    // The loop still serves others at once.
    let began = EventLoop.now
    #expect(try await client.send(HTTPRequest(.get, peer.url + "/status/200")).status == 200)
    #expect(EventLoop.now.milliseconds(since: began) < 1_000)
    let endless = try await client.stream(HTTPRequest(.get, peer.url + "/endless"))
    let reader = Task {
      for try await _ in endless.body {}
    }
    try await Task.sleep(for: .milliseconds(30))
    reader.cancel()
    await #expect(throws: HTTPError.cancelled) { try await reader.value }
  }

  @Test("openssl s_server answers us")
  func opensslServer() async throws {
    let certificates = try await Certificates()
    let identity = try await certificates.identity("leaf")
    let server = try PeerProcess(
      "openssl",
      ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", identity.certificateFile, "-key", identity.keyFile])
    var port: Substring?
    while port == nil {
      let line = try server.line()
      if line.hasPrefix("ACCEPT") { port = line.split(separator: ":").last }
    }
    var settings = HTTPClient.Settings()
    settings.trust = certificates.authority
    let answer = try await HTTPClient(on: loop, settings: settings).send(
      HTTPRequest(.get, "https://127.0.0.1:\(port!)/"))
    #expect(answer.status == 200 && answer.text.contains("Cipher"))
  }

  @Test("curl asks our server, over http and https")
  func curl() async throws {
    let certificates = try await Certificates()
    let identity = try await certificates.identity("leaf")
    var limits = HTTPServer.Settings()
    limits.maximumBodyBytes = 1_000
    let handler: HTTPServer.Handler = { request in
      if request.path == "/stream" {
        return .stream(
          pieces: AsyncStream {
            for number in 0..<5 { $0.yield(Array("\(number)\n".utf8)) }; $0.finish()
          })
      }
      return .answer(
        201, text: "\(request.method) \(request.path) \(request.body.count) \(request.headers["X-A"] ?? "")")
    }
    let plain = try await HTTPServer.start(on: loop, settings: limits, handler: handler)
    let secure = try await HTTPServer.start(on: loop, identity: identity, settings: limits, handler: handler)
    let bases = ["http://127.0.0.1:\(await plain.port)", "https://127.0.0.1:\(await secure.port)"]
    for base in bases {
      func curl(_ words: String...) async throws -> String {
        try await PeerProcess.run(
          "curl", ["-s", "-m", "10", "--noproxy", "*", "--cacert", certificates.path("ca.pem")] + words)
      }
      #expect(try await curl("-w", " %{http_code}", "-H", "X-A: b", base + "/x%20y") == "GET /x y 0 b 201")
      #expect(try await curl("-d", "12345", base + "/post") == "POST /post 5 ")
      #expect(try await curl("-X", "DELETE", base + "/thing") == "DELETE /thing 0 ")
      #expect(try await curl(base + "/stream") == "0\n1\n2\n3\n4\n")
      let large = certificates.path("large")
      try Data(count: 100_000).write(to: URL(fileURLWithPath: large))
      #expect(try await curl("-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@\(large)", base) == "413")
      #expect(
        try await curl(
          "-o", "/dev/null", "-w", "%{http_code}", "-H", "Transfer-Encoding: chunked", "--data-binary", "@\(large)",
          base)
          == "413")
      // Two requests over one connection.
      #expect(try await curl("-w", "%{num_connects}", base + "/a", base + "/b") == "GET /a 0 1GET /b 0 0")
    }
    await plain.stop()
    await secure.stop()
  }
}
