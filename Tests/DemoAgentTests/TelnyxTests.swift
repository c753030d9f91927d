import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// What a client of Telnyx' sends.
enum TelnyxFrames {
  static func login(_ session: String = "s-1", reconnects: Bool = false) -> String {
    #"{"jsonrpc":"2.0","id":"l1","method":"anonymous_login","params":{"target_type":"ai_assistant","target_id":"assistant-7","reconnection":\#(reconnects),"sessid":"\#(session)","User-Agent":{"sdkVersion":"2.4.0","data":"iOS-2.4.0"}}}"#
  }
  static let gateway = #"{"jsonrpc":"2.0","id":"g1","method":"telnyx_rtc.gatewayState","params":{}}"#

  static func request(_ method: String, _ params: JSON, id: JSON = "r1") -> JSON {
    ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params]
  }

  static func invite(_ call: String, _ sdp: String, trickles: Bool = false) -> JSON {
    let dialog: JSON = [
      "callID": .string(call), "destination_number": "xxx", "remote_caller_id_name": "Outbound Call",
      "caller_id_name": "Anonymous User", "caller_id_number": "anonymous", "audio": true, "video": false,
      "useStereo": false, "attach": false, "screenShare": false,
      "custom_headers": [["name": "X-Tier", "value": "gold"]],
    ]
    let params: JSON = ["User-Agent": "iOS-2.4.0", "sessionId": "s-1", "sdp": .string(sdp), "dialogParams": dialog]
    return request("telnyx_rtc.invite", trickles ? params.with("trickle", true) : params, id: "i1")
  }
}

/// The Telnyx fake, driven by hand-written JSON-RPC.
@Suite("Telnyx fake", .timeLimit(.minutes(2))) struct TelnyxTests {
  let loop = EventLoop()

  private func result(_ caller: RawCaller, _ id: JSON, seen: (JSON) -> Void = { _ in }) async throws -> JSON {
    while true {
      let frame = try await caller.nextJSON()
      if frame["id"] == id, let result = frame["result"] { return result }
      if frame["id"] == id, let error = frame["error"] { return error }
      seen(frame)
    }
  }

  private func registered(_ agent: DemoAgentServer, session: String = "s-1", reconnects: Bool = false) async throws
    -> RawCaller
  {
    let caller = try await RawCaller(agent.url + "/", on: loop)
    try await caller.send(TelnyxFrames.login(session, reconnects: reconnects))
    #expect(try await result(caller, "l1") == ["message": "logged in", "sessid": .string(session)])
    try await caller.next("telnyx_rtc.clientReady")
    try await caller.send(TelnyxFrames.gateway)
    #expect(try await result(caller, "g1")["params"]?["state"] == "REGED")
    return caller
  }

  @Test("login, readiness, registration after two waits, settings, pings") func registration() async throws {
    var settings = DemoAgentSettings.script([])
    settings.telnyx.gatewayStates = ["NOREG", "TRYING", "REGED"]
    settings.telnyx.pingSeconds = 0.1
    let agent = try await DemoAgentServer.start(as: .telnyx, settings: settings, on: loop)
    let caller = try await RawCaller(agent.url + "/", on: loop)
    try await caller.send(TelnyxFrames.login())
    _ = try await result(caller, "l1")
    #expect(try await caller.next("telnyx_rtc.clientReady")["params"]?["reattached_sessions"] == [])
    try await caller.send(TelnyxFrames.request("telnyx_rtc.ping", [:], id: "p0"))
    #expect(try await result(caller, "p0")["code"] == 401, "too early")
    for state in [JSON.string("NOREG"), "TRYING", "REGED"] {
      try await caller.send(TelnyxFrames.gateway)
      #expect(try await result(caller, "g1")["params"]?["state"] == state)
    }
    let widget = try await caller.next("ai_conversation")
    #expect(widget["params"]?["type"] == "widget_settings" && widget["voice_sdk_id"]?.string != nil)
    #expect(widget["params"]?["widget_settings"]?["start_call_text"] == "Talk to us")
    let ping = try await caller.next("telnyx_rtc.ping")
    try await caller.send(ping)
    try await caller.send(TelnyxFrames.request("telnyx_rtc.ping", [:], id: "p1"))
    #expect(try await result(caller, "p1")["message"] == "pong")
    await caller.socket.close()
    await agent.stop()
  }

  @Test("a call: ringing, media, answer, sound both ways, words, tool, text, hold, goodbye", arguments: [false, true])
  func call(trickles: Bool) async throws {
    var settings = DemoAgentSettings.forTests
    settings.telnyx.sendsEarlyMedia = !trickles
    let agent = try await DemoAgentServer.start(as: .telnyx, settings: settings, on: loop)
    let caller = try await registered(agent)
    let peer = try WebRTCCaller(trickles: trickles, on: loop)
    let id = UUID().uuidString.lowercased()
    let events = peer.connection.events
    try await caller.send(TelnyxFrames.invite(id, try await peer.connection.makeOffer(), trickles: trickles))
    let dialog: JSON = ["callID": .string(id)]
    if trickles {
      Task {
        for await event in events {
          if case .localCandidate(let candidate, _) = event {
            try await caller.send(
              TelnyxFrames.request(
                "telnyx_rtc.candidate",
                [
                  "candidate": .string(candidate.description), "sdpMid": "0", "sdpMLineIndex": 0,
                  "dialogParams": dialog,
                ]))
          } else if case .endOfLocalCandidates = event {
            try await caller.send(TelnyxFrames.request("telnyx_rtc.endOfCandidates", ["dialogParams": dialog]))
          }
        }
      }
    }
    #expect(try await result(caller, "i1")["message"] == "CALL CREATED")
    #expect(try await caller.next("telnyx_rtc.ringing")["params"]?["callID"] == .string(id))
    var candidates: [String] = []
    let described = try await caller.next(trickles ? "telnyx_rtc.answer" : "telnyx_rtc.media") { frame in
      if let candidate = frame["params"]?["candidate"]?.string { candidates.append(candidate) }
    }
    try await peer.connection.accept(answer: described["params"]?["sdp"]?.string ?? "")
    for candidate in candidates { try await peer.connection.add(candidate: candidate) }
    if !trickles { #expect(try await caller.next("telnyx_rtc.answer")["params"]?["sdp"] == nil) }

    func conversation(_ type: String) async throws -> JSON {
      while true {
        let frame = try await caller.nextJSON()
        if let candidate = frame["params"]?["candidate"]?.string { try await peer.connection.add(candidate: candidate) }
        if frame["method"] == "ai_conversation", frame["params"]?["type"] == .string(type) { return frame["params"]! }
      }
    }
    _ = try await conversation("response.created")
    #expect(try await conversation("response.text.delta")["delta"] == "Hello. ")
    _ = try await conversation("response.done")
    #expect(await peer.hears(seconds: 0.3))
    try await caller.send(
      TelnyxFrames.request("telnyx_rtc.ringing_ack", ["callID": .string(id), "sessid": "s-1"], id: "k1"))
    await peer.hearsSilence()
    peer.say(try Question.samples("what is the weather in london"))
    let user = try await conversation("conversation.item.created")["item"]
    #expect(user?["role"] == "user" && user?["status"] == "completed")
    #expect(user?["content"]?.array?.first?["transcript"] == "what is the weather in london")
    let tool = try await conversation("conversation.item.created")["item"]
    #expect(tool?["type"] == "function_call" && tool?["arguments"] == #"{"city":"London"}"#)
    try await caller.send([
      "jsonrpc": "2.0", "method": "ai_conversation",
      "params": [
        "type": "conversation.item.create",
        "item": ["type": "function_call_output", "call_id": tool?["call_id"] ?? .null, "output": "dry"],
      ],
    ])
    var words = ""
    while !words.hasSuffix("dry. ") { words += try await conversation("response.text.delta")["delta"]?.string ?? "" }
    #expect(words == "In London it is dry. ")
    try await caller.send(
      TelnyxFrames.request(
        "telnyx_rtc.modify", ["sessionId": "s-1", "action": "hold", "dialogParams": dialog], id: "h1"))
    #expect(try await result(caller, "h1")["holdState"] == "held")
    try await caller.send(
      TelnyxFrames.request(
        "telnyx_rtc.modify", ["sessionId": "s-1", "action": "toggleHold", "dialogParams": dialog], id: "h2"))
    #expect(try await result(caller, "h2")["holdState"] == "active")
    try await caller.send(
      TelnyxFrames.request(
        "ai_conversation",
        [
          "type": "conversation.item.create",
          "item": [
            "id": "mine", "type": "message", "role": "user", "content": [["type": "input_text", "text": "goodbye"]],
          ],
        ]))
    #expect(try await conversation("conversation.item.created")["item"]?["id"] == "mine")
    let bye = try await caller.next("telnyx_rtc.bye")
    #expect(bye["params"]?["cause"] == "NORMAL_CLEARING" && bye["params"]?["causeCode"] == 16)
    await peer.connection.close()
    await caller.socket.close()
    await agent.stop()
  }

  @Test("a client that comes again is offered a new path, and a restart of ICE is answered") func recovery()
    async throws
  {
    var settings = DemoAgentSettings.forTests
    settings.voice = .tone(440)
    let agent = try await DemoAgentServer.start(as: .telnyx, settings: settings, on: loop)
    let caller = try await registered(agent)
    let peer = try WebRTCCaller(trickles: false, on: loop)
    let id = UUID().uuidString.lowercased()
    try await caller.send(TelnyxFrames.invite(id, try await peer.connection.makeOffer()))
    try await peer.connection.accept(
      answer: try await caller.next("telnyx_rtc.media")["params"]?["sdp"]?.string ?? "")
    #expect(await peer.hears(seconds: 0.5))
    let dialog: JSON = ["callID": .string(id)]
    try await caller.send(
      TelnyxFrames.request(
        "telnyx_rtc.modify",
        ["action": "updateMedia", "sdp": .string(try await peer.connection.restartICE()), "dialogParams": dialog],
        id: "u1"))
    let update = try await result(caller, "u1")
    #expect(update["action"] == "updateMedia")
    try await peer.connection.accept(answer: update["sdp"]?.string ?? "")
    #expect(await peer.hears(seconds: peer.heardSeconds + 0.5))

    await caller.socket.close()
    let again = try await RawCaller(agent.url + "/", on: loop)
    try await again.send(TelnyxFrames.login(reconnects: true))
    #expect(try await again.next("telnyx_rtc.clientReady")["params"]?["reattached_sessions"] == [.string(id)])
    try await again.send(TelnyxFrames.gateway)
    let attach = try await again.next("telnyx_rtc.attach")
    #expect(attach["params"]?["callID"] == .string(id))
    let second = try WebRTCCaller(trickles: false, on: loop)
    let answer = try await second.connection.accept(offer: attach["params"]?["sdp"]?.string ?? "")
    try await again.send(
      TelnyxFrames.request("telnyx_rtc.attach", ["sdp": .string(answer), "dialogParams": dialog], id: "a1"))
    _ = try await result(again, "a1")
    #expect(await second.hears(seconds: 0.5), "the talk goes on over the new path")
    try await again.send(
      TelnyxFrames.request(
        "telnyx_rtc.bye",
        ["sessId": "s-1", "cause": "NORMAL_CLEARING", "causeCode": 16, "dialogParams": dialog], id: "b1"))
    _ = try await result(again, "b1")
    await peer.connection.close()
    await second.connection.close()
    await again.socket.close()
    await agent.stop()
  }

  @Test(
    "frames that are refused, and with what",
    arguments: [
      ("{", -32_700), ("[]", -32_600), (#"{"id":"1","method":"telnyx_rtc.ping"}"#, -32_600),
      (#"{"jsonrpc":"2.0","method":"telnyx_rtc.gatewayState"}"#, -32_600),
      (#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, -32_600), (#"{"jsonrpc":"2.0","id":"1"}"#, -32_600),
      (#"{"jsonrpc":"2.0","id":"1","method":"telnyx_rtc.invite","params":[]}"#, -32_602),
      (#"{"jsonrpc":"2.0","id":"1","method":"telnyx_rtc.dance","params":{"dialogParams":{"callID":"x"}}}"#, -32_602),
      (
        TelnyxFrames.request("telnyx_rtc.bye", ["dialogParams": ["callID": "6f0c9a2e-1111-4222-8333-444455556666"]])
          .text, -32_002
      ),
      (
        TelnyxFrames.request(
          "telnyx_rtc.candidate",
          ["candidate": "x", "dialogParams": ["callID": "6f0c9a2e-1111-4222-8333-444455556666"]]
        ).text, -32_002
      ),
      (TelnyxFrames.invite("6F0C9A2E-1111-4222-8333-444455556666", "v=0 opus/48000").text, -32_602),
      (TelnyxFrames.invite("6f0c9a2e-1111-4222-8333-444455556666", "v=0").text, -32_002),
      (TelnyxFrames.invite("6f0c9a2e-1111-4222-8333-444455556666", "").text, -32_602),
      (
        TelnyxFrames.request("ai_conversation", ["type": "conversation.item.create", "item": ["type": "message"]]).text,
        -32_002
      ),
      (TelnyxFrames.login().replacingOccurrences(of: "ai_assistant", with: "human"), -32_602),
      (TelnyxFrames.login().replacingOccurrences(of: "assistant-7", with: "assistant-8"), -32_001),
      (TelnyxFrames.login().replacingOccurrences(of: "reconnection\":false", with: "reconnection\":\"no\""), -32_602),
      (String(repeating: "[", count: 10_000), -32_700),
    ])
  func refused(frame: String, code: Int) async throws {
    var settings = DemoAgentSettings.script([])
    settings.telnyx.assistantID = "assistant-7"
    let agent = try await DemoAgentServer.start(as: .telnyx, settings: settings, on: loop)
    let caller = try await registered(agent)
    try await caller.next("ai_conversation")
    try await caller.send(frame)
    #expect(try await caller.nextJSON()["error"]?["code"] == .integer(code), "\(frame.prefix(200))")
    await caller.socket.close()
    let stranger = try await RawCaller(agent.url + "/", on: loop)
    try await stranger.send(TelnyxFrames.gateway)
    #expect(try await stranger.nextJSON()["error"]?["code"] == -32_000)
    await stranger.socket.close()
    await agent.stop()
  }
}
