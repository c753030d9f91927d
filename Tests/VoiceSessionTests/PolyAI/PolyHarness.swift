import Foundation
import Networking
import Testing

@testable import VoiceSession

typealias PolyRun = SessionHarness<PolyAIDialect>

/// How far a call has come.
enum PolyStep: Int, CaseIterable, Comparable {
  case idle, started, token, session, messagingOpen, sessionStarted, iceServers, offered, signallingOpen, answered
  case connected

  static func < (left: PolyStep, right: PolyStep) -> Bool { left.rawValue < right.rawValue }
}

extension SessionHarness where D == PolyAIDialect {
  static func call(change: (inout PolyConfiguration, inout VoiceOptions) -> Void = { _, _ in }) throws -> PolyRun {
    var configuration = PolyConfiguration(apiKey: "connector", hostIdentifier: "com.example.app")
    var options = VoiceOptions(webrtcToken: "web token")
    change(&configuration, &options)
    return SessionHarness(try PolyAIDialect(configuration, options, identifiers: .counted, seed: 1))
  }

  /// A call that has come so far.
  static func at(_ step: PolyStep) throws -> PolyRun {
    var run = try call()
    for next in PolyStep.allCases where next <= step { try run.go(next) }
    return run
  }

  mutating func go(_ step: PolyStep) throws {
    switch step {
    case .idle: break
    case .started: try perform(.start)
    case .token: answer(.token, ["access_token": "at", "expires_in": 3600, "token_type": "Bearer"])
    case .session: answer(.session, ["session_id": "ms-1"])
    case .messagingOpen: open(.messaging)
    case .sessionStarted: startMessaging()
    case .iceServers: answer(.iceServers, ["iceServers": [["urls": "stun:s:3478"]]])
    case .offered: media(.offer("v=0 ours"))
    case .signallingOpen: open(.signalling)
    case .answered: receive(PolySample.answer, from: .signalling)
    case .connected: media(.connected)
    }
  }

  mutating func startMessaging(_ capabilities: JSON = [:]) {
    message("SESSION_START", ["capabilities": capabilities])
  }

  mutating func message(_ name: String, _ payload: JSON, id: String? = nil, sequence: Int? = nil) {
    receive(
      .object(compact: [
        "id": id.map { .string($0) }, "sequence": sequence.map { .number(Double($0)) },
        "type": .string("EVENT_TYPE_" + name), "payload": payload,
      ]), from: .messaging)
  }

  var error: PolyError? { if case .failed(let error) = state { PolyError(error) } else { nil } }

  func sent(to socket: PolyAIDialect.Socket) -> [JSON] {
    actions.compactMap {
      if case .send(let key, .text(let text)) = $0, key.purpose == socket { try? JSON(parsing: text) } else { nil }
    }
  }

  func opened(_ socket: PolyAIDialect.Socket) -> [String] {
    actions.compactMap { if case .open(let key, let request) = $0, key.purpose == socket { request.url } else { nil } }
  }
}

enum PolySample {
  static let answer: JSON = ["type": "answer", "sessionId": "g-9", "data": ["type": "answer", "sdp": "v=0 theirs"]]
  static let candidate = "candidate:1 1 udp 2122260223 192.168.1.7 50000 typ host"

  static func remote(_ line: String) -> JSON {
    [
      "type": "ice-candidate", "sessionId": "g-9",
      "data": ["candidate": .string(line), "sdpMid": "0", "sdpMLineIndex": 0],
    ]
  }
}
