import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Telnyx: conversation")
struct TelnyxConversationTests {
  private static func user(_ id: String, _ content: JSON, status: String = "completed") -> JSON {
    [
      "type": "conversation.item.created",
      "item": ["id": .string(id), "type": "message", "role": "user", "status": .string(status), "content": content],
    ]
  }

  private static func delta(_ text: String, _ item: String = "a1") -> JSON {
    ["type": "response.text.delta", "delta": .string(text), "item_id": .string(item), "response_id": "r1"]
  }

  private func texts(_ run: TelnyxRun) -> [String: String] {
    run.core.ownState.transcript.items.mapValues(\.text)
  }

  @Test(
    "shapes of what the user said",
    arguments: [
      ("hello", "hello"), ([["type": "input_audio", "transcript": "hello"]], "hello"),
      ([["type": "text", "text": "hello"]], "hello"),
      ([["type": "text", "text": "look"], ["type": "image_url", "image_url": ["url": "https://x/y.png"]]], "look"),
    ] as [(JSON, String)])
  func userShapes(content: JSON, text: String) throws {
    var run = try TelnyxRun.inCall()
    run.converse(Self.user("u1", content))
    let item = try #require(run.actions.transcripts().last)
    #expect((item.id, item.role, item.text, item.isFinal) == ("u1", .user, text, true))
  }

  @Test("a user's item is replaced until it is complete; older versions that come late do not count")
  func userMerge() throws {
    var run = try TelnyxRun.inCall()
    run.converse(Self.user("u1", "he", status: "in_progress"))
    run.converse(Self.user("u1", "hello"))
    run.converse(Self.user("u1", "hel", status: "in_progress"))
    run.converse(Self.user("u1", "hello"))
    #expect(run.actions.transcripts().map(\.text) == ["he", "hello"])
    #expect(run.actions.transcripts().map(\.isFinal) == [false, true])
    run.converse(["type": "conversation.item.created", "item": ["id": "s", "role": "system", "content": "x"]])
    #expect(texts(run).count == 1)
  }

  @Test("the agent's words grow by item, and are final when the answer is")
  func deltas() throws {
    var run = try TelnyxRun.inCall()
    for text in ["Good", " day", "!"] { run.converse(Self.delta(text)) }
    run.converse(Self.delta("More", "a2"))
    #expect(run.actions.transcripts().map(\.text) == ["Good", "Good day", "Good day!", "More"])
    #expect(run.actions.transcripts().allSatisfy { !$0.isFinal && $0.role == .agent })
    run.converse(["type": "response.done"])
    #expect(run.actions.transcripts().suffix(2).map(\.isFinal) == [true, true])
  }

  @Test("a frame that comes twice counts once, in any order of the others")
  func repeatedFrames() throws {
    var random = SeededRandom(seed: 7)
    let deltas = ["one ", "two ", "three"]
    for _ in 0..<50 {
      var run = try TelnyxRun.inCall()
      var frames: [(id: String, params: JSON)] = [
        ("f1", Self.user("u1", "he", status: "in_progress")), ("f2", Self.user("u1", "hello")),
        ("f3", Self.user("u2", "bye")),
      ]
      frames += frames
      for index in frames.indices.reversed() { frames.swapAt(index, Int.random(in: 0...index, using: &random)) }
      // The agent's pieces have no number of their own, so only their order makes sense of them; each comes twice.
      for (index, delta) in deltas.enumerated() {
        for _ in 0..<2 { frames.append(("d\(index)", Self.delta(delta))) }
      }
      for frame in frames { run.converse(frame.params, id: frame.id) }
      #expect(texts(run) == ["u1": "hello", "u2": "bye", "a1": "one two three"])
    }
  }

  @Test("what is written stands at once, and the server's copy does not double it")
  func localEcho() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    try run.perform(.sendText("hi there"))
    let news = run.news()
    let frame = try #require(news.sent().last)
    let id = try #require(frame["params"]["item"]["id"].string)
    #expect(
      frame["params"] == [
        "type": "conversation.item.create",
        "item": [
          "id": .string(id), "type": "message", "role": "user",
          "content": [["type": "input_text", "text": "hi there"]],
        ],
      ])
    #expect(news.transcripts().map(\.text) == ["hi there"])
    run.converse(Self.user(id, [["type": "text", "text": "hi there"]]))
    #expect(run.news().transcripts().isEmpty)
    #expect(texts(run).count == 1)
  }

  @Test("pictures go along in base64, and the agent is said to look at them")
  func images() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    try run.perform(.own(.show([TelnyxImage(base64Data: "QUJD")], text: "what is this?")))
    let news = run.news()
    #expect(news.statuses() == [.processingImage])
    let content = try #require(news.sent().last?["params"]["item"]["content"])
    #expect(
      content == [
        ["type": "input_text", "text": "what is this?"],
        ["type": "image_url", "image_url": ["url": "data:image/jpeg;base64,QUJD"]],
      ])
    let images: [TelnyxDialect.Notice] = news.notices().filter { if case .images = $0 { true } else { false } }
    #expect(images.count == 1)
  }

  @Test(
    "agent status by event",
    arguments: [
      ("conversation.item.created", [WidgetAgentStatus.thinking]), ("response.created", [.waiting]),
      ("response.text.delta", [.waiting]), ("response.done", [.idle]), ("response.text.done", [.idle]),
      ("response.audio.delta", []), ("session.updated", []),
    ])
  func status(type: String, expected: [WidgetAgentStatus]) throws {
    var run = try TelnyxRun.inCall()
    run.converse(["type": .string(type)])
    #expect(run.actions.statuses() == expected)
  }

  @Test(
    "other shapes of a transcript", arguments: ["transcription", "transcript", "transcriptions", "events", "messages"])
  func otherShapes(key: String) throws {
    var run = try TelnyxRun.inCall()
    let item: JSON = [
      "id": "x1", "speaker": "agent", "text": "Good day", "isFinal": false, "timestamp": "2026-08-13T12:00:00.5Z",
    ]
    switch key {
    case "transcriptions": run.converse([key: [item]])
    case "events", "messages": run.converse(["conversation": [key: [item]]])
    default: run.converse([key: item])
    }
    let read = try #require(run.actions.transcripts().last)
    #expect((read.id, read.role, read.text, read.isFinal) == ("x1", .agent, "Good day", false))
    #expect(abs(read.timestamp.timeIntervalSince1970 - 1_786_622_400.5) < 0.001)
  }

  @Test("a function call is told once, and answered once, without an id")
  func functionCall() throws {
    var run = try TelnyxRun.inCall()
    let call: JSON = [
      "type": "conversation.item.created",
      "item": ["type": "function_call", "call_id": "c1", "name": "weather", "arguments": #"{"city":"Oslo"}"#],
    ]
    run.converse(call)
    run.converse(call)
    let calls: [ToolCall] = run.actions.events().compactMap { if case .toolCall(let call) = $0 { call } else { nil } }
    #expect(calls == [ToolCall(id: "c1", name: "weather", arguments: #"{"city":"Oslo"}"#)])
    #expect(throws: SessionError.self) { try run.perform(.toolResult(id: "c2", result: "", isError: false)) }
    try run.perform(.toolResult(id: "c1", result: "rain", isError: false))
    #expect(
      run.actions.sent().last == [
        "jsonrpc": "2.0", "method": "ai_conversation",
        "params": [
          "type": "conversation.item.create",
          "item": ["type": "function_call_output", "call_id": "c1", "output": "rain"],
        ],
      ])
  }

  @Test("settings in each of their places, with what is missing or wrong left out")
  func settings() throws {
    var run = try TelnyxRun.registered()
    let values: JSON = [
      "start_call_text": "Talk to us", "theme": 7, "audio_visualizer_config": ["enabled": true, "color": "bloom"],
      "unknown": [1, 2],
    ]
    run.converse(["type": "widget_settings", "widget_settings": values])
    run.converse(["ui_config": values])
    run.converse(["assistant_config": ["widget": values]])
    run.converse(["type": "widget_settings", "widget_settings": "none"])
    let settings: [WidgetSettings] = run.actions.notices().compactMap {
      if case .settings(let settings) = $0 { settings } else { nil }
    }
    var expected = WidgetSettings()
    expected.startCallText = "Talk to us"
    expected.audioVisualizer = WidgetSettings.AudioVisualizer()
    expected.audioVisualizer?.isEnabled = true
    expected.audioVisualizer?.color = "bloom"
    #expect(settings == [expected, expected, expected])
  }

  @Test("any part of the settings may be missing")
  func partialSettings() {
    let full: [String: JSON] = [
      "agent_thinking_text": "a", "default_state": "b", "give_feedback_url": "c", "logo_icon_url": "d", "position": "e",
      "report_issue_url": "f", "speak_to_interrupt_text": "g", "start_call_text": "h", "theme": "i",
      "view_history_url": "j",
    ]
    var random = SeededRandom(seed: 3)
    for _ in 0..<200 {
      let part = full.filter { _ in Bool.random(using: &random) }
      let read = WidgetSettings(.object(part))
      let values = [
        read.agentThinkingText, read.defaultState, read.giveFeedbackURL, read.logoIconURL, read.position,
        read.reportIssueURL, read.speakToInterruptText, read.startCallText, read.theme, read.viewHistoryURL,
      ]
      #expect(Set(values.compactMap(\.self)) == Set(part.values.compactMap(\.string)))
    }
  }

  @Test("a new call begins with an empty transcript, and text outside a call is refused")
  func scope() throws {
    var run = try TelnyxRun.inCall()
    run.converse(Self.user("u1", "hello"))
    try run.perform(.own(.hangUp))
    #expect(throws: SessionError.self) { try run.perform(.sendText("anyone?")) }
    run.converse(Self.user("u2", "late"))
    try run.callUp()
    #expect(texts(run).isEmpty)
  }
}
