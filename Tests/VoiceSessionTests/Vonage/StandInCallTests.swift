import Networking
import TestSupport
import Testing

@testable import VoiceSession

private typealias Harness = SessionHarness<StandInCallDialect>

extension SessionHarness<StandInCallDialect> {
  fileprivate init(isIncoming: Bool = false, reconnectsMedia: Bool = true) {
    self.init(StandInCallDialect(isIncoming: isIncoming, reconnectsMedia: reconnectsMedia))
  }

  fileprivate static func active(isIncoming: Bool = false, reconnectsMedia: Bool = true) throws -> Self {
    var harness = Self(isIncoming: isIncoming, reconnectsMedia: reconnectsMedia)
    try harness.perform(.start)
    if isIncoming { try harness.perform(.own(.answer)) }
    harness.media(.offer("v=0"))
    try harness.message(.answer(sdp: "v=1"))
    if !isIncoming { try harness.message(.leg("L", .answered)) }
    harness.media(.connected)
    _ = harness.news()
    return harness
  }

  fileprivate mutating func message(_ message: StandInCallMessage) throws { try perform(.own(.message(message))) }
}

extension Array where Element == SessionAction<StandInCallDialect> {
  fileprivate var callNotices: [StandInCallDialect.Notice] {
    events().compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }
  fileprivate var callRequests: [StandInRequest.Call] {
    callNotices.compactMap { if case .send(let request) = $0 { request } else { nil } }
  }
}

@Suite("Vonage's stand-in: a call")
struct StandInCallTests {
  @Test("a call out: offer, candidates both ways at their time, legs, hang-up")
  func outgoing() throws {
    var harness = Harness()
    try harness.perform(.start)
    #expect(harness.news().media() == [.openPeer(servers: [], trickles: true, offers: true)])
    // Each end's candidates wait until its description is there.
    harness.media(.localCandidate("candidate:a", mid: "0"))
    try harness.message(.candidate("candidate:b"))
    #expect(harness.news().isEmpty)
    harness.media(.offer("v=0"))
    harness.media(.endOfLocalCandidates)
    #expect(
      harness.news().callRequests == [.offer("v=0"), .candidate("candidate:a", mid: "0"), .candidate("", mid: nil)])
    try harness.message(.answer(sdp: "v=1"))
    try harness.message(.candidate("candidate:c"))
    try harness.message(.candidate(""))
    #expect(
      harness.news().media() == [
        .acceptAnswer("v=1"), .addCandidate("candidate:b"), .addCandidate("candidate:c"), .endOfCandidates,
      ])
    try harness.message(.leg("L", .ringing))
    #expect(harness.state == .ringing)
    try harness.message(.leg("L", .answered))
    #expect(harness.state == .active([]))
    // That the far side has left is not the end.
    try harness.message(.leg("L", .completed))
    #expect(harness.state == .active([]))
    try harness.message(.hangup(.remoteHangup, score: 4))
    #expect(harness.state == .ended(.remote("remoteHangup")))
    #expect(harness.actions.callNotices.last == .hungUp(.remoteHangup, score: 4))
  }

  @Test("a call in: answered, rejected, cancelled for each reason")
  func incoming() throws {
    var harness = Harness(isIncoming: true)
    try harness.perform(.start)
    #expect(harness.state == .ringing)
    #expect(harness.actions.media().isEmpty)
    try harness.perform(.own(.answer))
    harness.media(.offer("v=0"))
    try harness.message(.answer(sdp: "v=1"))
    #expect(harness.state == .active([]))
    #expect(throws: SessionError.self) { try harness.perform(.own(.answer)) }
    #expect(throws: SessionError.self) { try harness.perform(.own(.reject)) }
    try harness.message(.cancel(.remoteCancel))
    #expect(harness.state == .active([]))

    harness = Harness(isIncoming: true)
    try harness.perform(.start)
    try harness.perform(.own(.reject))
    #expect(harness.actions.callRequests == [.reject])
    #expect(harness.state == .ended(.local))

    for reason in VoiceInviteCancelReason.allCases {
      harness = Harness(isIncoming: true)
      try harness.perform(.start)
      try harness.message(.cancel(reason))
      #expect(harness.state == .ended(.remote(reason.rawValue)))
      #expect(harness.actions.callNotices == [.inviteCancelled(reason)])
      #expect(throws: SessionError.self) { try harness.perform(.own(.answer)) }
    }
  }

  @Test("each reason of a hang-up, in each state", arguments: VoiceHangupReason.allCases)
  func hangups(reason: VoiceHangupReason) throws {
    for step in 0..<4 {
      var harness = Harness()
      try harness.perform(.start)
      if step > 0 { harness.media(.offer("v=0")) }
      if step > 1 { try harness.message(.leg("L", .ringing)) }
      if step > 2 { try harness.message(.leg("L", .answered)) }
      try harness.message(.hangup(reason, score: nil))
      try? harness.message(.hangup(reason, score: nil))
      #expect(harness.state.isOver)
      #expect(harness.actions.releases() == 1)
      #expect(harness.actions.callNotices.count { if case .hungUp(reason, nil) = $0 { true } else { false } } == 1)
    }
  }

  @Test("hold is earmuff and mute, and gives back what was before")
  func hold() throws {
    var harness = try Harness.active()
    try harness.perform(.hold(true))
    try harness.perform(.hold(true))
    var news = harness.news()
    #expect(harness.state == .active([.held]))
    #expect(news.media() == [.mute(true), .deafen(true)])
    #expect(news.callRequests == [.mute(true), .earmuff(true)])
    try harness.perform(.hold(false))
    news = harness.news()
    #expect(news.media() == [.mute(false), .deafen(false)])
    #expect(news.callRequests == [.mute(false), .earmuff(false)])
    #expect(harness.state == .active([]))
  }

  @Test("the user's own mute and earmuff outlast a hold, and may change in it")
  func holdOverMute() throws {
    var harness = try Harness.active()
    try harness.perform(.mute(true))
    try harness.perform(.own(.earmuff(true)))
    try harness.perform(.hold(true))
    try harness.perform(.hold(false))
    #expect(Array(harness.news().media().suffix(2)) == [.mute(true), .deafen(true)])
    try harness.perform(.hold(true))
    try harness.perform(.mute(false))
    // Whatever the core opens, the call's hold closes again within the same step.
    #expect(harness.news().media().last == .mute(true))
    try harness.perform(.own(.earmuff(false)))
    #expect(harness.news().media().isEmpty)
    try harness.perform(.hold(false))
    #expect(harness.news().media() == [.mute(false), .deafen(false)])
  }

  @Test("mute, earmuff and hold before there is sound")
  func early() throws {
    var harness = Harness(isIncoming: true)
    try harness.perform(.mute(true))
    try harness.perform(.start)
    try harness.perform(.own(.earmuff(true)))
    try harness.perform(.own(.answer))
    #expect(
      Array(harness.actions.media().suffix(3)) == [
        .openPeer(servers: [], trickles: true, offers: true), .mute(true), .deafen(true),
      ])
  }

  @Test("keys", arguments: [("123*#0", true), ("", false), ("a", false), ("1 2", false), ("１", false)])
  func keys(digits: String, isValid: Bool) throws {
    var harness = try Harness.active()
    if isValid {
      try harness.perform(.pressKeys(digits))
      #expect(harness.news().callRequests == [.dtmf(digits)])
    } else {
      #expect(throws: SessionError.self) { try harness.perform(.pressKeys(digits)) }
    }
    var early = Harness()
    try early.perform(.start)
    #expect(throws: SessionError.self) { try early.perform(.pressKeys("1")) }
  }

  @Test("what parties do is told with their leg")
  func parties() throws {
    var harness = try Harness.active()
    try harness.message(.mute(leg: "L", isOn: true))
    try harness.message(.earmuff(leg: "L", isOn: false))
    try harness.message(.dtmf(leg: "L", digits: "5"))
    try harness.message(.transfer(conversationID: "D"))
    #expect(
      harness.news().callNotices == [
        .mute(leg: "L", isOn: true), .earmuff(leg: "L", isOn: false), .dtmf(leg: "L", digits: "5"),
        .transfer(conversationID: "D"),
      ])
  }

  @Test("the sound's way breaks for 3 s: the call survives")
  func shortBreak() throws {
    var harness = try Harness.active()
    try harness.perform(.hold(true))
    _ = harness.news()
    harness.media(.receiving(false))
    harness.media(.disconnected)
    #expect(harness.state == .active([.held, .reconnecting]))
    #expect(harness.news().media() == [.restartICE])
    harness.media(.offer("v=2"))
    harness.pass(seconds: 3)
    try harness.message(.answer(sdp: "v=3"))
    harness.media(.connected)
    harness.media(.receiving(true))
    let news = harness.news()
    #expect(harness.state == .active([.held]))
    #expect(news.callNotices == [.send(.offer("v=2")), .mediaReconnected])
    #expect(news.media() == [.acceptAnswer("v=3")])
    harness.pass(seconds: 60)
    #expect(harness.state == .active([.held]))
  }

  @Test("for 20 s: it is over by mediaTimeout", arguments: [true, false])
  func longBreak(reconnects: Bool) throws {
    for event in [SessionMediaEvent.disconnected, .receiving(false)] {
      var harness = try Harness.active(reconnectsMedia: reconnects)
      harness.media(event)
      #expect(harness.news().media().contains(.restartICE) == (reconnects && event == .disconnected))
      harness.pass(seconds: 19.9)
      #expect(harness.state.isActive)
      harness.pass(seconds: 0.2)
      guard case .failed(let error) = harness.state else {
        Issue.record("the state is \(harness.state)")
        return
      }
      #expect(error.code == "mediaTimeout" && error.isRetryable)
      #expect(
        harness.news().callNotices == [
          .send(.hangup), .mediaDisconnected(.mediaTimeout), .hungUp(.mediaTimeout, score: nil),
        ])
    }
  }

  @Test("sound that fails for good ends the call, a path that fails is looked for anew")
  func mediaFailure() throws {
    var harness = try Harness.active()
    harness.media(.failed(SessionError(.media, "no path", isRetryable: true)))
    #expect(harness.state == .active([.reconnecting]))
    harness.media(.failed(SessionError(.media, "no device", isRetryable: false)))
    #expect(harness.actions.callNotices.suffix(2) == [.mediaDisconnected(.unknown), .hungUp(.unknown, score: nil)])
  }

  @Test("a new session takes the call over: what nobody could be told is told again")
  func reconnect() throws {
    var harness = try Harness.active()
    try harness.perform(.mute(true))
    _ = harness.news()
    try harness.perform(.own(.reconnect))
    var news = harness.news()
    #expect(news.callRequests == [.reconnect, .mute(true), .earmuff(false)])
    #expect(news.media().isEmpty)
    harness.media(.disconnected)
    _ = harness.news()
    try harness.perform(.own(.reconnect))
    news = harness.news()
    #expect(news.media() == [.restartICE])
  }

  @Test("an end in every step releases", arguments: 0..<5)
  func ends(step: Int) throws {
    for isIncoming in [false, true] {
      var harness = Harness(isIncoming: isIncoming)
      if step > 0 { try harness.perform(.start) }
      if step > 1, isIncoming { try harness.perform(.own(.answer)) }
      if step > 2 { harness.media(.offer("v=0")) }
      if step > 3 { try harness.message(.answer(sdp: "v=1")) }
      try harness.perform(.end)
      harness.media(.connected)
      try? harness.message(.leg("L", .answered))
      harness.tell(.released)
      #expect(harness.state == .ended(.local))
      #expect(harness.actions.releases() == 1)
      if case .released = harness.actions.events().last {} else { Issue.record("not released") }
    }
  }

  @Test("whatever comes in any order: a hold is never heard", arguments: 0..<200 as Range<UInt64>)
  func interleavings(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var harness = Harness(isIncoming: .random(using: &random))
    var (isOpen, isMuted) = (false, false)
    for _ in 0..<120 {
      switch Int.random(in: 0..<16, using: &random) {
      case 0: try? harness.perform(.start)
      case 1: try? harness.perform(.own(.answer))
      case 2: harness.media(.offer("v=0"))
      case 3: try? harness.message(.answer(sdp: "v=1"))
      case 4: try? harness.message(.leg("L", .answered))
      case 5: try? harness.message(.leg("L", .ringing))
      case 6: try? harness.perform(.hold(.random(using: &random)))
      case 7: try? harness.perform(.mute(.random(using: &random)))
      case 8: try? harness.perform(.systemMute(.random(using: &random)))
      case 9: try? harness.perform(.own(.earmuff(.random(using: &random))))
      case 10: harness.media(Bool.random(using: &random) ? .connected : .disconnected)
      case 11: harness.media(.receiving(.random(using: &random)))
      case 12: harness.pass(seconds: .random(in: 0...6, using: &random))
      case 13: try? harness.message(.candidate("candidate:x"))
      case 14: try? harness.perform(.own(.reconnect))
      default:
        if Int.random(in: 0..<20, using: &random) == 0 { try? harness.message(.hangup(.remoteHangup, score: nil)) }
      }
      for action in harness.news().media() {
        if case .openPeer = action { (isOpen, isMuted) = (true, false) }
        if case .mute(let isOn) = action { isMuted = isOn }
      }
      if isOpen, !harness.state.isOver {
        #expect(isMuted == (harness.core.ownState.isHeld || harness.core.mute.isMuted), "seed \(seed)")
      }
    }
    try? harness.perform(.end)
    harness.tell(.released)
    let states = harness.actions.states()
    for (one, next) in zip(states, states.dropFirst()) {
      #expect(next.rank > one.rank || (one.isActive && next.isActive), "seed \(seed): \(one) to \(next)")
    }
    #expect(harness.actions.releases() == 1)
    if case .released = harness.actions.events().last {} else { Issue.record("seed \(seed): not released") }
  }
}
