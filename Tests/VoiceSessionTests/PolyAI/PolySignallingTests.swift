import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("PolyAI: offer, answer, candidates")
struct PolySignallingTests {
  @Test func theOfferWithItsExplicitNull() throws {
    let run = try PolyRun.at(.signallingOpen)
    #expect(
      run.opened(.signalling) == ["wss://webrtc-gateway.us-1.platform.polyai.app/api/v1/webrtc/signal"])
    #expect(
      run.sent(to: .signalling) == [
        [
          "type": "offer", "data": ["type": "offer", "sdp": "v=0 ours"], "mode": "end-to-end",
          "authToken": "web token", "callSid": "ID-1", "caller": "Polyphone", "callee": "Polyphone",
          "sessionId": .null,
        ]
      ])
    let text = run.actions.compactMap { action -> String? in
      if case .send(_, .text(let text)) = action, text.contains("end-to-end") { text } else { nil }
    }
    #expect(text.first?.contains(#""sessionId":null"#) == true)
  }

  @Test func theOfferIsMadeBeforeTheSocketOpens() throws {
    #expect(try PolyRun.at(.iceServers).opened(.signalling).isEmpty)
    #expect(try PolyRun.at(.offered).opened(.signalling).count == 1)
  }

  @Test func ownCandidatesWaitForTheSession() throws {
    var run = try PolyRun.at(.offered)
    for number in 1...3 { run.media(.localCandidate("candidate:\(number)", mid: number == 2 ? nil : "0")) }
    run.open(.signalling)
    #expect(run.sent(to: .signalling).count == 1)
    run.media(.localCandidate("candidate:4", mid: "0"))
    run.receive(PolySample.answer, from: .signalling)
    run.media(.localCandidate("candidate:5", mid: "0"))
    run.media(.endOfLocalCandidates)
    let sent = run.sent(to: .signalling).dropFirst()
    #expect(sent.map { $0["data"]["candidate"].string } == (1...5).map { "candidate:\($0)" })
    #expect(
      sent.first == [
        "type": "ice-candidate", "sessionId": "g-9",
        "data": ["candidate": "candidate:1", "sdpMid": "0", "sdpMLineIndex": 0],
      ])
    #expect(
      Array(sent)[1] == [
        "type": "ice-candidate", "sessionId": "g-9",
        "data": ["candidate": "candidate:2", "sdpMid": .null, "sdpMLineIndex": .null],
      ])
  }

  @Test func theirCandidatesWaitForTheAnswer() throws {
    var run = try PolyRun.at(.signallingOpen)
    _ = run.news()
    for number in 1...3 { run.receive(PolySample.remote("candidate:\(number)"), from: .signalling) }
    #expect(run.news().media().isEmpty)
    run.receive(PolySample.answer, from: .signalling)
    run.receive(PolySample.remote("candidate:4"), from: .signalling)
    #expect(
      run.news().media() == [
        .acceptAnswer("v=0 theirs"), .addCandidate("candidate:1"), .addCandidate("candidate:2"),
        .addCandidate("candidate:3"), .addCandidate("candidate:4"),
      ])
  }

  @Test func whileTheSocketIsGoneCandidatesWaitInOrder() throws {
    var run = try PolyRun.at(.answered)
    run.close(.signalling, code: 1006)
    for number in 1...3 { run.media(.localCandidate("candidate:\(number)", mid: "0")) }
    run.pass(seconds: 1)
    _ = run.news()
    run.open(.signalling)
    let sent = run.news().sent()
    #expect(sent.map { $0["data"]["candidate"].string } == (1...3).map { "candidate:\($0)" })
    #expect(sent.allSatisfy { $0["type"].string != "offer" }, "a delivered offer is not sent again")
  }

  @Test("what a socket took that broke is sent again until the call is connected", arguments: [false, true])
  func candidatesThatMayBeLost(isConnected: Bool) throws {
    var run = try PolyRun.at(.answered)
    for number in 1...2 { run.media(.localCandidate("candidate:\(number)", mid: "0")) }
    if isConnected { run.media(.connected) }
    run.close(.signalling, code: 1006)
    run.media(.localCandidate("candidate:3", mid: "0"))
    run.pass(seconds: 1)
    _ = run.news()
    run.open(.signalling)
    let sent = run.news().sent().map { $0["data"]["candidate"].string }
    #expect(sent == ((isConnected ? 3 : 1)...3).map { "candidate:\($0)" })
  }

  @Test func anOfferThatWasNotDeliveredWaitsForTheNextSocket() throws {
    var run = try PolyRun.at(.offered)
    run.close(.signalling, wasOpen: false)
    run.pass(seconds: 1)
    run.open(.signalling)
    #expect(run.sent(to: .signalling).map { $0["type"].string } == ["offer"])
  }

  @Test func whatWasGivenUpIsNotHeard() throws {
    var run = try PolyRun.at(.connected)
    let old = run.key(.signalling)
    run.close(.signalling, code: 1006)
    run.pass(seconds: 1)
    run.tell(.received(old, .text(JSON.object(["type": "close"]).text)))
    run.tell(.closed(old, SocketEnding(code: 1000)))
    #expect(run.state == .active([]))
    run.open(.signalling)
    run.tell(.received(old, .text(JSON.object(["type": "close"]).text)))
    #expect(run.state == .active([]))
  }

  @Test(
    "frames that are dropped",
    arguments: [
      "", "{", "[]", "7", "{\"type\":7}", "{\"type\":\"pong\"}", "{\"type\":\"news\"}", "{\"type\":\"answer\"}",
      "{\"type\":\"answer\",\"data\":{\"sdp\":7}}", "{\"type\":\"answer\",\"data\":[]}",
      "{\"type\":\"ice-candidate\"}", "{\"type\":\"ice-candidate\",\"data\":{\"candidate\":\"\"}}",
      String(repeating: "{\"data\":", count: 20_000),
    ])
  func dropped(text: String) throws {
    var run = try PolyRun.at(.signallingOpen)
    _ = run.news()
    run.receive(text, from: .signalling)
    run.receive([UInt8](text.utf8), from: .signalling)
    run.receive([0xFF, 0xFE, 0x00], from: .signalling)
    #expect(run.news().isEmpty)
    try run.go(.answered)
    try run.go(.connected)
    #expect(run.state == .active([]))
  }

  @Test func aNumberForASessionIsNone() throws {
    var run = try PolyRun.at(.signallingOpen)
    run.receive(["type": "answer", "sessionId": 7, "data": ["sdp": "v=0 theirs"]], from: .signalling)
    run.media(.localCandidate("candidate:1", mid: "0"))
    run.media(.connected)
    #expect(run.state == .active([]))
    #expect(run.sent(to: .signalling).count == 1)
    try run.perform(.end)
    #expect(run.sent(to: .signalling).last == ["type": "close", "sessionId": .null])
  }

  @Test func framesMayBeBinary() throws {
    var run = try PolyRun.at(.signallingOpen)
    run.receive([UInt8](PolySample.answer.text.utf8), from: .signalling)
    #expect(run.actions.media().contains(.acceptAnswer("v=0 theirs")))
  }

  @Test func aSecondAnswerChangesNothing() throws {
    var run = try PolyRun.at(.answered)
    _ = run.news()
    run.receive(PolySample.answer, from: .signalling)
    run.receive(["type": "answer", "sessionId": "g-10", "data": ["sdp": "v=0 others"]], from: .signalling)
    #expect(run.news().isEmpty)
  }
}
