import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("Telnyx: calls")
struct TelnyxCallTests {
  @Test("new, connecting, ringing, active, done")
  func call() throws {
    var run = try TelnyxRun.inCall()
    run.request("telnyx_rtc.bye", ["callID": .string(run.callID), "cause": "NORMAL_CLEARING", "causeCode": 16])
    #expect(
      run.actions.callStates() == [
        .new, .connecting, .ringing, .active, .done(TelnyxTermination(cause: "NORMAL_CLEARING", causeCode: 16)),
      ])
    #expect(run.state == .active([]), "the connection stays")
    let media: [SessionMediaAction] = run.actions.media()
    #expect(
      media == [
        .openPeer(servers: TelnyxConfiguration.publicICEServers, trickles: true, offers: true),
        .acceptAnswer(TelnyxSample.answer), .close,
      ])
  }

  @Test("the invitation's frame, with all that may be in it")
  func inviteFrame() throws {
    var parameters = TelnyxCallParameters(
      callerName: "Ada", callerNumber: "+15551", destinationNumber: "agent", clientState: "YQ==",
      customHeaders: ["X-Tier": "gold", "X-Account": "7"])
    parameters.userVariables = ["pet": "cat"]
    parameters.preferredCodecs = [
      .init(mimeType: "audio/opus", clockRate: 48_000, channelCount: 2, formatParameters: "minptime=10")
    ]
    var run = try TelnyxRun.registered()
    try run.startCall(parameters)
    let invite = try #require(run.actions.sent().last)
    let sdp =
      "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ice-ufrag:u1\r\na=fingerprint:sha-256 AA\r\n"
      + "a=\(TelnyxSample.host)\r\na=\(TelnyxSample.reflexive)\r\na=end-of-candidates\r\n"
    #expect(
      invite == [
        "jsonrpc": "2.0", "id": invite["id"], "method": "telnyx_rtc.invite",
        "params": [
          "User-Agent": "Antiphon-1.0.0", "sessionId": "s-1", "sdp": .string(sdp),
          "dialogParams": [
            "callID": .string(run.callID), "destination_number": "agent", "remote_caller_id_name": "Outbound Call",
            "caller_id_name": "Ada", "caller_id_number": "+15551", "audio": true, "video": false, "useStereo": false,
            "attach": false, "screenShare": false,
            "custom_headers": [["name": "X-Account", "value": "7"], ["name": "X-Tier", "value": "gold"]],
            "clientState": "YQ==", "userVariables": ["pet": "cat"],
            "preferred_codecs": [
              ["mimeType": "audio/opus", "clockRate": 48_000, "channels": 2, "sdpFmtpLine": "minptime=10"]
            ],
          ],
        ],
      ])
  }

  @Test("a whole offer leaves 0.3 s after the last candidate, and not before one came from a server")
  func wholeOffer() throws {
    var run = try TelnyxRun.registered()
    try run.perform(.own(.call(TelnyxCallParameters())))
    run.media(.offer(TelnyxSample.offer))
    run.media(.localCandidate(TelnyxSample.host, mid: "0"))
    run.pass(seconds: 2)
    #expect(run.callState == .new)
    run.media(.localCandidate(TelnyxSample.reflexive, mid: "0"))
    run.pass(seconds: 0.29)
    run.media(.localCandidate(TelnyxSample.relayed, mid: "0"))
    run.pass(seconds: 0.29)
    #expect(run.callState == .new)
    run.pass(seconds: 0.01)
    #expect(run.callState == .connecting)
    let sdp = try #require(run.actions.sent().last?["params"]["sdp"].string)
    #expect(sdp.components(separatedBy: "a=candidate:").count == 4)
    _ = run.news()
    run.media(.localCandidate("candidate:9 1 udp 1 10.0.0.1 1 typ host", mid: "0"))
    run.media(.endOfLocalCandidates)
    run.pass(seconds: 4)
    #expect(run.sentNews().isEmpty)
  }

  @Test("candidates that are ahead of the description wait for it", arguments: [true, false])
  func candidatesFirst(trickles: Bool) throws {
    var run = try TelnyxRun.registered(trickles: trickles)
    try run.perform(.own(.call(TelnyxCallParameters())))
    run.media(.localCandidate(TelnyxSample.reflexive, mid: "0"))
    run.media(.localCandidate(TelnyxSample.reflexive, mid: "0"))
    run.pass(seconds: 0.5)
    _ = run.news()
    run.media(.offer(TelnyxSample.offer))
    let sent = run.sentNews()
    #expect(sent.methods() == (trickles ? ["telnyx_rtc.invite", "telnyx_rtc.candidate"] : ["telnyx_rtc.invite"]))
    #expect(sent[0]["params"]["sdp"].string?.contains("typ srflx") == !trickles)
  }

  @Test("with trickle a bare offer leaves at once, candidates follow, and the end is told once, 3 s after the last")
  func trickle() throws {
    var run = try TelnyxRun.registered(trickles: true)
    try run.perform(.own(.call(TelnyxCallParameters())))
    _ = run.news()
    run.media(.offer(TelnyxSample.offer + "a=\(TelnyxSample.host)\r\na=end-of-candidates\r\n"))
    var sent = run.sentNews()
    #expect(sent.methods() == ["telnyx_rtc.invite"])
    #expect(sent[0]["params"]["trickle"] == true)
    #expect(sent[0]["params"]["sdp"] == .string(TelnyxSample.offer))
    run.media(.localCandidate(TelnyxSample.host, mid: "0"))
    sent = run.sentNews()
    #expect(
      sent == [
        [
          "jsonrpc": "2.0", "id": sent[0]["id"], "method": "telnyx_rtc.candidate",
          "params": [
            "candidate": .string(TelnyxSample.host), "sdpMid": "0", "sdpMLineIndex": 0,
            "dialogParams": ["callID": .string(run.callID)],
          ],
        ]
      ])
    run.pass(seconds: 2.99)
    #expect(run.sentNews().isEmpty)
    run.pass(seconds: 0.01)
    #expect(run.sentNews().methods() == ["telnyx_rtc.endOfCandidates"])
    run.media(.localCandidate(TelnyxSample.relayed, mid: "0"))
    run.media(.endOfLocalCandidates)
    run.pass(seconds: 5)
    #expect(run.sentNews().isEmpty)
  }

  @Test("the far end's candidates go to the sound, those of other calls do not")
  func remoteCandidates() throws {
    var run = try TelnyxRun.registered(trickles: true)
    try run.startCall()
    _ = run.news()
    run.request("telnyx_rtc.candidate", ["callID": "other", "candidate": "candidate:8"])
    run.request("telnyx_rtc.candidate", ["callID": .string(run.callID), "candidate": "candidate:7"])
    run.request(
      "telnyx_rtc.candidate", ["dialogParams": ["callID": .string(run.callID.uppercased())], "candidate": ""])
    run.request("telnyx_rtc.candidate", ["callID": .string(run.callID)])
    let media: [SessionMediaAction] = run.news().media()
    #expect(media == [.addCandidate("candidate:7"), .endOfCandidates])
  }

  @Test("early media counts until the answer, which may bring its own description or none", arguments: [true, false])
  func earlyMedia(answerHasDescription: Bool) throws {
    var run = try TelnyxRun.registered()
    try run.startCall()
    _ = run.news()
    run.request("telnyx_rtc.media", ["callID": .string(run.callID), "sdp": .string(TelnyxSample.answer)])
    run.request("telnyx_rtc.media", ["callID": .string(run.callID), "sdp": .string(TelnyxSample.answer)])
    run.request(
      "telnyx_rtc.answer",
      .object(compact: [
        "callID": .string(run.callID), "sdp": answerHasDescription ? .string(TelnyxSample.otherAnswer) : nil,
      ]))
    let media: [SessionMediaAction] = run.news().media()
    #expect(
      media == [
        .acceptProvisionalAnswer(TelnyxSample.answer),
        .acceptAnswer(answerHasDescription ? TelnyxSample.otherAnswer : TelnyxSample.answer),
      ])
    #expect(run.callState == .active)
  }

  @Test("an answer without any description ends the call with cause 96")
  func emptyAnswer() throws {
    var run = try TelnyxRun.registered()
    try run.startCall()
    run.request("telnyx_rtc.answer", ["callID": .string(run.callID)])
    #expect(run.callState == .done(TelnyxTermination(cause: "MANDATORY_IE_MISSING", causeCode: 96)))
    #expect(run.state == .active([]))
  }

  @Test("hanging up: with which cause, in every state", arguments: ["new", "connecting", "ringing", "active", "held"])
  func hangUp(in state: String) throws {
    var run = try TelnyxRun.registered()
    try run.perform(.own(.call(TelnyxCallParameters())))
    if state != "new" {
      run.media(.offer(TelnyxSample.offer))
      run.media(.endOfLocalCandidates)
    }
    if !["new", "connecting"].contains(state) { run.request("telnyx_rtc.ringing", ["callID": .string(run.callID)]) }
    if ["active", "held"].contains(state) {
      run.request("telnyx_rtc.answer", ["callID": .string(run.callID), "sdp": .string(TelnyxSample.answer)])
    }
    if state == "held" { try run.perform(.hold(true)) }
    _ = run.news()
    try run.perform(.own(.hangUp))
    let cause: TelnyxCause = ["active", "held"].contains(state) ? .normalClearing : .userBusy
    #expect(run.callState == .done(TelnyxTermination(cause)))
    let sent = run.sentNews()
    guard state != "new" else {
      #expect(sent.isEmpty, "the server knows of no call")
      return
    }
    #expect(
      sent == [
        [
          "jsonrpc": "2.0", "id": sent[0]["id"], "method": "telnyx_rtc.bye",
          "params": [
            "sessId": "s-1", "causeCode": .number(Double(cause.rawValue)), "cause": .string(cause.name),
            "dialogParams": ["callID": .string(run.callID)],
          ],
        ]
      ])
  }

  @Test("a second call follows the first on the same socket; what is still said of the first changes nothing")
  func secondCall() throws {
    var run = try TelnyxRun.inCall()
    let first = run.callID
    try run.perform(.own(.hangUp))
    try run.callUp()
    #expect(run.callID != first)
    run.request("telnyx_rtc.bye", ["callID": .string(first)])
    run.request("telnyx_rtc.answer", ["callID": .string(first), "sdp": "x"])
    #expect(run.callState == .active)
    #expect(run.actions.opens().count == 1)
  }

  @Test("two calls at once are refused, and one before the link is up")
  func refusals() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    #expect(throws: SessionError.self) { try run.perform(.own(.call(TelnyxCallParameters()))) }
    run.open(.signalling)
    var nowhere = TelnyxCallParameters()
    nowhere.destinationNumber = ""
    #expect(throws: SessionError.self) { try run.perform(.own(.call(nowhere))) }
    let badHeader = TelnyxCallParameters(customHeaders: ["Tier": "gold"])
    #expect(throws: SessionError.self) { try run.perform(.own(.call(badHeader))) }
    try run.perform(.own(.call(TelnyxCallParameters())))
    #expect(throws: SessionError.self) { try run.perform(.own(.call(TelnyxCallParameters()))) }
  }

  @Test("a call begun before the login is through is invited right after it, or after the gateway where that is asked")
  func callBeforeLogin() throws {
    for asksGateway in [false, true] {
      var run = TelnyxRun.assistant()
      try run.perform(.start)
      run.open(.signalling)
      try run.startCall()
      #expect(run.callState == .new)
      if asksGateway { run.request("telnyx_rtc.clientReady", [:]) }
      try run.logIn()
      #expect(run.callState == .new)
      if asksGateway {
        run.pass(seconds: 2)
        #expect(run.callState == .new)
        run.gateway("REGED")
      } else {
        run.pass(seconds: 0.99)
        #expect(run.callState == .new)
        run.pass(seconds: 0.01)
      }
      #expect(run.callState == .connecting)
      #expect(run.actions.sent().methods().filter { $0 == "telnyx_rtc.invite" }.count == 1)
    }
  }

  @Test("hold and back, keys, ringing acknowledged")
  func otherCommands() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    try run.perform(.hold(true))
    try run.perform(.hold(true))
    #expect(run.callState == .held)
    #expect(run.state == .active(.held))
    try run.perform(.hold(false))
    #expect(run.state == .active([]))
    try run.perform(.pressKeys("12#"))
    #expect(throws: SessionError.self) { try run.perform(.pressKeys("1x")) }
    #expect(throws: SessionError.self) { try run.perform(.own(.acknowledgeRinging)) }
    let news = run.news()
    let sent = news.sent()
    #expect(sent.map { $0["params"]["action"].string } == ["hold", "unhold", nil])
    #expect(sent[0]["params"]["sessionId"] == "s-1")
    #expect(sent[2]["method"] == "telnyx_rtc.info")
    #expect(sent[2]["params"]["dtmf"] == "12#")
    #expect(sent[2]["params"]["sessid"] == "s-1")
    let media: [SessionMediaAction] = news.media()
    #expect(media == [.send(false), .send(true)])
  }

  @Test("nobody answers within a minute")
  func unanswered() throws {
    var run = try TelnyxRun.registered()
    try run.startCall()
    for _ in 0..<12 {
      run.pass(seconds: 4.9)
      run.gateway("REGED")
    }
    #expect(run.callState == .connecting)
    run.pass(seconds: 1.2)
    #expect(run.callState == .done(TelnyxTermination(.recoveryOnTimerExpire)))
    #expect(run.actions.sent().last?["params"]["causeCode"] == 102)
  }

  @Test("a refused invitation, and sound that cannot be had, end it all")
  func fatal() throws {
    var run = try TelnyxRun.registered()
    try run.startCall()
    let invite = try #require(run.actions.sent().last)
    run.receive(["id": invite["id"], "error": ["code": -32_002, "message": "codec"]], from: .signalling)
    #expect(run.state.failure?.code == "-32002")
    #expect(run.actions.callStates().last == .done(nil))

    var deaf = try TelnyxRun.registered()
    try deaf.perform(.own(.call(TelnyxCallParameters())))
    let error = SessionError(.media, "no microphone", isRetryable: false)
    deaf.media(.failed(error))
    #expect(deaf.state == .failed(error))
  }

  @Test("other refusals are told, and change nothing")
  func otherErrors() throws {
    var run = try TelnyxRun.inCall()
    run.receive(["id": "x", "error": ["code": 401, "message": "ping"]], from: .signalling)
    #expect(run.callState == .active)
    let problems = run.actions.events().filter { if case .problem = $0 { true } else { false } }
    #expect(problems.count == 1)
  }

  @Test("mute is the sound's alone: nothing goes out, also when it came before the call")
  func mute() throws {
    var run = try TelnyxRun.registered()
    try run.perform(.mute(true))
    try run.callUp()
    #expect(run.actions.media().contains(.mute(true)))
    let count = run.actions.sent().count
    try run.perform(.mute(false))
    try run.perform(.mute(true))
    #expect(run.actions.sent().count == count)
    #expect(run.actions.media().suffix(2) == [.mute(false), .mute(true)])
  }

  @Test("the end says goodbye and releases")
  func end() throws {
    var run = try TelnyxRun.inCall()
    _ = run.news()
    try run.perform(.end)
    let news = run.news()
    #expect(news.sent().methods() == ["telnyx_rtc.bye"])
    #expect(news.releases() == 1)
    #expect(run.state == .ended(.local))
  }
}
