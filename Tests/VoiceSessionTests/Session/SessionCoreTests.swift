import Networking
import RealtimeCore
import Testing

@testable import VoiceSession

/// A dialect with one socket and one timer, for what the core does by itself.
private struct ProbeDialect: SessionDialect {
  enum Socket: Hashable, Sendable { case line }
  enum Request: Hashable, Sendable { case token }
  enum Timer: Hashable, Sendable { case first, second }
  typealias Command = Int
  typealias Notice = String

  mutating func start(_ session: inout Session) {
    session.send(HTTPRequest(.get, "https://agent.example/token"), for: .token)
    session.become(.connecting)
    session.open(.line, SocketRequest("wss://agent.example/line?token=secret"))
  }

  mutating func opened(_ socket: Socket, _ session: inout Session) {
    session.media(
      .openStream(
        send: FramedAudioFormat(.pcm16, .hz16000), receive: FramedAudioFormat(.pcm16, .hz16000), packetMilliseconds: 20)
    )
    session.become(.active([]))
  }

  mutating func received(_ message: WebSocketMessage, from socket: Socket, _ session: inout Session) {
    guard case .text(let text) = message else { return }
    switch text {
    case "timers":
      session.setTimer(.first, after: 1)
      session.setTimer(.second, after: 2)
    case "reopen": session.open(.line, SocketRequest("ws://127.0.0.1:9/line"))
    case "plain": session.open(.line, SocketRequest("ws://agent.example/line?token=secret"))
    case "interrupt": session.interrupt(upTo: 3, turn: 7)
    case "back": session.become(.connecting)
    case "end": session.finish(.remote("bye"))
    default: session.publish(.notice(text))
    }
  }

  mutating func closed(_ socket: Socket, _ ending: SocketEnding, _ session: inout Session) {
    session.fail(SessionError(.network, "lost"))
  }

  mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    session.publish(.notice("\(timer) at \(session.now.nanoseconds / 1_000_000)"))
    if timer == .first { session.setTimer(.first, after: 0.25) }
  }

  mutating func command(_ command: SessionCommand<Int>, _ session: inout Session) throws(SessionError) {
    guard session.state.isActive else { throw .notActive }
    session.send("command", to: .line)
  }

  mutating func goodbye(_ session: inout Session) { session.send("goodbye", to: .line) }
}

private typealias Harness = SessionHarness<ProbeDialect>

private func active() throws -> Harness {
  var harness = Harness(ProbeDialect())
  try harness.perform(.start)
  harness.open(.line)
  _ = harness.news()
  return harness
}

@Suite struct SessionCoreTests {
  @Test func theLifeLineGoesForwardOnly() throws {
    var harness = Harness(ProbeDialect())
    try harness.perform(.start)
    harness.open(.line)
    harness.receive("back", from: .line)
    #expect(harness.actions.states() == [.preparing, .connecting, .active([])])
    #expect(throws: SessionError.alreadyStarted) { try harness.perform(.start) }
  }

  @Test func endReleasesFromEveryState() throws {
    for steps in 0...2 {
      var harness = Harness(ProbeDialect())
      if steps > 0 { try harness.perform(.start) }
      if steps > 1 { harness.open(.line) }
      try harness.perform(.end)
      try harness.perform(.end)
      #expect(harness.state == .ended(.local))
      #expect(harness.actions.releases() == 1)
      harness.tell(.released)
      harness.tell(.released)
      guard case .released = harness.actions.events().last else {
        Issue.record("the last event is not released")
        continue
      }
      #expect(harness.actions.events().count { if case .released = $0 { true } else { false } } == 1)
    }
  }

  @Test func lastWordsGoOutBeforeTheRelease() throws {
    var harness = try active()
    try harness.perform(.end)
    let news = harness.news()
    let goodbye = news.firstIndex { if case .send(_, .text("goodbye")) = $0 { true } else { false } }
    let release = news.firstIndex { if case .release = $0 { true } else { false } }
    #expect(try #require(goodbye) < #require(release))
  }

  @Test func aRemoteEndHasNoLastWords() throws {
    var harness = try active()
    harness.receive("end", from: .line)
    #expect(harness.state == .ended(.remote("bye")))
    #expect(harness.news().sent().isEmpty)
  }

  @Test func nothingIsToldBehindTheEnd() throws {
    var harness = try active()
    harness.receive("timers", from: .line)
    try harness.perform(.end)
    _ = harness.news()
    harness.receive("late", from: .line)
    harness.media(.speechStarted)
    harness.pass(seconds: 10)
    harness.close(.line)
    #expect(harness.news().isEmpty)
    #expect(throws: SessionError.over) { try harness.perform(.own(1)) }
    #expect(throws: SessionError.over) { try harness.perform(.start) }
  }

  @Test func aSupersededSocketIsNotHeard() throws {
    var harness = try active()
    let old = harness.key(.line)
    harness.receive("reopen", from: .line)
    _ = harness.news()
    harness.tell(.received(old, .text("ghost")))
    harness.tell(.closed(old, SocketEnding(code: 1006)))
    harness.tell(.opened(old))
    #expect(harness.news().isEmpty)
    #expect(harness.state.isActive)
    harness.open(.line)
    harness.receive("word", from: .line)
    guard case .notice("word")? = harness.news().events().last else {
      Issue.record("the new socket is not heard")
      return
    }
  }

  @Test func timersComeInOrderAtTheirOwnTimes() throws {
    var harness = try active()
    harness.receive("timers", from: .line)
    // A driver that was away for three seconds: what comes is as if it had not been.
    let late = harness.core.handle(.timePassed, at: harness.now.advanced(byNanoseconds: 2_100_000_000))
    let notices = late.events().compactMap { if case .notice(let text) = $0 { text } else { nil } }
    #expect(
      notices == [
        "first at 1000", "first at 1250", "first at 1500", "first at 1750", "second at 2000", "first at 2000",
      ])
  }

  @Test func userAndSystemMuteAreApart() throws {
    var harness = Harness(ProbeDialect())
    try harness.perform(.mute(true))
    try harness.perform(.start)
    harness.open(.line)
    #expect(harness.news().media().contains(.mute(true)))
    try harness.perform(.systemMute(true))
    try harness.perform(.mute(false))
    #expect(harness.news().media().isEmpty)
    #expect(harness.core.mute.isMuted)
    try harness.perform(.systemMute(false))
    #expect(harness.news().media() == [.mute(false)])
  }

  @Test func theAgentIsHeldWhileTheUserSpeaksAndGoesOnWhenNobodyConfirms() throws {
    var harness = try active()
    harness.media(.speechStarted)
    #expect(harness.news().media().isEmpty, "there is nothing to hold")
    harness.media(.playout(SessionPlayout(item: 3, milliseconds: 400)))
    harness.media(.speechStarted)
    #expect(harness.news().media() == [.hold])
    harness.media(.speechEnded)
    harness.pass(seconds: 0.59)
    #expect(harness.news().media().isEmpty)
    harness.pass(seconds: 0.02)
    #expect(harness.news().media() == [.resume])
  }

  @Test func aConfirmedInterruptionFlushesAndTellsWhatWasHeard() throws {
    var harness = try active()
    harness.media(.playout(SessionPlayout(item: 3, milliseconds: 400)))
    harness.media(.speechStarted)
    harness.receive("interrupt", from: .line)
    let news = harness.news()
    #expect(news.media() == [.hold, .flush(upTo: 3)])
    guard case .interruption(let interruption)? = news.events().last else {
      Issue.record("no interruption was told")
      return
    }
    #expect(interruption == AgentInterruption(turn: 7, heardMilliseconds: 400))
    harness.pass(seconds: 5)
    #expect(harness.news().media().isEmpty, "what was flushed is not resumed")
  }

  @Test func nothingGoesUnencryptedBeyondThisMachine() throws {
    var harness = try active()
    harness.receive("plain", from: .line)
    guard case .failed(let error) = harness.state else {
      Issue.record("a plain socket was opened")
      return
    }
    #expect(error.kind == .configuration && error.code == "unencrypted")
    #expect(!"\(error)".contains("secret"))
    #expect(harness.news().opens().isEmpty)
  }

  @Test(arguments: [
    ("ws://127.0.0.1:1/x", true), ("ws://127.9.9.9/x", true), ("ws://[::1]:80/", true), ("http://localhost/", true),
    ("wss://agent.example/", true), ("ws://127.0.0.1.example/", false), ("ws://10.0.0.1/", false), ("nonsense", false),
    ("ws://localhost.example/", false), ("ws://user:pw@agent.example/", false),
  ]) func whatIsSafe(url: String, isSafe: Bool) {
    #expect(SessionAddress(url).isSafe == isSafe)
    #expect(!SessionAddress(url).shown.contains("pw"))
  }
}
