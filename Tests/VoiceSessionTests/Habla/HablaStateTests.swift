import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Habla's life line")
struct HablaStateTests {
  @Test("a live call from start to end")
  func liveCall() throws {
    var harness = HablaHarness(.testLive)
    try harness.perform(.start)
    #expect(harness.state == .preparing)
    harness.answer(.initiate, ["call_sid": "CA1", "status": "initiating"])
    #expect(harness.state == .connecting)
    #expect(harness.actions.opens().map(\.url) == ["ws://127.0.0.1:9/ws/CA1"])
    harness.open(.call)
    harness.status("ringing")
    harness.status("connected")
    harness.pass(seconds: 3.5)
    harness.tell(.command(.end))
    #expect(
      harness.actions.states() == [.preparing, .connecting, .ringing, .active([]), .ended(.local)])
    #expect(harness.actions.endRequests == ["http://127.0.0.1:9/call/CA1/end"])
    #expect(
      harness.actions.hablaNotices.filter { if case .duration = $0 { true } else { false } }
        == [1, 2, 3].map { .duration($0) })
    let codes = harness.actions.compactMap { if case .close(_, let code) = $0 { code } else { nil } }
    #expect(codes == [1001])
    #expect(harness.actions.releases() == 1)
  }

  /// What a status leads to, from each step.
  @Test(
    "statuses in any case",
    arguments: [
      ("initiating", SessionState.connecting), ("Connecting", .connecting), ("RINGING", .ringing),
      ("connected", .active([])), ("in_progress", .active([])), ("In-Progress", .active([])),
      ("ended", .ended(.remote("ended"))), ("COMPLETED", .ended(.remote("ended"))), ("queued?", .connecting),
    ])
  func statuses(word: String, expected: SessionState) throws {
    for call in [HablaCall.testLive, .testAgent] {
      var harness = try HablaHarness(call, step: 3)
      harness.status(word)
      #expect(harness.state == expected)
    }
  }

  @Test("failed is told with its own code")
  func failed() throws {
    var harness = try HablaHarness(.testLive, step: 4)
    harness.status("failed")
    #expect(harness.failure?.code == "callFailed")
    harness = try HablaHarness(.testLive, step: 5)
    harness.receive(["type": "error", "message": "model unavailable"], from: .call)
    #expect(harness.failure?.message == "model unavailable")
    #expect(harness.actions.endRequests.count == 1)
  }

  @Test("a status never leads back")
  func noWayBack() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    for word in ["ringing", "initiating", "connecting", "unknown"] { harness.status(word) }
    #expect(harness.state == .active([]))
  }

  @Test("the first sound connects, once", arguments: [3, 4])
  func firstSound(step: Int) throws {
    var harness = try HablaHarness(.testLive, step: step)
    harness.receive([1, 2, 3], from: .call)
    harness.receive([4], from: .call)
    harness.status("connected")
    #expect(harness.actions.states().filter(\.isActive).count == 1)
  }

  @Test(
    "answers that are no call",
    arguments: [
      (400, "badRequest", SessionError.Kind.configuration, false), (401, "unauthorized", .authentication, false),
      (404, "noSuchCall", .signalling, false), (422, "invalidValue", .configuration, false),
      (500, "networkError", .server, true), (503, "networkError", .server, true), (302, "networkError", .server, false),
    ])
  func refusals(status: Int, code: String, kind: SessionError.Kind, isRetryable: Bool) throws {
    var harness = try HablaHarness(.testLive, step: 1)
    harness.answer(
      .initiate, status: status,
      ["detail": [["loc": ["body", "target_language"], "msg": "not supported", "type": "value_error"]]])
    #expect(harness.failure?.code == code)
    #expect(harness.failure?.kind == kind)
    #expect(harness.failure?.isRetryable == isRetryable)
    #expect(harness.failure?.message.contains("target_language: not supported") == true)
    #expect(harness.actions.opens().isEmpty)
    #expect(harness.actions.endRequests.isEmpty)
  }

  @Test("an answer without a call id", arguments: ["{}", "[]", "nonsense", #"{"call_sid":7}"#, #"{"call_sid":""}"#])
  func noCallID(body: String) throws {
    var harness = try HablaHarness(.testLive, step: 1)
    harness.tell(
      .answered(.initiate, .success(HTTPResponse(status: 200, body: Array(body.utf8)))))
    #expect(harness.failure?.code == "noCallID")
  }

  @Test("a call id is a part of a path, whatever it holds")
  func hostileCallID() throws {
    for (sid, path) in [("../x?y#z", "..%2Fx%3Fy%23z"), ("..", "%2E%2E"), ("a b\r\n", "a%20b%0D%0A")] {
      var harness = try HablaHarness(.testLive, step: 1)
      harness.answer(.initiate, ["call_sid": .string(sid)])
      #expect(harness.actions.opens().map(\.url) == ["ws://127.0.0.1:9/ws/\(path)"])
    }
  }

  @Test("no answer within 30 s")
  func silentServer() throws {
    var harness = try HablaHarness(.testLive, step: 1)
    harness.pass(seconds: 29.9)
    #expect(harness.state == .preparing)
    harness.pass(seconds: 0.2)
    #expect(harness.failure?.kind == .timeout)
  }

  @Test(
    "the codes of a socket's end",
    arguments: [
      (1008, "unauthorized", SessionError.Kind.authentication), (4004, "noSuchCall", .signalling),
      (1011, "translatorUnavailable", .server), (1006, "webSocketError", .network), (4999, "webSocketError", .network),
    ])
  func closeCodes(closeCode: Int, code: String, kind: SessionError.Kind) throws {
    for step in 2...5 {
      var harness = try HablaHarness(.testLive, step: step)
      harness.close(.call, code: closeCode, wasOpen: step >= 3)
      #expect(harness.failure?.code == code)
      #expect(harness.failure?.kind == kind)
      // Nobody is left in the call, so it is ended, where there is one.
      #expect(harness.actions.endRequests.count == (closeCode == 4004 ? 0 : 1))
    }
  }

  @Test("an orderly close is an end, an abrupt one a failure", arguments: [1000, 1001])
  func orderlyClose(code: Int) throws {
    for call in [HablaCall.testLive, .testAgent] {
      var harness = try HablaHarness(call, step: 5)
      harness.close(.call, code: code)
      #expect(harness.state == .ended(.remote(nil)))
    }
    var harness = try HablaHarness(.testLive, step: 5)
    harness.close(.call)
    #expect(harness.failure?.isRetryable == true)
  }

  @Test("a handshake that is refused", arguments: [(401, "unauthorized"), (403, "unauthorized"), (404, "noSuchCall")])
  func refusedHandshake(status: Int, code: String) throws {
    var harness = try HablaHarness(.testLive, step: 2)
    harness.tell(.closed(harness.key(.call), SocketEnding("refused", wasOpen: false, status: status)))
    #expect(harness.failure?.code == code)
  }

  @Test("no microphone, no sound")
  func soundErrors() throws {
    for (kind, code) in [(SessionError.Kind.permission, "microphonePermissionDenied"), (.media, "audioError")] {
      var harness = try HablaHarness(.testLive, step: 2)
      harness.media(.failed(SessionError(kind, "no")))
      #expect(harness.failure?.code == code)
    }
  }

  @Test("an end in every step releases, and the call ends at the back end", arguments: 0...5)
  func endInEveryStep(step: Int) throws {
    for call in [HablaCall.testLive, .testAgent] {
      var harness = try HablaHarness(call, step: step)
      _ = harness.news()
      harness.tell(.command(.end))
      harness.tell(.command(.end))
      #expect(harness.state == .ended(.local))
      #expect(harness.actions.releases() == 1)
      if step == 1 {
        // The call is named only now, and nobody wants it.
        harness.answer(.initiate, ["call_sid": "CA9"])
        #expect(harness.actions.opens().isEmpty)
        #expect(harness.actions.endRequests.first?.hasSuffix("call/CA9/end") == true)
      } else {
        #expect(harness.actions.endRequests.count == (step == 0 ? 0 : 1))
      }
      harness.tell(.released)
      harness.answer(.initiate, ["call_sid": "CA10"])
      guard case .released = harness.actions.events().last else {
        Issue.record("the last event is not released")
        continue
      }
      #expect(harness.actions.endRequests.count <= 1)
    }
  }

  @Test("a session is started once")
  func twoStarts() throws {
    var harness = try HablaHarness(.testLive, step: 1)
    #expect(throws: SessionError.self) { try harness.perform(.start) }
    #expect(harness.actions.requests().count == 1)
    harness.tell(.command(.end))
    #expect(throws: SessionError.self) { try harness.perform(.start) }
  }

  @Test("what a live call cannot do is refused")
  func refusedCommands() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    let before = harness.actions.count
    for command: SessionCommand<HablaDialect.Command> in [
      .sendText("x"), .hold(true), .pressKeys("1"), .toolResult(id: "", result: "", isError: false), .own(.endCall),
    ] {
      #expect(throws: SessionError.self) { try harness.perform(command) }
    }
    #expect(harness.actions.count == before)
  }
}
