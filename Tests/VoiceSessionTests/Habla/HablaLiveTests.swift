import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Habla's live calls")
struct HablaLiveTests {
  @Test("sound in messages of any size is one stream of bytes, in whole samples")
  func anySizes() throws {
    var random = SeededRandom(seed: 7)
    var harness = try HablaHarness(.testLive, step: 5)
    var sent: [UInt8] = []
    for size in [1, 1, 1, 2, 3, 640, 641, 9_999, 10_000]
      + (0..<200).map({ _ in Int.random(in: 1...10_000, using: &random) })
    {
      let bytes = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      sent += bytes
      harness.receive(bytes, from: .call)
      if size % 7 == 0 { harness.pass(seconds: 1.5) }
    }
    let played = harness.actions.speech
    #expect(played.count == sent.count / 2 * 2)
    #expect(played.elementsEqual(sent.prefix(played.count)))
    for case .play(let bytes, _) in harness.actions.media() { #expect(bytes.count % 2 == 0) }
  }

  @Test("an empty message changes nothing")
  func emptyMessage() throws {
    var harness = try HablaHarness(.testLive, step: 3)
    harness.receive([], from: .call)
    #expect(harness.state == .connecting)
  }

  @Test("the far end is receiving until 300 ms behind its last sound, or until it is interrupted")
  func receiving() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive([0, 0], from: .call)
    harness.pass(seconds: 0.25)
    harness.receive([0, 0], from: .call)
    harness.pass(seconds: 0.29)
    #expect(harness.actions.hablaNotices.last == .phase(.speaking))
    harness.pass(seconds: 0.02)
    #expect(harness.actions.hablaNotices.suffix(2) == [.receiving(false), .phase(.translating)])
    harness.receive([0, 0], from: .call)
    harness.receive(["type": "interrupted"], from: .call)
    #expect(harness.actions.hablaNotices.suffix(2) == [.receiving(false), .phase(.translating)])
    let before = harness.actions.hablaNotices.count
    harness.pass(seconds: 0.5)
    #expect(
      harness.actions.hablaNotices.dropFirst(before).allSatisfy { if case .duration = $0 { true } else { false } })
  }

  @Test("an interruption silences all turns so far, and only those")
  func interruption() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive([1, 1], from: .call)
    harness.pass(seconds: 2)
    harness.receive([2, 2], from: .call)
    _ = harness.news()
    harness.media(.playout(SessionPlayout(item: 3, milliseconds: 120)))
    harness.receive(["type": "interrupted"], from: .call)
    harness.receive([3, 3], from: .call)
    let news = harness.news()
    // Turn 1 was the tone.
    #expect(news.media() == [.flush(upTo: 3), .play([3, 3], item: 4)])
    let told = news.events().compactMap { if case .interruption(let told) = $0 { told } else { nil } }
    #expect(told == [AgentInterruption(turn: nil, heardMilliseconds: 120)])
  }

  @Test("an interruption in the middle of a sample")
  func interruptionInASample() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive([1, 2, 3], from: .call)
    harness.receive(["type": "interrupted"], from: .call)
    harness.receive([4, 5, 6], from: .call)
    #expect(harness.actions.speech == [1, 2, 3, 4, 5, 6])
  }

  @Test("the tone is on until the far end is heard, and is cut then")
  func tone() throws {
    var harness = try HablaHarness(.testLive, step: 4)
    harness.pass(seconds: 4.1)
    #expect(harness.actions.tones == 3)
    _ = harness.news()
    harness.receive([1, 2], from: .call)
    #expect(harness.news().media() == [.flush(upTo: 3), .play([1, 2], item: 4)])
    harness.pass(seconds: 10)
    #expect(harness.actions.tones == 3)
    var silent = try HablaHarness(.testLive, step: 4) { $0.playsProgressTone = false }
    silent.pass(seconds: 10)
    #expect(silent.actions.tones == 0)
    var connected = try HablaHarness(.testLive, step: 5)
    connected.pass(seconds: 10)
    #expect(connected.actions.tones == 1)
  }

  @Test("a turn ends a second behind its last sound")
  func turns() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    _ = harness.news()
    for pause in [0.2, 0.9, 0.4, 1.1, 0.1] {
      harness.receive([0, 0], from: .call)
      harness.pass(seconds: pause)
    }
    #expect(
      harness.news().media() == [
        .play([0, 0], item: 2), .play([0, 0], item: 2), .play([0, 0], item: 2), .play([0, 0], item: 2),
        .finish(item: 2),
        .play([0, 0], item: 3),
      ])
  }

  @Test(
    "muted: no packets, or silence, from the moment on",
    arguments: [HablaSessionSettings.MutedMicrophone.nothing, .silence])
  func mute(policy: HablaSessionSettings.MutedMicrophone) throws {
    // Before the call.
    var harness = HablaHarness(.testLive) { $0.mutedMicrophone = policy }
    try harness.perform(.mute(true))
    try harness.perform(.start)
    harness.answer(.initiate, ["call_sid": "CA1"])
    #expect(harness.actions.media().contains(.mute(true)))
    harness.open(.call)
    harness.status("connected")
    for _ in 0..<5 { harness.microphone(level: 0.5) }
    let zeros = [UInt8](repeating: 0, count: 640)
    #expect(harness.actions.sentBytes() == (policy == .silence ? [[UInt8]](repeating: zeros, count: 5) : []))
    #expect(harness.core.ownState.inputLevel == 0)
    // And in its middle: a packet that was on its way is held back too.
    try harness.perform(.mute(false))
    harness.microphone(level: 0.5)
    #expect(harness.actions.sentBytes().last?.contains { $0 != 0 } == true)
    let before = harness.actions.sentBytes().count { $0 != zeros }
    try harness.perform(.mute(true))
    harness.microphone(level: 0.5)
    #expect(harness.actions.sentBytes().count { $0 != zeros } == before)
  }

  @Test("of two who mute, both must agree to unmute")
  func twoMutes() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    try harness.perform(.mute(true))
    try harness.perform(.systemMute(true))
    try harness.perform(.mute(false))
    harness.microphone(level: 0.5)
    #expect(harness.actions.sentBytes().isEmpty)
    try harness.perform(.systemMute(false))
    harness.microphone(level: 0.5)
    #expect(harness.actions.sentBytes().count == 1)
  }

  @Test("nothing but sound is ever sent: a text would break the back end's loop")
  func noTexts() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    for _ in 0..<10 { harness.microphone(level: 0.2) }
    harness.receive(["type": "critical_confirmation", "fact_type": "amount", "prompt_en": "Is it 15?"], from: .call)
    harness.tell(.command(.end))
    #expect(harness.actions.sent().isEmpty)
    #expect(harness.actions.sentBytes().allSatisfy { $0.count == 640 })
  }

  @Test("what is said on both sides")
  func transcripts() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive(["type": "transcription", "text": "What time do you close?"], from: .call)
    harness.receive(["type": "translation", "text": "¿A qué hora cierran?"], from: .call)
    harness.receive(["type": "transcription", "text": "What time do you close?"], from: .call)
    let items = harness.actions.transcripts()
    #expect(items.map(\.role) == [.user, .agent, .user])
    #expect(items.map(\.text) == ["What time do you close?", "¿A qué hora cierran?", "What time do you close?"])
    #expect(Set(items.map(\.id)).count == 3)
  }

  // MARK: the phase

  @Test(
    "the phase after each change",
    arguments: [
      // before, connected, receiving, level, after
      (HablaLivePhase.speaking, false, true, 0.9, HablaLivePhase.idle), (.idle, true, true, 0.9, .speaking),
      (.listening, true, true, 0, .speaking), (.idle, true, false, 0, .listening),
      (.idle, true, false, 0.05, .listening),
      (.listening, true, false, 0.05, .listening), (.listening, true, false, 0.0499, .translating),
      (.translating, true, false, 0, .translating), (.translating, true, false, 0.05, .listening),
      (.speaking, true, false, 0, .translating), (.speaking, true, false, 0.05, .listening),
    ])
  func phases(before: HablaLivePhase, isConnected: Bool, isReceiving: Bool, level: Double, after: HablaLivePhase) {
    #expect(
      HablaLivePhase.next(after: before, isConnected: isConnected, isReceiving: isReceiving, level: level) == after)
  }

  @Test("a conversation's phases, and the agent's states that go with them")
  func phaseSequence() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.microphone(level: 0.3)
    harness.microphone(level: 0)
    harness.receive([0, 0], from: .call)
    harness.microphone(level: 0.3)
    harness.pass(seconds: 0.3)
    harness.microphone(level: 0)
    harness.status("ended")
    #expect(harness.actions.phases == [.listening, .translating, .speaking, .listening, .translating, .idle])
    #expect(harness.actions.agentStates() == [.thinking, .speaking, .listening, .thinking])
  }

  @Test("the scalar level of a sine of known RMS")
  func level() {
    for amplitude in [0.01, 0.1, 0.3, 1.0] {
      let packet = (0..<320).flatMap { index -> [UInt8] in
        let value = Int16(amplitude * 32_767 * sin(2 * .pi * 500 * Double(index) / 16_000))
        return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
      }
      #expect(abs(Double(hablaLevelOf: packet) - min(1, 3 * amplitude / 2.0.squareRoot())) < 0.001)
    }
    #expect(Double(hablaLevelOf: []) == 0)
    #expect(Double(hablaLevelOf: [1]) == 0)
  }
}
