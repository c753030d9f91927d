import Networking
import TestSupport
import Testing

@testable import VoiceSession

private typealias Harness = SessionHarness<StandInSessionDialect>

extension SessionHarness<StandInSessionDialect> {
  fileprivate init(id: String? = nil) {
    self.init(StandInSessionDialect(url: "ws://127.0.0.1:9/session", token: "T1", sessionID: id))
  }

  /// Logged in.
  fileprivate static func connected(id: String? = nil) throws -> Self {
    var harness = Self(id: id)
    try harness.perform(.start)
    harness.open(.signalling)
    harness.receive(["type": "session.created", "id": "SES-1"], from: .signalling)
    _ = harness.news()
    return harness
  }

  fileprivate var failure: SessionError? { if case .failed(let error) = state { error } else { nil } }
}

extension Array where Element == SessionAction<StandInSessionDialect> {
  fileprivate var sessionNotices: [StandInSessionDialect.Notice] {
    events().compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }
}

@Suite("Vonage's stand-in: the session")
struct StandInSessionTests {
  @Test("login, with and without an old id")
  func login() throws {
    for id in [nil, "SES-0"] {
      var harness = Harness(id: id)
      try harness.perform(.start)
      #expect(harness.state == .connecting)
      harness.open(.signalling)
      #expect(
        harness.actions.sent() == [
          .object(compact: ["type": "session.create", "token": "T1", "id": id.map(JSON.string)])
        ])
      harness.receive(["type": "session.created", "id": "SES-1"], from: .signalling)
      harness.receive(["type": "session.created", "id": "SES-2"], from: .signalling)
      #expect(harness.state == .active([]))
      #expect(harness.actions.sessionNotices == [.created(id: "SES-1")])
    }
  }

  @Test("the reasons of a session's end, before and in it", arguments: VoiceSessionErrorReason.allCases)
  func errors(reason: VoiceSessionErrorReason) throws {
    for isConnected in [false, true] {
      var harness = isConnected ? try Harness.connected() : Harness()
      if !isConnected {
        try harness.perform(.start)
        harness.open(.signalling)
      }
      harness.receive(["type": "session.error", "reason": .string(reason.rawValue)], from: .signalling)
      let error = try #require(harness.failure)
      #expect(VoiceSessionErrorReason(error) == reason)
      #expect(error.isRetryable == [.transportClosed, .pingTimeout].contains(reason))
      // It can be resumed: nothing is deleted.
      #expect(!harness.actions.sent().contains(["type": "session.delete"]))
    }
  }

  @Test("unknown reasons, and texts that make no sense")
  func nonsense() throws {
    for text in [
      "", "{", "[]", "7", "null", #"{"type":7}"#, #"{"type":"call.created"}"#, #"{"type":"call.created","id":""}"#,
      #"{"type":"call.created","id":7}"#, #"{"type":"session.created"}"#,
      #"{"type":"call.leg","id":"C","status":"up"}"#,
      #"{"type":"call.mute","id":"C","on":1}"#, #"{"type":"call.answer","id":"C"}"#, #"{"type":"dance","id":"C"}"#,
      #"{"type":"call.candidate","id":"C","candidate":null}"#, String(repeating: "[", count: 100_000),
    ] {
      var harness = try Harness.connected()
      harness.receive(text, from: .signalling)
      #expect(harness.news().isEmpty, "\(text.prefix(60))")
    }
    var harness = try Harness.connected()
    harness.receive(#"{"type":"session.error","reason":{}}"#, from: .signalling)
    #expect(harness.failure?.code == "unknown")
  }

  @Test("a ping each 10 s; two without a sign of life end it")
  func pings() throws {
    var harness = try Harness.connected()
    for _ in 0..<5 {
      harness.pass(seconds: 10)
      harness.receive(["type": "pong"], from: .signalling)
    }
    #expect(harness.news().sent() == [JSON](repeating: ["type": "ping"], count: 5))
    harness.pass(seconds: 29.9)
    #expect(harness.state == .active([]))
    harness.pass(seconds: 0.2)
    #expect(harness.failure?.code == "pingTimeout")
  }

  @Test("a lost socket is found again: 1, 2, 4, 8, 16 s, then never")
  func reconnection() throws {
    var harness = try Harness.connected()
    harness.close(.signalling)
    #expect(harness.state == .active([.reconnecting]))
    #expect(throws: SessionError.vonageNoSession) { try harness.perform(.own(.send(.call(id: "C", .mute(true))))) }
    try harness.perform(.own(.send(.call(id: "C", .offer("v=0")))))
    harness.pass(seconds: 1)
    harness.open(.signalling)
    harness.receive(["type": "session.created", "id": "SES-1"], from: .signalling)
    #expect(harness.state == .active([]))
    let news = harness.news()
    #expect(news.sessionNotices == [.willReconnect, .didReconnect])
    #expect(
      news.sent() == [
        ["type": "session.create", "token": "T1", "id": "SES-1"], ["type": "call.offer", "id": "C", "sdp": "v=0"],
      ])
    harness.close(.signalling)
    for pause in [1.0, 2, 4, 8, 16] {
      #expect(harness.state == .active([.reconnecting]))
      harness.pass(seconds: pause - 0.01)
      let before = harness.actions.opens().count
      harness.pass(seconds: 0.02)
      #expect(harness.actions.opens().count == before + 1)
      harness.close(.signalling, wasOpen: false)
    }
    #expect(harness.failure?.code == "transportClosed")
    #expect(harness.news().sessionNotices == [.willReconnect])
  }

  @Test("a back end that says nothing: at login, and when it is found again")
  func silence() throws {
    var harness = Harness()
    try harness.perform(.start)
    harness.open(.signalling)
    harness.pass(seconds: 10.1)
    #expect(harness.failure?.kind == .timeout)
    harness = try Harness.connected()
    harness.close(.signalling)
    harness.pass(seconds: 1)
    harness.open(.signalling)
    harness.pass(seconds: 10 + 2 + 0.1)
    #expect(harness.state == .active([.reconnecting]))
    #expect(harness.actions.opens().count == 3)
  }

  @Test("a token that has expired is refused when the socket is found again")
  func expiredAtReconnection() throws {
    var harness = try Harness.connected()
    harness.close(.signalling)
    harness.pass(seconds: 1)
    harness.open(.signalling)
    harness.receive(["type": "session.error", "reason": "tokenExpired"], from: .signalling)
    #expect(harness.failure?.code == "tokenExpired")
  }

  @Test("a refreshed token is the one for the next login")
  func refresh() throws {
    var harness = try Harness.connected()
    try harness.perform(.own(.refresh(token: "T2")))
    harness.receive(["type": "session.refreshed"], from: .signalling)
    harness.close(.signalling)
    harness.pass(seconds: 1)
    harness.open(.signalling)
    let news = harness.news()
    #expect(news.sessionNotices == [.refreshed, .willReconnect])
    #expect(
      news.sent() == [
        ["type": "session.refresh", "token": "T2"], ["type": "session.create", "token": "T2", "id": "SES-1"],
      ])
    #expect(throws: SessionError.self) { try harness.perform(.own(.refresh(token: "T3"))) }
  }

  @Test("messages of calls, one to one")
  func calls() throws {
    var harness = try Harness.connected()
    for (text, notice) in [
      (#"{"type":"call.created","id":"C"}"#, StandInSessionDialect.Notice.callCreated(id: "C")),
      (
        #"{"type":"call.invite","id":"C","from":"15550111","channel":"phone"}"#,
        .invite(id: "C", from: "15550111", .phone)
      ),
      (#"{"type":"call.invite","id":"C","channel":"fax"}"#, .invite(id: "C", from: "", .unknown)),
      (#"{"type":"call.cancel","id":"C","reason":"answeredElsewhere"}"#, .call(id: "C", .cancel(.answeredElsewhere))),
      (#"{"type":"call.cancel","id":"C","reason":7}"#, .call(id: "C", .cancel(.unknown))),
      (#"{"type":"call.leg","id":"C","leg":"L","status":"ringing"}"#, .call(id: "C", .leg("L", .ringing))),
      (#"{"type":"call.answer","id":"C","sdp":"v=0"}"#, .call(id: "C", .answer(sdp: "v=0"))),
      (#"{"type":"call.candidate","id":"C","candidate":""}"#, .call(id: "C", .candidate(""))),
      (#"{"type":"call.mute","id":"C","leg":"L","on":true}"#, .call(id: "C", .mute(leg: "L", isOn: true))),
      (#"{"type":"call.earmuff","id":"C","leg":"L","on":false}"#, .call(id: "C", .earmuff(leg: "L", isOn: false))),
      (#"{"type":"call.dtmf","id":"C","leg":"L","digits":"1#"}"#, .call(id: "C", .dtmf(leg: "L", digits: "1#"))),
      (#"{"type":"call.transfer","id":"C","to":"D"}"#, .call(id: "C", .transfer(conversationID: "D"))),
      (
        #"{"type":"call.hangup","id":"C","reason":"remoteReject","quality":{"mos":4.2}}"#,
        .call(id: "C", .hangup(.remoteReject, score: 4.2))
      ),
      (#"{"type":"call.hangup","id":"C","reason":"?"}"#, .call(id: "C", .hangup(.unknown, score: nil))),
    ] as [(String, StandInSessionDialect.Notice)] {
      harness.receive(text, from: .signalling)
      #expect(harness.news().sessionNotices == [notice], "\(text)")
    }
    for (request, text) in [
      (StandInRequest.callCreate(["to": "1"]), #"{"custom":{"to":"1"},"type":"call.create"}"#),
      (
        .call(id: "C", .candidate("candidate:1", mid: nil)),
        #"{"candidate":"candidate:1","id":"C","sdpMLineIndex":0,"sdpMid":"0","type":"call.candidate"}"#
      ),
      (.call(id: "C", .mute(true)), #"{"id":"C","on":true,"type":"call.mute"}"#),
      (.call(id: "C", .earmuff(false)), #"{"id":"C","on":false,"type":"call.earmuff"}"#),
      (.call(id: "C", .dtmf("5")), #"{"digits":"5","id":"C","type":"call.dtmf"}"#),
      (.call(id: "C", .say("Hi")), #"{"id":"C","text":"Hi","type":"call.say"}"#),
      (.call(id: "C", .hangup), #"{"id":"C","type":"call.hangup"}"#),
      (.call(id: "C", .reject), #"{"id":"C","type":"call.reject"}"#),
      (.call(id: "C", .reconnect), #"{"id":"C","type":"call.reconnect"}"#),
    ] as [(StandInRequest, String)] {
      #expect(request.text == text)
    }
  }

  @Test("logging out says so, and releases")
  func logout() throws {
    var harness = try Harness.connected()
    harness.tell(.command(.end))
    #expect(harness.news().sent() == [["type": "session.delete"]])
    #expect(harness.actions.releases() == 1)
  }

  @Test("whatever comes in any order", arguments: 0..<60 as Range<UInt64>)
  func storm(seed: UInt64) {
    var storm = SessionStorm(
      StandInSessionDialect(url: "ws://127.0.0.1:9/", token: "T"), seed: seed,
      commands: [.own(.refresh(token: "T2")), .own(.send(.ping)), .own(.send(.call(id: "C", .offer("v=0"))))],
      texts: [
        #"{"type":"session.created","id":"S"}"#, #"{"type":"pong"}"#, #"{"type":"session.refreshed"}"#,
        #"{"type":"call.created","id":"C"}"#, #"{"type":"call.hangup","id":"C"}"#, "{", "",
      ], sockets: [.signalling])
    storm.run(steps: 400)
  }
}
