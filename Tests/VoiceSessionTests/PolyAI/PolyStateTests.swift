import Foundation
import Networking
import Testing

@testable import VoiceSession

/// One case a row of the call's table of states.
@Suite("PolyAI: states of a call")
struct PolyStateTests {
  @Test func theWholeWay() throws {
    let run = try PolyRun.at(.connected)
    #expect(run.actions.states() == [.preparing, .connecting, .active([])])
    #expect(run.actions.states().map { VoiceCallState($0) } == [.connecting, .connecting, .connected])
    #expect(run.core.nextDeadline.map { $0.nanoseconds / 1_000_000_000 } == 30, "only the heartbeat runs")
  }

  @Test func onlySoundConnectsNotTheAnswer() throws {
    var run = try PolyRun.at(.answered)
    #expect(run.state == .connecting)
    var early = try PolyRun.at(.signallingOpen)
    early.media(.connected)
    #expect(early.state == .active([]))
    run.media(.connected)
    #expect(run.state == .active([]))
  }

  @Test("thirty seconds from the start, whatever step is reached", arguments: PolyStep.allCases.dropFirst().dropLast())
  func connectLimit(step: PolyStep) throws {
    var run = try PolyRun.at(step)
    // The session's own limit is shorter.
    let limit = [PolyStep.session, .messagingOpen].contains(step) ? 15.0 : 30
    run.pass(seconds: limit - 0.01)
    if step >= .signallingOpen || step < .iceServers { #expect(!run.state.isOver) }
    run.pass(seconds: 0.01)
    #expect(run.state.isOver)
    if step != .offered { #expect(run.error == .voice(.timedOut)) }
    #expect(run.error?.isRetryable == false)
  }

  @Test func soundThatFails() throws {
    var connecting = try PolyRun.at(.answered)
    connecting.media(.failed(SessionError(.media, "no keys")))
    #expect(connecting.error == .voice(.mediaFailed("no keys")))
    #expect(connecting.error?.isRetryable == false)
    var connected = try PolyRun.at(.connected)
    connected.media(.failed(SessionError(.media, "no keys")))
    #expect(connected.error == .voice(.disconnected))
    #expect(connected.error?.isRetryable == true)
  }

  @Test func aBreakOfFiveSeconds() throws {
    var run = try PolyRun.at(.connected)
    run.media(.disconnected)
    #expect(run.state == .active(.reconnecting))
    run.pass(seconds: 4.99)
    #expect(!run.state.isOver)
    run.pass(seconds: 0.01)
    #expect(run.error == .voice(.disconnected))
  }

  @Test func aShorterBreakIsNone() throws {
    var run = try PolyRun.at(.connected)
    for _ in 0..<3 {
      run.media(.disconnected)
      run.media(.disconnected)
      run.pass(seconds: 4.99)
      run.media(.connected)
      #expect(run.state == .active([]))
    }
    run.media(.disconnected)
    run.media(.connected)
    run.pass(seconds: 20)
    #expect(run.state == .active([]))
  }

  @Test("the gateway's last words", arguments: [PolyStep.signallingOpen, .answered, .connected])
  func gatewayEnds(step: PolyStep) throws {
    var error = try PolyRun.at(step)
    error.receive(["type": "error", "data": ["message": "bad token"]], from: .signalling)
    #expect(error.error == .voice(.signalingFailed("bad token")))
    var wordless = try PolyRun.at(step)
    wordless.receive(["type": "error", "data": 7], from: .signalling)
    #expect(wordless.error == .voice(.signalingFailed("Connection failed")))
    var closing = try PolyRun.at(step)
    closing.receive(["type": "close"], from: .signalling)
    #expect(closing.state == .ended(.remote(nil)))
    var closed = try PolyRun.at(step)
    closed.close(.signalling, code: 1000)
    #expect(closed.state == .ended(.remote(nil)))
  }

  @Test("codes that end the call", arguments: [1002, 1003, 1007, 1008, 1009, 4000, 4321, 4999])
  func finalCodes(code: Int) throws {
    var early = try PolyRun.at(.answered)
    early.close(.signalling, code: code, reason: "no")
    #expect(early.error == .voice(.signalingFailed("no")))
    var late = try PolyRun.at(.connected)
    late.close(.signalling, code: code, reason: "no")
    #expect(late.error == .voice(.disconnected))
  }

  @Test("other codes: opened again after 1, 2 and 4 s", arguments: [nil, 1001, 1005, 1006, 1011, 1012, 3000, 5000])
  func reconnect(code: Int?) throws {
    for isConnected in [false, true] {
      var run = try PolyRun.at(isConnected ? .connected : .answered)
      run.close(.signalling, code: code)
      for (attempt, pause) in [1.0, 2, 4].enumerated() {
        #expect(run.opened(.signalling).count == attempt + 1)
        run.pass(seconds: pause - 0.01)
        #expect(run.opened(.signalling).count == attempt + 1)
        run.pass(seconds: 0.01)
        #expect(run.opened(.signalling).count == attempt + 2)
        #expect(!run.state.isOver)
        run.close(.signalling, wasOpen: false)
      }
      if isConnected {
        #expect(run.error == .voice(.disconnected))
      } else {
        #expect(run.error == .voice(.signalingFailed("the gateway cannot be reached")))
      }
    }
  }

  @Test func eachOpeningMayTakeFiveSeconds() throws {
    var run = try PolyRun.at(.connected)
    run.close(.signalling, code: 1006)
    run.pass(seconds: 1 + 4.99)
    #expect(run.opened(.signalling).count == 2)
    run.pass(seconds: 0.02 + 2)
    #expect(run.opened(.signalling).count == 3)
    run.open(.signalling)
    run.pass(seconds: 60)
    #expect(run.state == .active([]))
    // And a later loss has three attempts again.
    run.close(.signalling, code: 1006)
    run.pass(seconds: 1)
    #expect(run.opened(.signalling).count == 4)
  }

  @Test func interruptionsAndTheUsersMuteAreApart() throws {
    for byUser in [false, true] {
      for bySystem in [false, true] {
        var run = try PolyRun.at(.connected)
        if byUser { try run.perform(.mute(true)) }
        if bySystem { try run.perform(.systemMute(true)) }
        #expect(run.core.mute.isMuted == (byUser || bySystem))
        #expect(run.state == .active([]))
        try run.perform(.systemMute(false))
        #expect(run.core.mute.isMuted == byUser)
        #expect(run.core.mute.byUser == byUser)
        #expect(
          run.actions.media().last == (byUser ? .mute(true) : bySystem ? .mute(false) : .acceptAnswer("v=0 theirs")))
      }
    }
  }

  @Test func anInterruptionThatDoesNotEnd() throws {
    for step in [PolyStep.started, .answered, .connected] {
      var run = try PolyRun.at(step)
      try run.perform(.systemMute(true))
      try run.perform(.own(.interruptionEnded(resumes: false)))
      #expect(run.error == .voice(.interrupted))
      #expect(run.error?.isRetryable == true)
    }
  }

  @Test("the end in every step, and a second one", arguments: PolyStep.allCases)
  func end(step: PolyStep) throws {
    var run = try PolyRun.at(step)
    _ = run.news()
    try run.perform(.end)
    try run.perform(.end)
    let news = run.news()
    #expect(run.state == .ended(.local))
    #expect(news.releases() == 1)
    let isOpen = step >= .signallingOpen
    let id: JSON = step >= .answered ? "g-9" : .null
    #expect(news.sent() == (isOpen ? [["type": "close", "sessionId": id]] : []))
    run.tell(.released)
    run.pass(seconds: 100)
    for step in PolyStep.allCases.dropFirst(2) { try run.go(step) }
    #expect(run.news().events().count == 1)
    #expect(throws: SessionError.self) { try run.perform(.start) }
  }

  @Test func aSecondStartIsRefused() throws {
    var run = try PolyRun.at(.token)
    _ = run.news()
    #expect(throws: SessionError.self) { try run.perform(.start) }
    #expect(run.news().isEmpty)
  }
}
