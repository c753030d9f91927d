import Foundation
import RealtimeCore
import Synchronization
import TestSupport
import Testing

@testable import Networking
@testable import VoiceSession

@Suite("Vonage: the app's server", .timeLimit(.minutes(1)))
struct VonageServerTests {
  private let loop = EventLoop()

  @Test("the answer webhook of the tutorial, by query and by body")
  func answers() async throws {
    let example = try await TutorialServer(on: loop, publicHost: "app.example")
    let base = "http://127.0.0.1:\(await example.server.port)"
    let client = HTTPClient(on: loop)
    let list = #"[{"action":"connect","endpoint":[{"number":"15550100","type":"phone"}],"from":"15550111"}]"#
    let query = "to=15550100&from_user=Alice&custom_data=%7B%7D&conversation_uuid=CON-1&uuid=U-1"
    let byQuery = try await client.send(HTTPRequest(.get, "\(base)/webhooks/answer?\(query)"))
    #expect(byQuery.status == 200 && byQuery.text == list)
    #expect(byQuery.headers["Content-Type"] == "application/json")
    let byBody = try await client.send(
      HTTPRequest(.post, "\(base)/webhooks/answer", body: Array(#"{"to":"15550100","from_user":"Alice"}"#.utf8)))
    #expect(byBody.text == list)
    let socket = try await client.send(HTTPRequest(.get, "\(base)/webhooks/answer?from=15550112"))
    #expect(
      socket.text
        == #"[{"action":"connect","endpoint":[{"content-type":"audio/l16;rate=16000","headers":{"caller":"15550112"},"#
        + #""type":"websocket","uri":"wss://app.example/socket"}],"eventType":"synchronous","#
        + #""eventUrl":["https://app.example/webhooks/event"],"timeout":20}]"#)
  }

  @Test(
    "the event webhook",
    arguments: [
      (#"{"status":"ringing","uuid":"U-1"}"#, 204, ""), (#"{"status":"disconnected","reason":"1000"}"#, 204, ""),
      (#"{"status":"failed"}"#, 200, #"[{"action":"talk","text":"Nobody can be reached."}]"#),
      (#"{"status":"brand new"}"#, 204, ""), ("{}", 400, "there is no status"), ("[[[[", 400, "there is no status"),
      (#"{"status":{}}"#, 204, ""),
    ])
  func events(body: String, status: Int, answer: String) async throws {
    let example = try await TutorialServer(on: loop, publicHost: "app.example")
    let base = "http://127.0.0.1:\(await example.server.port)"
    let response = try await HTTPClient(on: loop).send(
      HTTPRequest(.post, "\(base)/webhooks/event", body: Array(body.utf8)))
    #expect(response.status == status)
    #expect(response.text == answer)
    #expect(try await HTTPClient(on: loop).send(HTTPRequest(.get, "\(base)/elsewhere")).status == 404)
    #expect(try await HTTPClient(on: loop).send(HTTPRequest(.get, "\(base)/socket")).status == 404)
  }

  @Test("events and answers, field by field")
  func fields() {
    func request(_ body: String, query: String? = nil) -> HTTPServerRequest {
      HTTPServerRequest(
        method: "POST", path: "/", query: query, headers: [:], body: Array(body.utf8), remoteHost: "127.0.0.1")
    }
    let answer = VoiceAnswerRequest(
      request(#"{"from":"1","to":"2","custom_data":{"a":1},"uuid":"u","conversation_uuid":"c","region_url":"r"}"#))
    #expect(
      [answer.from, answer.to, answer.customData, answer.uuid, answer.conversationUUID, answer.regionURL]
        == ["1", "2", #"{"a":1}"#, "u", "c", "r"])
    for (word, status) in [
      ("started", VoiceWebhookEvent.Status.started), ("answered", .answered), ("completed", .completed),
      ("unanswered", .unanswered), ("busy", .other("busy")),
    ] {
      #expect(VoiceWebhookEvent(request("", query: "status=\(word)"))?.status == status)
    }
    let list = NCCO([
      .talk("Hi", language: "en-GB", style: 2, allowsBargeIn: true), .stream(url: "https://a/b.mp3", loops: 2),
      .connect(.app(user: "Alice")), .connect(.sip(uri: "sip:a@b")),
    ])
    #expect(
      list.json
        == #"[{"action":"talk","bargeIn":true,"language":"en-GB","style":2,"text":"Hi"},"#
        + #"{"action":"stream","loop":2,"streamUrl":["https://a/b.mp3"]},"#
        + #"{"action":"connect","endpoint":[{"type":"app","user":"Alice"}]},"#
        + #"{"action":"connect","endpoint":[{"type":"sip","uri":"sip:a@b"}]}]"#)
    #expect(NCCO.Endpoint.webSocket(uri: "wss://a", headers: ["caller": "15550111"]).headersByteCount == 21)
  }

  @Test("a platform that dials in hears its own echo, and its keys silence it")
  func echo() async throws {
    let example = try await TutorialServer(on: loop, publicHost: "app.example")
    let tone = Mutex(tonePCM(700, seconds: 30, sampleRate: 16_000)[...])
    let leg = try await PlatformLeg.dial(
      "ws://127.0.0.1:\(await example.server.port)/socket", PlatformLine(.l16At16kHz, headers: ["caller": "1"]),
      on: loop
    ) {
      tone.withLock { rest in
        defer { rest = rest.dropFirst(640) }
        return Array(rest.prefix(640))
      }
    }
    func heard() async -> [Float] {
      let bytes = await leg.heard.suffix(16_000)
      return stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
        Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
      }
    }
    #expect(await eventually { strongestFrequency(await heard(), sampleRate: 16_000) == 700 })
    try await leg.send(#"{"dtmf":{"digit":"5"}}"#)
    try await Task.sleep(for: .milliseconds(300))
    let line = await leg.line
    #expect(line.rejectedCount == 0 && line.overflowCount == 0)
    #expect(line.unknownTexts.isEmpty)
    await leg.hangUp()
    await example.server.stop()
  }

  @Test("a burst of 30 s, cut by clear: not one late packet; marks of an answer that is heard")
  func clear() async throws {
    let calls = Mutex<[VoiceSocket]>([])
    let events = Mutex<[VoiceSocketEvent]>([])
    let hooks = VoiceWebhooks(
      serve: { call in
        calls.withLock { $0.append(call) }
        for await event in call.events {
          if case .audio = event { continue }
          events.withLock { $0.append(event) }
        }
      }, answer: { _ in NCCO() })
    let server = try await HTTPServer.start(on: loop, port: 0) { await hooks.respond(to: $0) }
    let leg = try await PlatformLeg.dial(
      "ws://127.0.0.1:\(await server.port)/socket", PlatformLine(.l16At24kHz), on: loop)
    #expect(await eventually { events.withLock { !$0.isEmpty } })
    let call = try #require(calls.withLock { $0.first })
    #expect(await call.format == .l16At24kHz)
    try await call.send([UInt8](repeating: 7, count: 960 * 1_500))
    try await call.mark("never")
    #expect(await eventually { await leg.heard.contains(7) })
    #expect(await call.waitingMilliseconds > 25_000)
    try await call.clear()
    #expect(await eventually { events.withLock { $0.contains(.cleared) } })
    let before = await leg.heard.count
    try await Task.sleep(for: .milliseconds(200))
    #expect(await !leg.heard.dropFirst(before).contains(7))
    try await call.send([UInt8](repeating: 9, count: 960 * 5 + 5))
    try await call.mark("m1")
    #expect(await eventually { events.withLock { $0.contains(.played(mark: "m1")) } })
    #expect(await leg.heard.count { $0 == 9 } == 960 * 5 + 5)
    #expect(events.withLock { !$0.contains(.played(mark: "never")) })
    await leg.hangUp(code: 1001)
    #expect(await eventually { events.withLock { $0.last == .closed(code: 1001, reason: "") } })
    await #expect(throws: VoiceSocketError.notConnected) { try await call.send([1, 2]) }
    await server.stop()
  }

  @Test("an app that closes ends the leg; sound before the greeting is refused")
  func closes() async throws {
    let server = try await HTTPServer.start(on: loop, port: 0) { _ in
      VoiceSocket.accept { call in
        for await event in call.events { if case .connected = event { await call.close(code: 4000, reason: "enough") } }
      }
    }
    let url = "ws://127.0.0.1:\(await server.port)/"
    let leg = try await PlatformLeg.dial(url, PlatformLine(.l16At8kHz), on: loop)
    guard case .closed(_, let code, let reason) = await leg.ended() else {
      Issue.record("not closed")
      return
    }
    #expect(code == 4000 && reason == "enough")
    let rude = try await WebSocket.connect(to: url, on: loop)
    try await rude.send([1, 2, 3])
    guard case .closed(_, 1002, _) = await rude.ended() else {
      Issue.record("not refused")
      return
    }
    await server.stop()
  }
}
