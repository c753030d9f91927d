import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("Telnyx: recovery of a call")
struct TelnyxRecoveryTests {
  /// The new socket opens and lets this client in.
  private func comeBack(_ run: inout TelnyxRun) throws {
    run.pass(seconds: 1)
    run.open(.signalling)
    try run.logIn()
  }

  private func attach(_ run: inout TelnyxRun, _ sdp: String) {
    run.request("telnyx_rtc.attach", ["callID": .string(run.callID), "sdp": .string(sdp)])
  }

  @Test("a lost socket: dialled after 1 s, logged in again, the call taken up", arguments: [true, false])
  func reattach(samePeer: Bool) throws {
    var run = try TelnyxRun.inCall()
    try run.perform(.mute(true))
    _ = run.news()
    run.close(.signalling, code: 1006)
    #expect(run.callState == .reconnecting(.networkLost))
    #expect(run.state == .active(.reconnecting))
    try comeBack(&run)
    var news = run.news()
    #expect(news.opens().map(\.url) == ["wss://rtc.telnyx.com?voice_sdk_id=VSDK%209"])
    #expect(news.sent()[0]["params"]["reconnection"] == true)
    #expect(news.sent()[0]["params"]["sessid"] == "s-1")

    attach(&run, samePeer ? TelnyxSample.answer : TelnyxSample.otherAnswer)
    news = run.news()
    let media: [SessionMediaAction] = news.media()
    let reopened: [SessionMediaAction] = [
      .close, .openPeer(servers: TelnyxConfiguration.publicICEServers, trickles: true, offers: false), .mute(true),
      .acceptOffer(TelnyxSample.otherAnswer),
    ]
    #expect(media == (samePeer ? [.acceptOffer(TelnyxSample.answer)] : reopened))

    if samePeer {
      run.media(.answer(TelnyxSample.answer + "a=\(TelnyxSample.host)\r\n"))
    } else {
      run.media(.answer(TelnyxSample.offer))
      run.media(.localCandidate(TelnyxSample.reflexive, mid: "0"))
      run.pass(seconds: 0.3)
    }
    let answer = try #require(run.sentNews().last)
    #expect(answer["method"] == "telnyx_rtc.attach")
    #expect(answer["params"]["dialogParams"]["attach"] == true)
    #expect(answer["params"]["dialogParams"]["callID"] == .string(run.callID))
    #expect(answer["params"]["sdp"].string?.contains("a=end-of-candidates") == true)
    #expect(run.callState == .active)
    #expect(run.state == .active([]))
    run.pass(seconds: 61)
    #expect(run.callState != .done(nil))
  }

  @Test("a minute after the loss it is over")
  func limit() throws {
    var run = try TelnyxRun.inCall()
    run.close(.signalling)
    for _ in 0..<9 {
      run.pass(seconds: 6)
      run.close(.signalling, wasOpen: false)
    }
    run.pass(seconds: 5.9)
    #expect(run.callState == .reconnecting(.networkLost))
    run.pass(seconds: 0.1)
    #expect(run.actions.callStates().last == .done(nil))
    #expect(run.state.failure.map { TelnyxError($0) } == .callFailed(.reconnectFailed))
    #expect(run.state.failure?.isRetryable == true)
  }

  @Test("a server that lets this client in but does not bring the call: a minute, too")
  func silentAfterLogin() throws {
    var run = try TelnyxRun.inCall()
    run.close(.signalling)
    try comeBack(&run)
    run.pass(seconds: 58)
    #expect(run.callState == .reconnecting(.networkLost))
    run.pass(seconds: 1)
    #expect(run.state.failure?.code == "reconnectFailed")
  }

  @Test("a server that says that no call was kept")
  func forgotten() throws {
    var run = try TelnyxRun.inCall()
    run.close(.signalling)
    try comeBack(&run)
    run.request("telnyx_rtc.clientReady", ["reattached_sessions": []])
    #expect(run.state.failure?.code == "reconnectFailed")
  }

  @Test("a socket lost before the answer drops the call")
  func dropped() throws {
    var run = try TelnyxRun.registered()
    try run.startCall()
    run.close(.signalling)
    #expect(run.actions.callStates().last == .dropped(.networkLost))
    #expect(run.state.failure?.code == "socketNotConnected")
  }

  @Test("another network: the socket is made anew at once")
  func networkSwitch() throws {
    var run = try TelnyxRun.inCall()
    try run.perform(.own(.networkChanged))
    #expect(run.callState == .reconnecting(.networkSwitch))
    let closes = run.actions.filter { if case .close = $0 { true } else { false } }
    #expect(closes.count == 1)
    try comeBack(&run)
    #expect(run.actions.opens().count == 2)
  }

  @Test("a path lost for 3 s is looked for anew over a socket that lives")
  func restart() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    run.media(.disconnected)
    run.pass(seconds: 2.9)
    #expect(run.callState == .active)
    run.gateway("REGED")
    run.pass(seconds: 0.1)
    #expect(run.callState == .reconnecting(.networkLost))
    #expect(run.news().media() == [.restartICE])
    run.media(.receiving(false))
    run.media(.offer(TelnyxSample.offer))
    run.media(.endOfLocalCandidates)
    let update = try #require(run.sentNews().last)
    #expect(update["method"] == "telnyx_rtc.modify")
    #expect(update["params"]["action"] == "updateMedia")
    #expect(update["params"]["sdp"].string?.hasPrefix("v=0") == true)
    run.receive(
      [
        "id": update["id"],
        "result": ["action": "updateMedia", "callID": .string(run.callID), "sdp": .string(TelnyxSample.otherAnswer)],
      ], from: .signalling)
    #expect(run.news().media() == [.acceptAnswer(TelnyxSample.otherAnswer)])
    run.pass(seconds: 4.9)
    #expect(run.callState == .reconnecting(.networkLost))
    run.media(.receiving(true))
    #expect(run.callState == .active)
  }

  @Test("a blip shorter than the grace is no loss")
  func blip() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    run.media(.disconnected)
    run.pass(seconds: 2.99)
    run.media(.connected)
    run.pass(seconds: 5)
    #expect(run.news().isEmpty)
  }

  @Test("no answer to the new path within 15 s, or no packet 5 s after it: a new connection", arguments: [true, false])
  func restartFails(isAnswered: Bool) throws {
    var run = try TelnyxRun.inCall()
    run.media(.failed(SessionError(.media, "no path", isRetryable: true)))
    run.media(.receiving(false))
    run.media(.offer(TelnyxSample.offer))
    run.media(.endOfLocalCandidates)
    if isAnswered {
      let update = try #require(run.actions.sent().last)
      run.receive(["id": update["id"], "result": ["sdp": .string(TelnyxSample.answer)]], from: .signalling)
    }
    run.pass(seconds: isAnswered ? 4.9 : 14.9)
    #expect(run.actions.opens().count == 1)
    run.pass(seconds: 1.2)
    #expect(run.actions.opens().count == 2)
  }

  @Test("over a socket that may be dead, a sign of life is asked for first", arguments: [true, false])
  func probe(isAlive: Bool) throws {
    var run = try TelnyxRun.inCall()
    run.pass(seconds: 3.5)
    _ = run.news()
    run.media(.failed(SessionError(.media, "no path", isRetryable: true)))
    let probe = try #require(run.sentNews().last)
    #expect(probe["method"] == "telnyx_rtc.ping")
    if isAlive {
      run.receive(["id": probe["id"], "result": [:]], from: .signalling)
      #expect(run.news().media() == [.restartICE])
    } else {
      run.pass(seconds: 5)
      run.pass(seconds: 1)
      #expect(run.actions.opens().count == 2)
    }
  }

  @Test("what is said and answered meanwhile is kept, and goes out when the call stands again")
  func outbox() throws {
    var run = try TelnyxRun.inCall()
    run.converse([
      "type": "conversation.item.created",
      "item": ["type": "function_call", "call_id": "c1", "name": "time", "arguments": "{}"],
    ])
    run.close(.signalling)
    try run.perform(.sendText("still there?"))
    try run.perform(.toolResult(id: "c1", result: "noon", isError: false))
    #expect(throws: SessionError.self) { try run.perform(.toolResult(id: "c1", result: "noon", isError: false)) }
    try comeBack(&run)
    attach(&run, TelnyxSample.answer)
    _ = run.news()
    run.media(.answer(TelnyxSample.answer))
    run.media(.endOfLocalCandidates)
    #expect(run.sentNews().methods() == ["telnyx_rtc.attach", "ai_conversation", "ai_conversation"])
  }

  @Test("a held call is held again, and its new sound sends nothing")
  func heldOver() throws {
    var run = try TelnyxRun.inCall()
    try run.perform(.hold(true))
    run.close(.signalling)
    try comeBack(&run)
    attach(&run, TelnyxSample.otherAnswer)
    #expect(run.actions.media().last == .send(false))
    run.media(.answer(TelnyxSample.offer))
    run.media(.endOfLocalCandidates)
    #expect(run.callState == .held)
    #expect(run.state == .active(.held))
  }

  @Test("hanging up while the connection is gone: the server learns of it when it brings the call")
  func hangUpMeanwhile() throws {
    var run = try TelnyxRun.inCall()
    run.close(.signalling)
    try run.perform(.own(.hangUp))
    #expect(run.state == .active([]))
    try comeBack(&run)
    _ = run.news()
    attach(&run, TelnyxSample.answer)
    #expect(run.sentNews().methods() == ["telnyx_rtc.bye"])
    // By then the server has no call of this client's any more, which is no loss.
    run.registerGateway()
    try run.callUp()
    #expect(run.callState == .active)
  }

  @Test("frames of the socket that was given up change nothing")
  func supersededSocket() throws {
    var run = try TelnyxRun.inCall()
    let old = run.key(.signalling)
    run.close(.signalling)
    try comeBack(&run)
    let bye: JSON = ["method": "telnyx_rtc.bye", "params": ["callID": .string(run.callID)]]
    run.tell(.received(old, .text(bye.text)))
    #expect(run.callState == .reconnecting(.networkLost))
  }
}
