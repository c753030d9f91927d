import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

@Suite("ElevenLabs: whatever comes") struct ElevenLabsStormTests {
  static let texts: [String] = {
    let good: [JSON] = [
      ElevenLabsHarness.metadata(), ["type": "ping", "ping_event": ["event_id": 3]],
      ["type": "audio", "audio_event": ["audio_base_64": "AAAA", "event_id": 2]],
      ["type": "audio", "audio_event": ["audio_base_64": "AAAA", "event_id": 3, "is_final": true]],
      ["type": "interruption", "interruption_event": ["event_id": 2]],
      ["type": "user_transcript", "user_transcription_event": ["user_transcript": "hi", "event_id": 2]],
      ["type": "agent_response", "agent_response_event": ["agent_response": "hello", "event_id": 3]],
      ["type": "vad_score", "vad_score_event": ["vad_score": 0.8]],
      ["type": "client_tool_call", "client_tool_call": ["tool_name": "t", "tool_call_id": "1", "parameters": [:]]],
      ["type": "mcp_tool_call", "mcp_tool_call": ["service_id": "s", "tool_call_id": "m", "state": "loading"]],
      ["type": "client_error", "error_event": ["code": 1, "message": "m"]], ["type": "brand_new", "x": 1],
    ]
    let bad = [
      "", "{", "[]", "null", "\"text\"", #"{"type":7}"#, #"{"type":"audio"}"#, #"{"type":"audio","audio_event":[]}"#,
      #"{"type":"audio","audio_event":{"audio_base_64":"***","event_id":9}}"#,
      #"{"type":"audio","audio_event":{"audio_base_64":7,"event_id":"9"}}"#,
      #"{"type":"interruption","interruption_event":{"event_id":1e300}}"#,
      #"{"type":"vad_score","vad_score_event":{"vad_score":"high"}}"#,
      #"{"type":"ping"}"#, #"{"type":"ping","type":"audio"}"#,
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 2_000),
    ]
    return good.map(\.text) + bad
  }()

  @Test(arguments: 0..<40) func anythingInAnyOrder(seed: Int) {
    var storm = SessionStorm(
      ElevenLabsDialect(.open(id: "a"), host: ElevenLabsHost("http://127.0.0.1:1")), seed: UInt64(seed),
      commands: [
        .start, .sendText("hello"), .toolResult(id: "1", result: "r", isError: false), .hold(true), .pressKeys("1"),
        .own(.userActivity), .own(.feedback(isLike: nil, eventID: 3)), .own(.approve(mcpCall: "m", false)),
      ],
      texts: Self.texts, sockets: [.conversation], requests: [.signedURL])
    storm.run(steps: 400)
  }

  @Test(.timeLimit(.minutes(5))) func aDayOfCalls() {
    var seconds = 0.0
    var seed: UInt64 = 1_000
    while seconds < 86_400 {
      var storm = SessionStorm(
        ElevenLabsDialect(.open(id: "a"), host: ElevenLabsHost("http://127.0.0.1:1")), seed: seed,
        commands: [.sendText("hello"), .toolResult(id: "1", result: "r", isError: false), .own(.userActivity)],
        texts: Array(Self.texts.dropLast(2)), sockets: [.conversation], mayEnd: false)
      storm.run(steps: 2_000)
      seconds += storm.harness.seconds
      seed += 1
    }
  }

  @Test func eachFieldMayBeMissing() throws {
    for text in Self.texts {
      guard let json = try? JSON(parsing: text), case .object(let members) = json else { continue }
      for key in members.keys {
        var harness = try ElevenLabsHarness.active()
        var without = members
        without[key] = nil
        harness.receive(.object(without))
        for (name, value) in members {
          guard case .object(let fields) = value else { continue }
          for field in fields.keys {
            var fewer = fields
            fewer[field] = nil
            var changed = members
            changed[name] = .object(fewer)
            harness.receive(.object(changed))
            fewer[field] = [1, ["x": .null]]
            changed[name] = .object(fewer)
            harness.receive(.object(changed))
          }
        }
        #expect(harness.state.isActive)
      }
    }
  }

  @Test func tenMegabytesOfText() throws {
    var harness = try ElevenLabsHarness.active()
    let text = String(repeating: "x", count: 10_000_000)
    harness.receive([
      "type": "agent_response", "agent_response_event": ["agent_response": .string(text), "event_id": 1],
    ])
    #expect(harness.news().transcripts().first?.text.utf8.count == 10_000_000)
  }
}
