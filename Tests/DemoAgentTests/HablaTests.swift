import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// The Habla fake, driven by plain requests and frames.
@Suite("Habla fake", .timeLimit(.minutes(2))) struct HablaTests {
  let loop = EventLoop()
  static let call =
    #"{"to":"+15550100","from":"+15550111","source_language":"en-US","target_language":"es-US","voice_gender":"female"}"#
  static let agentCall =
    #"{"to":"+15550100","prompt":"What time is it?","user_name":"Ana","language":"es-US","voice_gender":"male"}"#

  private func start(
    _ settings: DemoAgentSettings = .forTests
  ) async throws -> (DemoAgentServer, RawClient) {
    let agent = try await DemoAgentServer.start(as: .habla, settings: settings, on: loop)
    return (agent, RawClient(agent, headers: ["X-Habla-Device-ID": "device-1"], on: loop))
  }

  private func connect(
    _ agent: DemoAgentServer, _ path: String, headers: HTTPHeaders = ["X-Habla-Device-ID": "device-1"]
  )
    async throws -> RawCaller
  {
    try await RawCaller("ws://127.0.0.1:\(agent.port)\(path)", headers: headers, on: loop)
  }

  @Test("HMAC-SHA256 of RFC 4231, test case 2") func hmac() {
    #expect(
      HMAC.sha256(key: "Jefe", message: "what do ya want for nothing?")
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test("a live call: status, question in bytes, answer in bytes, texts beside it, farewell")
  func live() async throws {
    let (agent, client) = try await start()
    let (status, body) = try await client.send(.post, "/call", Self.call)
    #expect(status == 200 && body["status"] == "initiating")
    let sid = try #require(body["call_sid"]?.string)
    let caller = try await connect(agent, "/ws/\(sid)")
    #expect(try await caller.next("status")["status"] == "ringing")
    #expect(try await caller.next("status")["status"] == "connected")
    #expect(try await client.send(.get, "/call/\(sid)/status").body["status"] == "in_progress")
    #expect(try await caller.next("translation")["text"] == "Hello.")
    var byteCount = 0
    while byteCount < 16_000, case .binary(let bytes)? = try await caller.next() { byteCount += bytes.count }
    try await Task.sleep(for: .milliseconds(1_300))
    let question = try Question.bytes("what time is it")
    // Sizes do not matter, odd ones neither.
    var start = 0
    while start < question.count {
      let end = min(question.count, start + 1_001)
      try await caller.socket.send(Array(question[start..<end]))
      start = end
    }
    #expect(try await caller.next("transcription")["text"] == "what time is it")
    #expect(try await caller.next("translation")["text"] == "It is 10:30 in the morning.")
    let facts = try await caller.next("verified_facts_summary")["facts"]?.array
    #expect(facts?.first?["type"] == "time" && facts?.first?["value"] == "10:30")
    let farewell = try Question.bytes("goodbye")
    try await caller.socket.send(farewell)
    try await caller.next("interrupted")
    #expect(try await caller.next("translation")["text"] == "Goodbye.")
    #expect(try await caller.next("status")["status"] == "completed")
    #expect(await caller.ended() == .closed(by: .peer, code: 1000, reason: ""))
    #expect(try await client.send(.post, "/call/\(sid)/end").body["status"] == "completed")
    await agent.stop()
  }

  @Test("the Nova backend sends bytes alone, and breaks when it gets text") func nova() async throws {
    var settings = DemoAgentSettings.forTests
    settings.habla.backend = .nova
    settings.voice = .tone(440)
    let (agent, client) = try await start(settings)
    let sid = try #require(try await client.send(.post, "/call", Self.call).body["call_sid"]?.string)
    let caller = try await connect(agent, "/ws/\(sid)")
    for _ in 0..<3 {
      guard case .binary(let bytes)? = try await caller.next() else {
        Issue.record("no bytes")
        return
      }
      #expect(bytes.count == 3_200)
    }
    try await caller.send("hello")
    #expect(await caller.ended() == .closed(by: .peer, code: 1011, reason: ""))
    await agent.stop()
  }

  @Test(
    "requests that FastAPI would refuse",
    arguments: [
      ("/call", "", 422), ("/call", "[]", 422), ("/call", "{", 422), ("/call", #"{"to":"+15550100"}"#, 422),
      ("/call", call.replacingOccurrences(of: "+15550100", with: "15550100"), 422),
      ("/call", call.replacingOccurrences(of: "\"+15550100\"", with: "15550100"), 422),
      ("/call", call.replacingOccurrences(of: "es-US", with: "xx-XX"), 422),
      ("/call", call.replacingOccurrences(of: "es-US", with: "en-GB"), 422),
      ("/call", call.replacingOccurrences(of: "female", with: "robot"), 422),
      ("/agent/call", agentCall.replacingOccurrences(of: "prompt", with: "promt"), 422),
      ("/caller-id/verify/start", #"{"phone_number":"555"}"#, 422),
      ("/call/CA0/end", "{}", 404), ("/agent/call/CA0/end", "{}", 404), ("/nowhere", "{}", 404),
    ])
  func refused(path: String, body: String, status: Int) async throws {
    let (agent, client) = try await start(.script([]))
    let answer = try await client.send(.post, path, body)
    #expect(answer.status == status && answer.body["detail"] != nil, "\(answer)")
    await agent.stop()
  }

  @Test("device id and authorization") func keys() async throws {
    var settings = DemoAgentSettings.script([])
    settings.habla.secret = "s3cret"
    let (agent, client) = try await start(settings)
    let nobody = RawClient(agent, on: loop)
    #expect(try await nobody.send(.post, "/call", Self.call).status == 400)
    #expect(try await client.send(.post, "/call", Self.call).status == 401)
    let digest = HMAC.sha256(key: "s3cret", message: settings.habla.bundleID)
    for value in [digest, "Bearer " + digest] {
      let headers: HTTPHeaders = ["X-Habla-Device-ID": "d", "Authorization": value]
      let known = RawClient(agent, headers: headers, on: loop)
      let answer = try await known.send(.post, "/call", Self.call)
      #expect(answer.status == 200)
      let sid = answer.body["call_sid"]?.string ?? ""
      let refused = try await connect(agent, "/ws/\(sid)")
      #expect(await refused.ended() == .closed(by: .peer, code: 1008, reason: "Unauthorized"))
      let unknown = try await connect(agent, "/ws/CA0", headers: headers)
      #expect(await unknown.ended() == .closed(by: .peer, code: 4004, reason: "Call not found"))
    }
    await agent.stop()

    var broken = DemoAgentSettings.script([])
    broken.habla.translatorStarts = false
    let (other, its) = try await start(broken)
    let sid = try #require(try await its.send(.post, "/call", Self.call).body["call_sid"]?.string)
    let caller = try await connect(other, "/ws/\(sid)")
    guard case .closed(.peer, 1011, _) = await caller.ended() else {
      Issue.record("the translator was not to start")
      return
    }
    await other.stop()
  }

  @Test("an agent call: transcript with late translations, instruction, replay at a second socket, farewell")
  func agentMode() async throws {
    var settings = DemoAgentSettings.forTests
    settings.habla.farewellSeconds = 0.4
    let (agent, client) = try await start(settings)
    let sid = try #require(try await client.send(.post, "/agent/call", Self.agentCall).body["call_sid"]?.string)
    let caller = try await connect(agent, "/agent/ws/\(sid)")
    for status in [JSON.string("initiating"), "ringing", "connected"] {
      #expect(try await caller.next("status")["status"] == status)
    }
    let opening = try await caller.next("transcript")
    #expect(opening["role"] == "agent" && opening["text_original"] == "Hello, I am calling for Ana. What time is it?")
    #expect(opening["text_en"] == .null && opening["timestamp"]?.string != nil)
    #expect(try await caller.next("transcript_update")["text_en"] == opening["text_original"])
    let answer = try await caller.next("transcript")
    #expect(answer["role"] == "callee" && answer["text_original"] == "It is 10:30 in the morning.")
    try await caller.send(#"{"type":"instruction","text":"Who are you?"}"#)
    #expect(try await caller.next("transcript")["text_original"] == "Who are you?")
    try await caller.next("transcript")
    let second = try await connect(agent, "/agent/ws/\(sid)")
    #expect(try await second.next("status")["status"] == "connected")
    for text in ["Hello, I am calling", "It is 10:30", "Who are you?", "I am the demo agent"] {
      #expect(try await second.next("transcript")["text_original"]?.string?.hasPrefix(text) == true)
    }
    try await second.next("verified_facts_summary")
    let report = try await client.send(.get, "/agent/call/\(sid)/status").body
    #expect(report["transcript"]?.array?.count == 4 && report["status"] == "connected")
    try await second.send(#"{"type":"end_conversation","text":"Say goodbye"}"#)
    #expect(try await second.next("status", within: 3)["status"] == "ended")
    #expect(await caller.ended() == .closed(by: .peer, code: 1000, reason: ""))
    #expect(try await client.send(.get, "/agent/call/\(sid)/status").body["status"] == "ended")
    await agent.stop()
  }

  @Test(
    "frames that the agent socket refuses",
    arguments: [
      "x", "[]", #"{"type":"instruction"}"#, #"{"type":"instruction","text":5}"#, #"{"type":"dance"}"#,
      #"{"type":"end_conversation","text":[]}"#,
    ])
  func refusedFrames(frame: String) async throws {
    let (agent, client) = try await start(.script([]))
    let sid = try #require(try await client.send(.post, "/agent/call", Self.agentCall).body["call_sid"]?.string)
    let caller = try await connect(agent, "/agent/ws/\(sid)")
    try await caller.send(frame)
    guard case .closed(.peer, 1007, _) = await caller.ended() else {
      Issue.record("\(frame) was taken")
      return
    }
    await agent.stop()
  }

  @Test("caller ids") func callerIDs() async throws {
    let (agent, client) = try await start(.script([]))
    let begun = try await client.send(
      .post, "/caller-id/verify/start", #"{"phone_number":"+15550100","friendly_name":"Work"}"#)
    #expect(begun.body["validation_code"]?.string?.count == 6)
    #expect(try await client.send(.get, "/caller-id/verify/status/+15550100").body["verified"] == false)
    #expect(try await client.send(.get, "/caller-id/list").body["caller_ids"] == [])
    #expect(try await client.send(.get, "/caller-id/verify/status/+15550100").body["verified"] == true)
    let listed = try await client.send(.get, "/caller-id/list").body["caller_ids"]?.array?.first
    #expect(listed?["friendly_name"] == "Work")
    let sid = try #require(listed?["sid"]?.string)
    #expect(try await client.send(.delete, "/caller-id/\(sid)").status == 200)
    #expect(try await client.send(.delete, "/caller-id/\(sid)").status == 404)
    #expect(try await client.send(.get, "/translation/languages").body["languages"]?.array?.count == 10)
    await agent.stop()
  }
}
