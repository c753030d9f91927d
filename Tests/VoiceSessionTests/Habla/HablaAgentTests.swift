import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Habla's agent calls")
struct HablaAgentTests {
  @Test("the call, without any sound of ours")
  func call() throws {
    var harness = try HablaHarness(.testAgent, step: 5)
    #expect(harness.actions.opens().map(\.url) == ["ws://127.0.0.1:9/agent/ws/CA1"])
    #expect(harness.actions.media().isEmpty)
    for state in ["listening", "thinking", "Speaking", "dreaming"] {
      harness.receive(["type": "agent_status", "status": .string(state)], from: .call)
    }
    harness.receive([1, 2, 3], from: .call)
    #expect(harness.actions.agentStates() == [.thinking, .speaking])
    harness.tell(.command(.end))
    #expect(harness.actions.endRequests == ["http://127.0.0.1:9/agent/call/CA1/end"])
    #expect(harness.actions.phases.isEmpty)
  }

  @Test("what the user wants said goes out in order, at the latest when there is a socket")
  func steering() throws {
    var harness = HablaHarness(.testAgent)
    try harness.perform(.start)
    try harness.perform(.sendText("one"))
    harness.answer(.initiate, ["call_sid": "CA1"])
    try harness.perform(.sendText("two"))
    harness.open(.call)
    try harness.perform(.sendText("three"))
    try harness.perform(.own(.endConversation("Say goodbye")))
    try harness.perform(.own(.endCall))
    #expect(
      harness.actions.sent() == [
        ["type": "instruction", "text": "one"], ["type": "instruction", "text": "two"],
        ["type": "instruction", "text": "three"], ["type": "end_conversation", "text": "Say goodbye"],
        ["type": "end_call"],
      ])
    harness.tell(.command(.end))
    #expect(throws: SessionError.self) { try harness.perform(.sendText("late")) }
  }

  private static func entry(
    _ role: String, _ text: String, _ seconds: Double, english: String? = nil, type: String = "transcript"
  ) -> JSON {
    .object(compact: [
      "type": .string(type), "role": .string(role), "text_original": .string(text),
      "text_en": english.map(JSON.string) ?? JSON.null, "timestamp": .number(1_700_000_000 + seconds),
    ])
  }

  @Test(
    "which entries are the same",
    arguments: [
      // role, text and time beside agent, "Hola", 0; whether they are one
      ("agent", "Hola", 0.0, true), ("agent", "  hOLA\n", 1.9, true), ("agent", "Hola", -2, true),
      ("agent", "Hola", 2.1, false), ("callee", "Hola", 0, false), ("agent", "Hola!", 0, false),
    ])
  func mergeRule(role: String, text: String, seconds: Double, isSame: Bool) throws {
    var harness = try HablaHarness(.testAgent, step: 3)
    harness.receive(Self.entry("agent", "Hola", 0, english: "Hello"), from: .call)
    harness.receive(Self.entry(role, text, seconds), from: .call)
    let items = harness.actions.transcripts()
    #expect(Set(items.map(\.id)).count == (isSame ? 1 : 2))
    if isSame, items.count == 2 {
      #expect(items[1].text == text)
      #expect(items[1].timestamp == items[0].timestamp)
      #expect(items[1].translation == "Hello")
    }
  }

  @Test("an update brings the translation, and a missing one takes none away")
  func update() throws {
    var harness = try HablaHarness(.testAgent, step: 3)
    harness.receive(Self.entry("agent", "Hola", 0), from: .call)
    harness.receive(Self.entry("agent", "Hola", 0, english: "Hello", type: "transcript_update"), from: .call)
    harness.receive(Self.entry("agent", "Hola", 0), from: .call)
    let items = harness.actions.transcripts()
    #expect(items.map(\.translation) == [nil, "Hello"])
    #expect(items.map(\.id) == ["1", "1"])
  }

  @Test("a replay in any order, any number of times, gives the same transcript", arguments: 0..<50)
  func replay(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let said = (0..<12).map { number in
      (number % 2 == 0 ? "agent" : "callee", "turn \(number / 4)", Double(number) * 3)
    }
    var harness = try HablaHarness(.testAgent, step: 3)
    for (role, text, time) in said.shuffled(using: &random) {
      harness.receive(Self.entry(role, text, time), from: .call)
    }
    for _ in 0..<3 {
      for (role, text, time) in said.shuffled(using: &random) {
        harness.receive(
          Self.entry(role, text, time, english: Bool.random(using: &random) ? "EN" : nil), from: .call)
      }
    }
    let items = harness.actions.transcripts()
    let last = Dictionary(items.map { ($0.id, $0) }) { $1 }
    #expect(last.count == said.count, "seed \(seed)")
    let times = Set(last.values.map { $0.timestamp.timeIntervalSince1970 - 1_700_000_000 })
    #expect(times == Set(said.map(\.2)), "seed \(seed)")
    for item in items where item.translation == nil {
      let later = items.last { $0.id == item.id }
      #expect(later != nil)
    }
    #expect(
      Set(items.filter { $0.translation == "EN" }.map(\.id)).isSubset(
        of: last.filter { $0.value.translation == "EN" }.keys))
  }

  @Test(
    "times of several kinds are the same moment",
    arguments: [
      "1700000000.5", "\"2023-11-14T22:13:20.5Z\"", "\"2023-11-14T22:13:20.500000+00:00\"",
      "\"2023-11-14T23:13:20.500+01:00\"", "\"2023-11-14T22:13:20.5\"", "\"2023-11-14 22:13:20.5\"",
    ])
  func timestamps(text: String) throws {
    let date = try #require(try Date(habla: JSON(parsing: "[\(text)]")[0]), "\(text)")
    #expect(abs(date.timeIntervalSince1970 - 1_700_000_000.5) < 0.001)
  }

  @Test("times that are none", arguments: ["null", "true", "\"\"", "\"yesterday\"", "1e300", "{}"])
  func noTimestamps(text: String) throws {
    #expect(try Date(habla: JSON(parsing: "[\(text)]")[0]) == nil)
  }

  @Test("facts: verified first, then the surer, then the more often said", arguments: 0..<20)
  func facts(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let sorted: [JSON] = [
      ["type": "a", "value": "1", "confidence": 0.5, "verified": true, "occurrences": 1],
      ["type": "b", "value": "2", "confidence": 0.4, "verified": true, "occurrences": 9],
      ["type": "c", "value": "3", "confidence": 0.9, "verified": false, "occurrences": 2],
      ["type": "d", "value": "4", "confidence": 0.9, "verified": false, "occurrences": 1, "last_role": "callee"],
      ["type": "e", "value": "5"],
    ]
    var harness = try HablaHarness(.testAgent, step: 3)
    let mixed = sorted.shuffled(using: &random) + [["type": "f"], "nonsense", ["value": "x"]]
    harness.receive(["type": "verified_facts_summary", "facts": .array(mixed)], from: .call)
    guard case .facts(let facts) = harness.actions.hablaNotices.last else { return #expect(Bool(false)) }
    #expect(facts.map(\.type) == ["a", "b", "c", "d", "e"])
  }

  @Test("a socket that was lost is attached again; what is said meanwhile is kept")
  func reattachment() throws {
    var harness = try HablaHarness(.testAgent, step: 5)
    harness.receive(Self.entry("agent", "Hola", 0), from: .call)
    harness.close(.call)
    #expect(harness.state == .active([.reconnecting]))
    try harness.perform(.sendText("wait"))
    harness.pass(seconds: 1)
    harness.close(.call, wasOpen: false)
    harness.pass(seconds: 1.9)
    #expect(harness.actions.opens().count == 2)
    harness.pass(seconds: 0.2)
    harness.open(.call)
    #expect(harness.state == .active([]))
    #expect(harness.actions.sent() == [["type": "instruction", "text": "wait"]])
    harness.receive(Self.entry("agent", "Hola", 0), from: .call)
    #expect(harness.actions.transcripts().count == 1)
    harness.close(.call)
    for pause in [1.0, 2, 4] {
      #expect(harness.state == .active([.reconnecting]))
      harness.pass(seconds: pause)
      harness.close(.call, wasOpen: false)
    }
    #expect(harness.failure?.code == "webSocketError")
    #expect(harness.actions.endRequests.count == 1)
  }
}
