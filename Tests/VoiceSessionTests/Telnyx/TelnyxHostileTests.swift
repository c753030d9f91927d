import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Telnyx: what should not be said, and any order of what may")
struct TelnyxHostileTests {
  private static let methods = [
    "telnyx_rtc.clientReady", "telnyx_rtc.gatewayState", "telnyx_rtc.ping", "telnyx_rtc.ringing", "telnyx_rtc.media",
    "telnyx_rtc.answer", "telnyx_rtc.bye", "telnyx_rtc.attach", "telnyx_rtc.candidate", "telnyx_rtc.endOfCandidates",
    "ai_conversation", "telnyx_rtc.invite", "nonsense",
  ]

  @Test(
    "what is no frame changes nothing",
    arguments: [
      "", "{", "[]", "null", "7", "\"x\"", "{}", "[1,2]", "{\"method\":7}", "{\"method\":\"ai_conversation\"}",
      "{\"result\":7}", "{\"error\":[]}", "{\"method\":\"ai_conversation\",\"params\":{\"type\":{}}}",
      String(repeating: "[", count: 100_000), "{\"a\":" + String(repeating: "{\"a\":", count: 5_000),
      "{\"id\":\"\\ud800\",\"method\":\"x\"}", "{\"result\":{\"params\":{\"state\":[]}}}",
    ])
  func noFrames(text: String) throws {
    var run = try TelnyxRun.inCall()
    let (before, state) = (run.state, run.callState)
    _ = run.news()
    run.receive(text, from: .signalling)
    run.receive([UInt8](text.utf8), from: .signalling)
    #expect(run.state == before)
    #expect(run.callState == state)
    #expect(run.news().isEmpty)
  }

  @Test("a text of 10 MB is taken as it is")
  func largeText() throws {
    var run = try TelnyxRun.inCall()
    let text = String(repeating: "long ", count: 2_000_000)
    run.converse(["type": "response.text.delta", "delta": .string(text), "item_id": "a1"])
    #expect(run.actions.transcripts().last?.text.utf8.count == 10_000_000)
  }

  @Test("wrong types and missing keys, in every method")
  func wrongTypes() throws {
    let values: [JSON] = [.null, true, 7, -1.5, "x", [], [[]], [:], ["callID": 7], ["sdp": "x"]]
    for method in Self.methods {
      for value in values {
        for key in ["", "callID", "sdp", "item", "type", "content", "reattached_sessions", "state", "delta"] {
          var run = try TelnyxRun.inCall()
          let params: JSON = key.isEmpty ? value : ["callID": .string(run.callID), .init(key): value]
          run.request(method, params)
          check(run)
        }
      }
    }
  }

  @Test("the end in every step, and a second one")
  func endAnywhere() throws {
    let steps: [(inout TelnyxRun) throws -> Void] = [
      { try $0.perform(.start) }, { $0.open(.signalling) }, { try $0.logIn() },
      { $0.request("telnyx_rtc.clientReady", [:]) }, { $0.gateway("REGED") },
      { try $0.perform(.own(.call(TelnyxCallParameters()))) }, { $0.media(.offer(TelnyxSample.offer)) },
      { $0.media(.endOfLocalCandidates) }, { $0.request("telnyx_rtc.ringing", ["callID": .string($0.callID)]) },
      { $0.request("telnyx_rtc.answer", ["callID": .string($0.callID), "sdp": .string(TelnyxSample.answer)]) },
      { $0.media(.disconnected) }, { $0.pass(seconds: 3) }, { $0.close(.signalling) }, { $0.pass(seconds: 1) },
    ]
    for count in 0...steps.count {
      var run = TelnyxRun.assistant()
      for step in steps.prefix(count) { try step(&run) }
      try run.perform(.end)
      #expect(run.state == .ended(.local), "after \(count) steps")
      try run.perform(.end)
      run.tell(.released)
      run.tell(.released)
      check(run)
      #expect(run.actions.releases() == 1)
      #expect(run.core.nextDeadline == nil)
      let last = try #require(run.actions.events().last)
      if case .released = last {} else { Issue.record("\(last) is told behind the end") }
      #expect(throws: SessionError.self) { try run.perform(.start) }
    }
  }

  @Test("the loss of the socket in every step leads to an end, or is recovered from")
  func lossAnywhere() throws {
    for count in 1...6 {
      var run = TelnyxRun.assistant()
      try run.perform(.start)
      if count > 1 { run.open(.signalling) }
      if count > 2 { try run.logIn() }
      if count > 3 { run.registerGateway() }
      if count > 4 { try run.startCall() }
      if count > 5 {
        run.request("telnyx_rtc.answer", ["callID": .string(run.callID), "sdp": .string(TelnyxSample.answer)])
      }
      run.close(.signalling, wasOpen: count > 1)
      #expect(run.state.isOver == (count < 6))
      run.pass(seconds: 61)
      #expect(run.state.isOver)
      check(run)
    }
  }

  @Test("two starts: the second is refused and changes nothing")
  func twoStarts() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    _ = run.news()
    #expect(throws: SessionError.self) { try run.perform(.start) }
    #expect(run.news().isEmpty)
  }

  @Test("whatever comes in whatever order: the state is legal, nothing follows the end, and the end releases")
  func interleavings() throws {
    for seed in 0..<600 {
      var random = SeededRandom(seed: UInt64(seed))
      var run = TelnyxRun.assistant(trickles: seed % 2 == 0)
      for _ in 0..<Int.random(in: 5...120, using: &random) { try stir(&run, &random) }
      try run.perform(.end)
      run.tell(.released)
      check(run, "seed \(seed)")
      #expect(run.actions.releases() == 1, "seed \(seed)")
    }
  }

  private func stir(_ run: inout TelnyxRun, _ random: inout SeededRandom) throws {
    let id: JSON = .string(Int.random(in: 0..<8, using: &random) == 0 ? "other" : run.callID)
    func frame(_ method: String) -> JSON { .string(method) }
    switch Int.random(in: 0..<26, using: &random) {
    case 0, 1: try? run.perform(.start)
    case 2, 3: run.open(.signalling)
    case 4, 5: try? run.logIn()
    case 6: run.request("telnyx_rtc.clientReady", ["reattached_sessions": ["x"]])
    case 7: run.gateway(Bool.random(using: &random) ? "REGED" : "NOREG")
    case 8, 9: try? run.perform(.own(.call(TelnyxCallParameters())))
    case 10: run.media(.offer(TelnyxSample.offer))
    case 11: run.media(.endOfLocalCandidates)
    case 12: run.media(.localCandidate(TelnyxSample.relayed, mid: nil))
    case 13: run.request("telnyx_rtc.ringing", ["callID": id])
    case 14, 15: run.request("telnyx_rtc.answer", ["callID": id, "sdp": .string(TelnyxSample.answer)])
    case 16: run.request("telnyx_rtc.bye", ["callID": id])
    case 17: run.request("telnyx_rtc.attach", ["callID": id, "sdp": .string(TelnyxSample.otherAnswer)])
    case 18: run.media([.disconnected, .connected, .receiving(false), .receiving(true)].randomElement(using: &random)!)
    case 19: run.media(.failed(SessionError(.media, "x", isRetryable: true)))
    case 20: run.close(.signalling, code: 1006)
    case 21: try? run.perform([.hold(true), .hold(false), .own(.hangUp), .mute(true)].randomElement(using: &random)!)
    case 22: try? run.perform(.sendText("text"))
    case 23: run.converse(["type": "response.text.delta", "delta": "x", "item_id": "a"])
    case 24: run.media(.answer(TelnyxSample.offer))
    default: run.pass(seconds: Double.random(in: 0...12, using: &random))
    }
  }

  /// What holds for all that was told and wanted.
  private func check(_ run: TelnyxRun, _ comment: Comment? = nil) {
    var rank = 0
    var isOver = false
    var call: TelnyxCallState?
    var sound = 0
    for action in run.actions {
      switch action {
      case .publish(.state(let state)):
        #expect(!isOver && state.rank >= rank, comment)
        rank = state.rank
        isOver = state.isOver
      case .publish(.released): #expect(isOver, comment)
      case .publish(.notice(.call(let state))):
        #expect(!isOver, comment)
        #expect(call == nil || call?.isOver == true ? state == .new : state != .new, comment)
        call = state
      case .publish: #expect(!isOver, comment)
      case .media(.openPeer):
        sound += 1
        #expect(sound == 1, comment)
      case .media(.close): sound -= 1
      case .media: #expect(sound == 1 || isOver, comment)
      default: break
      }
    }
  }
}
