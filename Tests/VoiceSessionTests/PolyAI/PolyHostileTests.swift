import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("PolyAI: what should not be said, and any order of what may")
struct PolyHostileTests {
  @Test("wrong types and missing keys on the messaging socket")
  func wrongTypes() throws {
    let names = [
      "SESSION_START", "SESSION_END", "HEARTBEAT", "USER_MESSAGE", "POLY_AGENT_MESSAGE", "POLY_AGENT_MESSAGE_CHUNK",
      "POLY_AGENT_JOINED", "POLY_AGENT_THINKING", "EVENT_BATCH", "LIVE_AGENT_MESSAGE", "NEWS",
    ]
    let values: [JSON] = [.null, true, 7, -1, 1e300, "x", [], [[]], [:], [7]]
    for name in names {
      for value in values {
        for key in ["", "capabilities", "message_id", "text", "chunk_index", "events", "reason"] {
          var run = try PolyRun.at(.connected)
          run.message(name, key.isEmpty ? value : ["message_id": "m", "text": "t", .init(key): value])
          run.receive(
            ["type": .string("EVENT_TYPE_" + name), "payload": value, "sequence": value, "id": value], from: .messaging)
          #expect(run.state == .active([]))
        }
      }
    }
  }

  @Test(
    "what is no event",
    arguments: ["", "{", "[]", "{\"type\":7}", "{\"type\":\"x\"}", String(repeating: "[", count: 50_000)])
  func noEvents(text: String) throws {
    var run = try PolyRun.at(.connected)
    _ = run.news()
    run.receive(text, from: .messaging)
    #expect(run.news().isEmpty)
  }

  @Test func noSecretInAnyError() throws {
    for error in [PolyError.auth(.unauthorized), .auth(.tokenAcquisitionFailed), .transport(.networkError)] {
      #expect(!"\(SessionError(error))".contains("connector secret"))
    }
    var run = try PolyRun.at(.started)
    run.answer(.token, status: 401, ["error": "connector is wrong"])
    #expect(!"\(run.state)".contains("connector is"))
  }

  @Test("plain addresses beyond this machine are refused")
  func encrypted() throws {
    var run = try PolyRun.call { configuration, options in
      configuration.environment = .custom(rest: "http://agent.example/api", messaging: "ws://agent.example/ws")
      options.signalingHost = "agent.example"
    }
    try run.perform(.start)
    guard case .invalidConfiguration = run.error else {
      Issue.record("\(run.state)")
      return
    }
  }

  @Test("storms of anything in any order", arguments: 0..<400)
  func storms(seed: Int) throws {
    let texts = [
      PolySample.answer.text, PolySample.remote("candidate:1").text, JSON.object(["type": "pong"]).text,
      PolyFrames.event("SESSION_START", ["capabilities": [:]]).text,
      PolyFrames.event("POLY_AGENT_MESSAGE", ["message_id": "a", "text": "t"]).text,
      PolyFrames.event("POLY_AGENT_THINKING").text, "{", "",
      JSON.object(["access_token": "at", "session_id": "ms", "expires_in": 0]).text,
      JSON.object(["iceServers": [["urls": "stun:s"]]]).text,
    ]
    var storm = SessionStorm(
      try PolyAIDialect(
        PolyConfiguration(apiKey: "k"), VoiceOptions(webrtcToken: "w"), identifiers: .counted, seed: UInt64(seed)),
      seed: UInt64(seed),
      commands: [.sendText("x"), .own(.tell(.typing)), .hold(true), .start], texts: texts,
      sockets: [.messaging, .signalling], requests: [.token, .session, .iceServers])
    storm.run(steps: 150)
  }
}
