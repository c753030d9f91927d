import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// The stand-in for the client SDK's wire.
@Suite("Vonage stand-in", .timeLimit(.minutes(2))) struct VonageClientTests {
  let loop = EventLoop()

  /// A token as the application's back end signs it; the signature is no signature.
  static func token(seconds: Double = 3_600, algorithm: String = "RS256") -> String {
    let now = Date().timeIntervalSince1970
    func part(_ json: JSON) -> String {
      Data(json.text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
    let claims: JSON = [
      "application_id": "app-1", "sub": "Alice", "iat": .number(now.rounded() - 5), "jti": "j1",
      "exp": .number(now + seconds),
    ]
    return part(["typ": "JWT", "alg": .string(algorithm)]) + "." + part(claims) + ".c2ln"
  }

  private func session(_ agent: DemoAgentServer, token: String = token(), id: String? = nil) async throws
    -> (RawCaller, String)
  {
    let caller = try await RawCaller(agent.url, on: loop)
    let create: JSON = ["type": "session.create", "token": .string(token)]
    try await caller.send(create.with("id", id.map { .string($0) }))
    let created = try await caller.next("session.created")
    return (caller, created["id"]?.string ?? "")
  }

  /// Offers, and passes candidates both ways until there is a path.
  private func connect(_ caller: RawCaller, _ id: String, _ peer: WebRTCCaller) async throws {
    try await caller.send([
      "type": "call.offer", "id": .string(id), "sdp": .string(try await peer.connection.makeOffer()),
    ])
    let events = peer.connection.events
    let sending = Task {
      for await event in events {
        switch event {
        case .localCandidate(let candidate, _):
          try await caller.send([
            "type": "call.candidate", "id": .string(id), "candidate": .string(candidate.description), "sdpMid": "0",
            "sdpMLineIndex": 0,
          ])
        case .state(.connected): return
        default: break
        }
      }
    }
    var early: [String] = []
    let answer = try await caller.next("call.answer") { message in
      if let candidate = message["candidate"]?.string { early.append(candidate) }
    }
    try await peer.connection.accept(answer: answer["sdp"]?.string ?? "")
    for candidate in early where !candidate.isEmpty { try await peer.connection.add(candidate: candidate) }
    var isDone = early.contains("")
    while !isDone {
      let candidate = try await caller.next("call.candidate")["candidate"]?.string ?? ""
      isDone = candidate.isEmpty
      if !isDone { try await peer.connection.add(candidate: candidate) }
    }
    try await sending.value
  }

  @Test("a call: legs, media both ways, keys, hold, hang-up with a figure") func call() async throws {
    var settings = DemoAgentSettings.forTests
    settings.vonage.ringSeconds = 0.3
    let agent = try await DemoAgentServer.start(as: .vonage, settings: settings, on: loop)
    var events = agent.events.makeAsyncIterator()
    let (caller, _) = try await session(agent)
    try await caller.send(#"{"type":"call.create","custom":{"to":"15550100"}}"#)
    let id = try #require(try await caller.next("call.created")["id"]?.string)
    #expect(try await caller.next("call.leg")["status"] == "ringing")
    let peer = try WebRTCCaller(trickles: true, on: loop)
    try await connect(caller, id, peer)
    #expect(await peer.hears(seconds: 0.3), "the greeting")
    await peer.hearsSilence()
    peer.say(try Question.samples("what is your name"))
    var said = ""
    while !said.hasPrefix("I am the demo agent"), let event = await events.next() {
      if event.kind == .said { said = event.text }
    }
    let before = peer.heardSeconds
    #expect(await peer.hears(seconds: before + 1))
    try await caller.send(["type": "call.earmuff", "id": .string(id), "on": true])
    try await caller.next("call.earmuff")
    try await caller.send(["type": "call.dtmf", "id": .string(id), "digits": "12#"])
    #expect(try await caller.next("call.dtmf")["digits"] == "12#")
    try await caller.send(["type": "call.hangup", "id": .string(id)])
    let hangup = try await caller.next("call.hangup")
    #expect(hangup["reason"] == "localHangup" && (hangup["quality"]?["mos"]?.number ?? 0) > 4)
    try await caller.send(#"{"type":"ping"}"#)
    try await caller.next("pong")
    await peer.connection.close()
    await caller.socket.close()
    await agent.stop()
  }

  @Test("tokens: refused, expired in mid-call, refreshed; a session resumed by its id") func tokens() async throws {
    let agent = try await DemoAgentServer.start(as: .vonage, settings: .script([]), on: loop)
    for (token, reason) in [
      ("x", "unknown"), ("a.b.c", "unknown"), (Self.token(algorithm: "none"), "unknown"),
      (Self.token(seconds: -1), "tokenExpired"), (Self.token(seconds: 100_000), "unknown"),
    ] {
      let caller = try await RawCaller(agent.url, on: loop)
      try await caller.send(["type": "session.create", "token": .string(token)])
      #expect(try await caller.next("session.error")["reason"] == .string(reason))
      #expect(await caller.ended() == .closed(by: .peer, code: 1000, reason: reason))
    }
    let (caller, id) = try await session(agent, token: Self.token(seconds: 0.6))
    try await caller.send(#"{"type":"call.create","custom":{}}"#)
    let call = try #require(try await caller.next("call.created")["id"]?.string)
    #expect(try await caller.next("session.error", within: 3)["reason"] == "tokenExpired")
    try await caller.send(["type": "call.mute", "id": .string(call), "on": true])
    #expect(try await caller.next("session.error")["reason"] == "tokenExpired")
    try await caller.send(["type": "session.refresh", "token": .string(Self.token())])
    try await caller.next("session.refreshed")
    try await caller.send(["type": "call.mute", "id": .string(call), "on": true])
    #expect(try await caller.next("call.mute")["on"] == true)
    await caller.socket.close()
    let (again, same) = try await session(agent, id: id)
    #expect(same == id)
    try await again.send(["type": "call.reconnect", "id": .string(call)])
    #expect(try await again.next("call.leg")["status"] == "answered")
    let client = RawClient(agent, on: loop)
    #expect(try await client.send(.put, "/v1/calls/\(call)", #"{"action":"hangup"}"#).status == 204)
    #expect(try await again.next("call.hangup")["reason"] == "remoteHangup")
    await again.socket.close()
    await agent.stop()
  }

  @Test("invitations come, and are taken back") func invitations() async throws {
    var settings = DemoAgentSettings.script([])
    settings.vonage.inviteSeconds = 0.05
    settings.vonage.inviteCancel = (0.1, "remoteTimeout")
    let agent = try await DemoAgentServer.start(as: .vonage, settings: settings, on: loop)
    let (caller, _) = try await session(agent)
    let invite = try await caller.next("call.invite")
    #expect(invite["channel"] == "phone" && invite["from"]?.string != nil)
    let cancel = try await caller.next("call.cancel")
    #expect(cancel["id"] == invite["id"] && cancel["reason"] == "remoteTimeout")
    await caller.socket.close()
    await agent.stop()
  }

  @Test(
    "wrong frames are refused",
    arguments: [
      ("{", 1007), ("[]", 1007), (#"{"type":"call.create"}"#, 1008),
      (#"{"type":"call.create","custom":{"a":1}}"#, 1008),
      (#"{"type":"call.mute","id":"x","on":true}"#, 1008), (#"{"type":"call.mute"}"#, 1008),
      (#"{"type":"dance"}"#, 1008),
      (#"{"type":"session.refresh"}"#, 1008),
    ])
  func refused(frame: String, code: Int) async throws {
    let agent = try await DemoAgentServer.start(as: .vonage, settings: .script([]), on: loop)
    let (caller, _) = try await session(agent)
    try await caller.send(frame)
    guard case .closed(.peer, code, _) = await caller.ended() else {
      Issue.record("\(frame) was taken")
      return
    }
    let first = try await RawCaller(agent.url, on: loop)
    try await first.send(#"{"type":"call.create","custom":{}}"#)
    guard case .closed(.peer, 1008, _) = await first.ended() else {
      Issue.record("a call without a session")
      return
    }
    await agent.stop()
  }
}
