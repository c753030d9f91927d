import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// The fakes of PolyAI's services, driven by plain requests and frames.
@Suite("PolyAI fake", .timeLimit(.minutes(2))) struct PolyAITests {
  let loop = EventLoop()
  static let correlation: HTTPHeaders = [
    "X-Host": "com.example", "X-Polyai-Correlation-Id": "0d6c55f8-94ff-4d0f-8f5b-5a2f0c9c7a11",
  ]
  static let session = #"{"streaming_enabled":true,"platform":"ios","device_type":"mobile"}"#

  /// A session, and its messaging socket.
  private func begin(_ agent: DemoAgentServer) async throws -> (socket: RawCaller, url: String) {
    var headers = Self.correlation
    headers.append("X-Token", "connector")
    let token = try #require(
      try await RawClient(agent, headers: headers, on: loop).send(.post, "/api/v1/access-token", "{}").body[
        "access_token"]?.string)
    let client = RawClient(agent, headers: ["Authorization": "Bearer \(token)"], on: loop)
    let id = try #require(try await client.send(.post, "/api/v1/sessions", Self.session).body["session_id"]?.string)
    let url = "ws://127.0.0.1:\(agent.port)/ws?access_token=\(token)&session_id=\(id)"
    return (try await RawCaller(url, on: loop), url)
  }

  static func offer(_ sdp: String, callSID: String = UUID().uuidString) -> JSON {
    [
      "type": "offer", "data": ["type": "offer", "sdp": .string(sdp)], "mode": "end-to-end", "authToken": "web",
      "callSid": .string(callSID), "caller": "Polyphone", "callee": "Polyphone", "sessionId": nil,
    ]
  }

  private func signalling(_ agent: DemoAgentServer) async throws -> RawCaller {
    try await RawCaller("ws://127.0.0.1:\(agent.port)/api/v1/webrtc/signal", on: loop)
  }

  @Test("a call with its words on the messaging socket; the signalling is lost and found; goodbye")
  func call() async throws {
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: .forTests, on: loop)
    let (messaging, _) = try await begin(agent)
    let start = try await messaging.next("EVENT_TYPE_SESSION_START")
    #expect(start["sequence"] == 1 && start["payload"]?["capabilities"]?["heartbeat_interval_seconds"] == 30)
    let sid = UUID().uuidString
    try await messaging.send(["type": "EVENT_TYPE_LINK_TO_WEBRTC_CONVERSATION", "payload": ["call_sid": .string(sid)]])

    var gateway = try await signalling(agent)
    let peer = try WebRTCCaller(trickles: true, on: loop)
    try await gateway.send(Self.offer(try await peer.connection.makeOffer(), callSID: sid))
    let answer = try await gateway.next("answer")
    let id = try #require(answer["sessionId"]?.string)
    try await peer.connection.accept(answer: answer["data"]?["sdp"]?.string ?? "")
    // Our candidates first, over a second socket: the first one is lost.
    await gateway.socket.close()
    gateway = try await signalling(agent)
    for await event in peer.connection.events {
      if case .endOfLocalCandidates = event { break }
      guard case .localCandidate(let candidate, _) = event else { continue }
      try await gateway.send([
        "type": "ice-candidate", "sessionId": .string(id),
        "data": ["candidate": .string(candidate.description), "sdpMid": "0", "sdpMLineIndex": nil],
      ])
    }
    let theirs = try await gateway.next("ice-candidate")
    #expect(theirs["sessionId"] == .string(id) && theirs["data"]?["sdpMLineIndex"] == 0)
    try await peer.connection.add(candidate: theirs["data"]?["candidate"]?.string ?? "")
    #expect(await peer.hears(seconds: 0.3), "the greeting")
    try await messaging.next("EVENT_TYPE_POLY_AGENT_JOINED")
    let chunk = try await messaging.next("EVENT_TYPE_POLY_AGENT_MESSAGE_CHUNK")["payload"]
    #expect(chunk?["text"] == "Hello." && chunk?["is_complete"] == true)
    await peer.hearsSilence()
    peer.say(try Question.samples("what time is it"))
    #expect(try await messaging.next("EVENT_TYPE_USER_MESSAGE")["payload"]?["text"] == "what time is it")
    var words = ""
    while !words.hasSuffix("morning.") {
      words += try await messaging.next("EVENT_TYPE_POLY_AGENT_MESSAGE_CHUNK")["payload"]?["text"]?.string ?? ""
    }
    #expect(words == "It is 10:30 in the morning.")
    try await messaging.send(["type": "EVENT_TYPE_USER_MESSAGE", "payload": ["text": "goodbye"]])
    #expect(try await messaging.next("EVENT_TYPE_SESSION_END")["payload"]?["reason"] == "call_ended")
    try await gateway.next("close")
    #expect(await gateway.ended() == .closed(by: .peer, code: 1000, reason: ""))
    await peer.connection.close()
    await agent.stop()
  }

  @Test("the messaging socket: chat, replay behind a cursor, replacement, a session that never starts")
  func messaging() async throws {
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: .script([]), on: loop)
    let (first, url) = try await begin(agent)
    try await first.next("EVENT_TYPE_SESSION_START")
    try await first.send(["type": "EVENT_TYPE_HEARTBEAT", "payload": [:]])
    try await first.send(["type": "EVENT_TYPE_USER_MESSAGE", "payload": ["text": "thanks"]])
    #expect(try await first.next("EVENT_TYPE_USER_MESSAGE")["sequence"] == 2)
    try await first.next("EVENT_TYPE_POLY_AGENT_MESSAGE_CHUNK")
    let second = try await RawCaller(url + "&cursor=2", on: loop)
    let batch = try await second.next("EVENT_TYPE_EVENT_BATCH")["payload"]?["events"]?.array
    #expect(batch?.first?["sequence"] == 3)
    #expect(await first.ended() == .closed(by: .peer, code: 4000, reason: "replaced by another client"))
    let stranger = try await RawCaller(url.replacingOccurrences(of: "session_id=ms", with: "session_id=xx"), on: loop)
    #expect(await stranger.ended() == .closed(by: .peer, code: 4001, reason: "invalid session"))
    try await second.send(["type": "EVENT_TYPE_USER_END_SESSION", "payload": [:]])
    #expect(await second.ended() == .closed(by: .peer, code: 1000, reason: ""))
    await agent.stop()

    var silent = DemoAgentSettings.script([])
    silent.polyAI.sessionStartSeconds = nil
    let other = try await DemoAgentServer.start(as: .polyAI, settings: silent, on: loop)
    let (waiting, _) = try await begin(other)
    #expect(try await waiting.next(within: 0.3) == nil)
    await other.stop()
  }

  @Test("REST: tokens and bodies") func rest() async throws {
    var settings = DemoAgentSettings.script([])
    settings.polyAI.connectorToken = "right"
    settings.polyAI.webCallingToken = "web"
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: settings, on: loop)
    let bare = RawClient(agent, on: loop)
    #expect(try await bare.send(.post, "/api/v1/access-token", "{}").status == 401)
    var headers = Self.correlation
    headers.append("X-Token", "wrong")
    #expect(
      try await RawClient(agent, headers: headers, on: loop).send(.post, "/api/v1/access-token", "{}").status == 401)
    headers["X-Token"] = "right"
    let client = RawClient(agent, headers: headers, on: loop)
    #expect(try await client.send(.post, "/api/v1/access-token", "x").status == 400)
    let token = try await client.send(.post, "/api/v1/access-token", "{}").body
    #expect(token["expires_in"] == 3_600 && token["token_type"] == "Bearer")
    #expect(
      try await RawClient(agent, headers: ["X-Token": "right"], on: loop).send(.post, "/api/v1/access-token", "{}")
        .status
        == 400)
    #expect(try await bare.send(.post, "/api/v1/sessions", Self.session).status == 401)
    let known = RawClient(agent, headers: ["Authorization": "Bearer \(token["access_token"]?.string ?? "")"], on: loop)
    #expect(
      try await known.send(.post, "/api/v1/sessions", Self.session.replacingOccurrences(of: "mobile", with: "watch"))
        .status == 400)
    #expect(try await known.send(.post, "/api/v1/sessions", Self.session).status == 200)
    #expect(try await bare.send(.get, "/api/v1/ice-servers?token=no").status == 401)
    #expect(try await bare.send(.get, "/api/v1/ice-servers?token=web").body == ["iceServers": []])
    await agent.stop()
  }

  static func changed(_ key: String, _ value: JSON?) -> String {
    let members = offer("v=0").members ?? []
    return JSON.object(
      members.compactMap { $0.key != key ? $0 : value.map { JSON.Member(key: key, value: $0) } }
    ).text
  }

  @Test(
    "signalling frames that the gateway refuses",
    arguments: [
      ("{", "malformed message"), (#"{"a":1}"#, "malformed message"), (#"{"type":"ice-candidate"}"#, "unknown session"),
      (#"{"type":"close","sessionId":7}"#, "unknown session"),
      (PolyAITests.changed("sessionId", nil), "missing key sessionId"),
      (PolyAITests.changed("sessionId", "g-1"), "a new call has no sessionId"),
      (PolyAITests.changed("mode", nil), "missing key mode"), (PolyAITests.changed("mode", "relay"), "malformed offer"),
      (PolyAITests.changed("authToken", "bad"), "bad token"),
      (PolyAITests.changed("authToken", nil), "missing key authToken"),
      (PolyAITests.changed("callSid", "1"), "malformed offer"),
      (PolyAITests.changed("caller", nil), "missing key caller"),
      (PolyAITests.changed("data", ["type": "offer"]), "offer without sdp"),
      (PolyAITests.changed("data", ["type": "answer", "sdp": "v=0"]), "offer without sdp"),
    ])
  func refused(frame: String, reason: String) async throws {
    var settings = DemoAgentSettings.script([])
    settings.polyAI.webCallingToken = "web"
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: settings, on: loop)
    let gateway = try await signalling(agent)
    try await gateway.send(frame)
    #expect(try await gateway.next("error")["data"]?["message"] == .string(reason))
    #expect(await gateway.ended() == .closed(by: .peer, code: 1008, reason: reason))
    let broken = try await signalling(agent)
    try await broken.send(Self.offer("v=0 is no description"))
    try await broken.next("error")
    await broken.socket.close()
    await agent.stop()
  }

  @Test(
    "messaging frames that are refused",
    arguments: [
      "x", "[]", #"{"type":"HEARTBEAT"}"#, #"{"type":"EVENT_TYPE_DANCE","payload":{}}"#,
      #"{"type":"EVENT_TYPE_USER_MESSAGE","payload":{}}"#, #"{"type":"EVENT_TYPE_USER_MESSAGE","payload":"hi"}"#,
      #"{"type":"EVENT_TYPE_LINK_TO_WEBRTC_CONVERSATION","payload":{"call_sid":"1"}}"#,
    ])
  func refusedMessages(frame: String) async throws {
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: .script([]), on: loop)
    let (socket, _) = try await begin(agent)
    try await socket.next("EVENT_TYPE_SESSION_START")
    try await socket.send(frame)
    guard case .closed(.peer, 1008, _) = await socket.ended() else {
      Issue.record("\(frame) was taken")
      return
    }
    await agent.stop()
  }
}
