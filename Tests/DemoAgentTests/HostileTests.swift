import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import DemoAgent

/// Whatever strangers send, a fake ends their socket at the worst, and serves the next one.
@Suite("Hostile callers", .timeLimit(.minutes(2))) struct HostileTests {
  let loop = EventLoop()

  /// Where sockets are, what opens the way in, and what is sent inside.
  static func frames(_ vendor: Vendor) -> (path: String, opening: [String], inside: [String]) {
    switch vendor {
    case .elevenLabs:
      (
        "/v1/convai/conversation?agent_id=a", [ElevenLabsTests.initiation],
        [
          #"{"type":"user_message","text":"what time is it"}"#, #"{"user_audio_chunk":"AAAAAAA="}"#,
          #"{"type":"feedback","score":null,"event_id":1}"#, #"{"type":"pong","event_id":1}"#,
          #"{"type":"client_tool_result","tool_call_id":"call_1","result":"x","is_error":false}"#,
        ]
      )
    case .telnyx:
      (
        "/", [TelnyxFrames.login(), TelnyxFrames.gateway],
        [
          TelnyxFrames.invite("6f0c9a2e-1111-4222-8333-444455556666", "v=0\r\nm=audio 9 x 0 opus/48000").text,
          TelnyxFrames.request("telnyx_rtc.bye", ["cause": "a", "causeCode": 1, "dialogParams": [:]]).text,
          TelnyxFrames.request("ai_conversation", ["type": "conversation.item.create", "item": [:]]).text,
        ]
      )
    case .polyAI:
      ("/api/v1/webrtc/signal", [], [PolyAITests.offer("v=0").text, #"{"type":"close","sessionId":"g-1"}"#])
    case .habla: ("/agent/ws/CA1", [], [#"{"type":"instruction","text":"a"}"#])
    case .vonage:
      (
        "/session", [#"{"type":"session.create","token":"\#(VonageClientTests.token())"}"#],
        [
          #"{"type":"call.create","custom":{"to":"1"}}"#, #"{"type":"call.offer","id":"CON-1","sdp":"v=0"}"#,
          #"{"type":"session.refresh","token":"a.b.c"}"#, #"{"type":"call.dtmf","id":"CON-1","digits":"1"}"#,
        ]
      )
    }
  }

  @Test("mutated frames, deep nesting, long texts, doubled keys", arguments: Vendor.allCases)
  func mutations(vendor: Vendor) async throws {
    var settings = DemoAgentSettings.script([])
    settings.voice = .echo
    let agent = try await DemoAgentServer.start(as: vendor, settings: settings, on: loop)
    let (path, opening, inside) = Self.frames(vendor)
    let url = "ws://127.0.0.1:\(agent.port)\(path)"
    var random = SeededRandom(seed: UInt64(vendor.rawValue.utf8.reduce(0) { Int($0) &* 31 &+ Int($1) } & 0xFFFF))
    let fixed = [
      String(repeating: "[", count: 200_000), String(repeating: "{\"a\":", count: 50_000),
      #"{"type":"\#(String(repeating: "x", count: 900_000))"}"#, #"{"type":"pong","type":1,"type":null}"#, "\u{0}", "",
      #"{"jsonrpc":"2.0","id":1e999,"method":"\u0000"}"#, "{\"type\":\"\\udfff\"}",
    ]
    for round in 0..<60 {
      let caller = try await RawCaller(url, on: loop)
      for frame in opening { try? await caller.send(frame) }
      for _ in 0..<6 {
        var frame = Array((round < fixed.count ? fixed[round] : inside.randomElement(using: &random) ?? "").utf8)
        if round >= fixed.count {
          for _ in 0..<Int.random(in: 0...3, using: &random) where !frame.isEmpty {
            let place = Int.random(in: 0..<frame.count, using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: frame[place] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: frame.remove(at: place)
            default: frame.insert(contentsOf: Array("{}[]\",:0-e".utf8).shuffled(using: &random).prefix(2), at: place)
            }
          }
        }
        try? await caller.send(String(decoding: frame, as: UTF8.self))
      }
      try? await caller.socket.send([UInt8](repeating: 0xFF, count: Int.random(in: 0...700, using: &random)))
      if round % 3 == 0 { await caller.socket.abort() } else { await caller.socket.close() }
    }
    // It serves on.
    let caller = try await RawCaller(url, on: loop)
    for frame in opening { try await caller.send(frame) }
    if opening.isEmpty { try await caller.send("{}") }
    #expect(try await caller.next(within: 5) != nil || vendor == .habla)
    await caller.socket.close()
    await agent.stop()
  }

  @Test(
    "requests with bodies of any kind",
    arguments: [
      (Vendor.habla, "/call"), (.habla, "/agent/call"), (.habla, "/caller-id/verify/start"),
      (.polyAI, "/api/v1/sessions"),
      (.polyAI, "/api/v1/access-token"), (.vonage, "/event"),
    ])
  func bodies(vendor: Vendor, path: String) async throws {
    let agent = try await DemoAgentServer.start(as: vendor, settings: .script([]), on: loop)
    let headers: HTTPHeaders = [
      "X-Habla-Device-ID": "d", "X-Token": "t", "X-Host": "h", "Authorization": "Bearer x",
      "X-Polyai-Correlation-Id": "0d6c55f8-94ff-4d0f-8f5b-5a2f0c9c7a11",
    ]
    let client = HTTPClient(on: loop)
    var bodies = ["", "[]", "{", String(repeating: "[", count: 500_000), #"{"to":"+1","to":5}"#].map { Array($0.utf8) }
    bodies += [[0xFF, 0xFE, 0x22], [0x22, 0xC3, 0x28, 0x22], [UInt8](repeating: 0x20, count: 1 << 19)]
    for body in bodies {
      let response = try await client.send(
        HTTPRequest(.post, "http://127.0.0.1:\(agent.port)\(path)", headers: headers, body: body))
      #expect(response.status < 500)
    }
    await agent.stop()
  }
}
