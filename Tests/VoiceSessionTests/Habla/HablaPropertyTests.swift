import Networking
import TestSupport
import Testing

@testable import VoiceSession

/// Whatever comes, in whatever order.
@Suite("Habla under random interleavings")
struct HablaPropertyTests {
  @Test("states are legal, the end releases, nothing is told behind it", arguments: 0..<300)
  func interleavings(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let call = Bool.random(using: &random) ? HablaCall.testLive : .testAgent
    var harness = HablaHarness(call)
    for _ in 0..<Int.random(in: 5...120, using: &random) { Self.step(&harness, &random) }
    harness.tell(.command(.end))
    #expect(harness.state.isOver)
    let released = harness.actions.events().count
    for _ in 0..<20 { Self.step(&harness, &random) }
    #expect(harness.actions.events().count == released, "seed \(seed)")
    harness.tell(.released)
    for _ in 0..<20 { Self.step(&harness, &random) }
    Self.check(harness, seed)
  }

  private static func check(_ harness: HablaHarness, _ seed: UInt64) {
    let events = harness.actions.events()
    #expect(events.count { if case .released = $0 { true } else { false } } == 1, "seed \(seed)")
    if case .released = events.last {} else { Issue.record("seed \(seed): released is not the last") }
    #expect(harness.actions.releases() == 1)
    let states = harness.actions.states()
    for (one, next) in zip(states, states.dropFirst()) {
      #expect(next.rank > one.rank || (one.isActive && next.isActive), "seed \(seed): \(one) to \(next)")
    }
    #expect(states.count(where: \.isOver) == 1)
    var isConnected = false
    for event in events {
      switch event {
      case .state(let state): isConnected = state.isActive
      case .notice(.phase(let phase)): if phase != .idle { #expect(isConnected, "seed \(seed): \(phase)") }
      case .notice(.duration): #expect(isConnected, "seed \(seed)")
      default: break
      }
    }
    // A call that was named is ended at the back end at most once, and always when this end left it.
    #expect(harness.actions.endRequests.count <= 1, "seed \(seed)")
    if case .ended(.local) = harness.state, harness.core.ownState.callSID != nil {
      #expect(harness.actions.endRequests.count == 1, "seed \(seed)")
    }
    var newest = 0
    for action in harness.actions.media() {
      if case .play(_, let item) = action {
        #expect(item >= newest, "seed \(seed)")
        newest = item
      }
    }
  }

  private static func step(_ harness: inout HablaHarness, _ random: inout SeededRandom) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: try? harness.perform(.start)
    case 1: if Int.random(in: 0..<8, using: &random) == 0 { harness.tell(.command(.end)) }
    case 2: harness.answer(.initiate, ["call_sid": "CA1"])
    case 3:
      let statuses = [200, 401, 422, 500]
      if Int.random(in: 0..<6, using: &random) == 0 {
        harness.answer(.initiate, status: statuses.randomElement(using: &random)!)
      }
    case 4: harness.open(.call)
    case 5:
      if Int.random(in: 0..<4, using: &random) == 0 {
        let codes: [Int?] = [nil, 1000, 1001, 1008, 1011, 4004]
        harness.close(.call, code: codes.randomElement(using: &random)!, wasOpen: .random(using: &random))
      }
    case 6:
      let words = ["initiating", "ringing", "connected", "in-progress", "x", "connecting"]
      harness.status(words.randomElement(using: &random)!)
    case 7:
      if Int.random(in: 0..<10, using: &random) == 0 {
        harness.status(Bool.random(using: &random) ? "ended" : "failed")
      }
    case 8, 9: harness.receive([UInt8](repeating: 1, count: .random(in: 0...2_000, using: &random)), from: .call)
    case 10: harness.receive(["type": "interrupted"], from: .call)
    case 11: harness.receive(HablaWireTests.nonsense.dropLast(3).randomElement(using: &random)!, from: .call)
    case 12: harness.tell(.command(.mute(.random(using: &random))))
    case 13: harness.tell(.command(.systemMute(.random(using: &random))))
    case 14: try? harness.perform(.sendText("x"))
    case 15, 16: harness.microphone(level: .random(in: 0...1, using: &random))
    case 17: harness.pass(seconds: .random(in: 0...2, using: &random))
    case 18: harness.media(Bool.random(using: &random) ? .speechStarted : .speechEnded)
    default:
      // From a socket that was given up.
      harness.tell(.received(SocketKey(.call, generation: 0), .binary([1, 2])))
      harness.tell(.closed(SocketKey(.call, generation: 0), SocketEnding(code: 1008)))
    }
  }
}
