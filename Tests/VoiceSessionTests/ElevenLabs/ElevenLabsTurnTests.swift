import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("ElevenLabs: turns and words") struct ElevenLabsTurnTests {
  @Test func anInterruptionVoidsItsTurnAndAllBefore() throws {
    var harness = try ElevenLabsHarness.active()
    harness.audio([1, 0], turn: 4)
    harness.audio([2, 0], turn: 5)
    harness.media(.playout(SessionPlayout(item: 2, milliseconds: 1_240)))
    _ = harness.news()
    harness.receive(["type": "interruption", "interruption_event": ["event_id": 5]])
    let news = harness.news()
    #expect(news.media() == [.flush(upTo: 2)])
    guard
      case .interruption(let told)? = news.events().first(where: { if case .interruption = $0 { true } else { false } })
    else {
      Issue.record("no interruption")
      return
    }
    #expect(told == AgentInterruption(turn: 5, heardMilliseconds: 1_240))
    harness.audio([3, 0], turn: 5)
    harness.audio([3, 0], turn: 4)
    #expect(harness.news().media().isEmpty, "what comes late of a cut turn may not sound")
    harness.audio([4, 0], turn: 6)
    #expect(harness.news().media() == [.play([4, 0], item: 3)])
    harness.receive([
      "type": "agent_response_correction",
      "agent_response_correction_event": [
        "original_agent_response": "We open at nine.", "corrected_agent_response": "We open", "event_id": 5,
      ],
    ])
    #expect(harness.news().transcripts().map(\.text) == ["We open"])
  }

  @Test func charactersAreToldWhenTheyAreHeard() throws {
    var harness = try ElevenLabsHarness.active()
    let alignment: JSON = [
      "chars": ["H", "i", "!"], "char_start_times_ms": [0, 50, 100], "char_durations_ms": [50, 50, 50],
    ]
    harness.audio([UInt8](repeating: 0, count: 3_200), turn: 1, alignment: alignment)  // 100 ms
    harness.audio([UInt8](repeating: 0, count: 3_200), turn: 1, alignment: alignment)
    _ = harness.news()
    func spoken(at milliseconds: Double) -> String {
      harness.media(.playout(SessionPlayout(item: 1, milliseconds: milliseconds)))
      return harness.news().events().compactMap { if case .spoken(let text) = $0 { text.text } else { nil } }.joined()
    }
    #expect(spoken(at: 20) == "H")
    #expect(spoken(at: 49) == "")
    #expect(spoken(at: 50) == "i")
    #expect(spoken(at: 151) == "!Hi")
    #expect(spoken(at: 400) == "!")
    #expect(spoken(at: 800) == "")
  }

  @Test func aRepeatedTranscriptReplacesAndPartsAreJoined() throws {
    var harness = try ElevenLabsHarness.active()
    func user(_ text: String) -> JSON {
      ["type": "user_transcript", "user_transcription_event": ["user_transcript": .string(text), "event_id": 3]]
    }
    harness.receive(user("what are"))
    harness.receive(user("what are your hours"))
    let users = harness.news().transcripts()
    #expect(Set(users.map(\.id)).count == 1 && users.last?.text == "what are your hours")
    for (kind, text) in [("start", "We "), ("delta", "open "), ("stop", "now")] {
      harness.receive([
        "type": "agent_chat_response_part",
        "text_response_part": ["text": .string(text), "type": .string(kind), "event_id": 4],
      ])
    }
    let parts = harness.news().transcripts()
    #expect(parts.map(\.text) == ["We ", "We open ", "We open now"])
    #expect(parts.map(\.isFinal) == [false, false, true])
  }

  @Test func toolsAreAskedForOnceAndEndCallEnds() throws {
    var harness = try ElevenLabsHarness.active()
    let call: JSON = [
      "type": "client_tool_call",
      "client_tool_call": [
        "tool_name": "get_weather", "tool_call_id": "t1", "parameters": ["city": "Lima"], "event_id": 2,
      ],
    ]
    harness.receive(call)
    harness.receive(call)
    let calls = harness.news().events().compactMap { if case .toolCall(let call) = $0 { call } else { nil } }
    #expect(calls == [ToolCall(id: "t1", name: "get_weather", arguments: #"{"city":"Lima"}"#)])
    harness.receive([
      "type": "agent_tool_response",
      "agent_tool_response": ["tool_name": "end_call", "tool_call_id": "t2", "tool_type": "system", "is_error": false],
    ])
    #expect(harness.state == .ended(.local))
  }

  @Test func theAgentSpeaksWhileItIsHeardAndASecondLonger() throws {
    var harness = try ElevenLabsHarness.active()
    harness.media(.playout(SessionPlayout(item: 1, milliseconds: 0)))
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(nil))
    harness.pass(seconds: 0.9)
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(SessionPlayout(item: 1, milliseconds: 20)))
    harness.pass(seconds: 5)
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(nil))
    harness.pass(seconds: 1.01)
    #expect(harness.core.agentState == .listening)
    harness.receive([
      "type": "agent_tool_request",
      "agent_tool_request": ["tool_name": "x", "tool_call_id": "1", "tool_type": "client"],
    ])
    #expect(harness.core.agentState == .thinking)
  }

  @Test func theServersEventsCanTellWhatTheAgentDoes() throws {
    var harness = try ElevenLabsHarness.active(ConversationConfig(agentState: .events))
    func vad(_ score: Double) {
      harness.receive(["type": "vad_score", "vad_score_event": ["vad_score": .number(score)]])
    }
    vad(0.2)
    harness.pass(seconds: 0.06)
    #expect(harness.core.agentState == .thinking)
    vad(0.9)
    harness.pass(seconds: 0.14)
    #expect(harness.core.agentState == .thinking)
    harness.pass(seconds: 0.02)
    #expect(harness.core.agentState == .listening)
    harness.receive(["type": "agent_response", "agent_response_event": ["agent_response": "Yes", "event_id": 1]])
    #expect(harness.core.agentState == .speaking)
    vad(0.1)
    harness.pass(seconds: 1)
    #expect(harness.core.agentState == .speaking)
    harness.receive(["type": "interruption", "interruption_event": ["event_id": 1]])
    #expect(harness.core.agentState == .listening)
  }

  @Test(arguments: [(-40.0, 0), (-30.0, 2)]) func speechIntoAMutedMicrophoneIsTold(level: Double, times: Int) throws {
    var harness = try ElevenLabsHarness.active()
    func speak(seconds: Double) -> Int {
      for _ in 0..<Int(seconds * 50) {
        harness.media(.microphoneLevel(level))
        harness.pass(seconds: 0.02)
      }
      return harness.news().events().count { if case .notice(.mutedSpeech) = $0 { true } else { false } }
    }
    #expect(speak(seconds: 1) == 0, "not muted")
    try harness.perform(.mute(true))
    var told = speak(seconds: 4)
    #expect(told == min(1, times))
    for _ in 0..<3 { harness.media(.microphoneLevel(-80)) }
    told += speak(seconds: 1)
    #expect(told == times)
  }

  @Test func feedbackIsPossibleOncePerAnswer() throws {
    var harness = try ElevenLabsHarness.active()
    func can() -> [Bool] {
      harness.news().events().compactMap { if case .notice(.canSendFeedback(let can)) = $0 { can } else { nil } }
    }
    let answer: JSON = ["type": "agent_response", "agent_response_event": ["agent_response": "Yes", "event_id": 1]]
    harness.receive(answer)
    #expect(can() == [true])
    try harness.perform(.own(.feedback(isLike: true, eventID: 1)))
    #expect(can() == [false])
    harness.receive(answer)
    #expect(can() == [])
  }
}
