import Foundation
import Networking
import Testing

@testable import VoiceSession

typealias TelnyxRun = SessionHarness<TelnyxDialect>

/// Descriptions and candidates as they might be.
enum TelnyxSample {
  static let offer =
    "v=0\r\na=ice-options:trickle\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=ice-ufrag:u1\r\na=fingerprint:sha-256 AA\r\n"
  static let answer = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=fingerprint:sha-256 BB\r\n"
  static let otherAnswer = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=fingerprint:sha-256 CC\r\n"
  static let host = "candidate:1 1 udp 2122260223 192.168.1.7 50000 typ host"
  static let reflexive = "candidate:2 1 udp 1686052607 203.0.113.5 50000 typ srflx raddr 192.168.1.7 rport 50000"
  static let relayed = "candidate:3 1 udp 41885439 198.51.100.9 60000 typ relay raddr 203.0.113.5 rport 50000"
}

extension SessionHarness where D == TelnyxDialect {
  static func assistant(
    trickles: Bool = false, change: (inout TelnyxConfiguration) -> Void = { _ in }
  ) -> TelnyxRun {
    var configuration = TelnyxConfiguration(assistantID: "assistant-7")
    configuration.usesTrickleICE = trickles
    change(&configuration)
    return SessionHarness(TelnyxDialect(configuration, identifiers: .counted))
  }

  /// Logged in and registered.
  static func registered(
    trickles: Bool = false, change: (inout TelnyxConfiguration) -> Void = { _ in }
  ) throws -> TelnyxRun {
    var run = assistant(trickles: trickles, change: change)
    try run.perform(.start)
    run.open(.signalling)
    try run.logIn()
    run.registerGateway()
    return run
  }

  /// In a call that the far end has answered, with sound.
  static func inCall(
    trickles: Bool = false, change: (inout TelnyxConfiguration) -> Void = { _ in }
  ) throws -> TelnyxRun {
    var run = try registered(trickles: trickles, change: change)
    try run.callUp()
    return run
  }

  mutating func logIn() throws {
    guard let login = actions.sent().last(where: { $0["method"] == "anonymous_login" }) else { throw SessionError.over }
    receive(
      ["jsonrpc": "2.0", "id": login["id"], "result": ["message": "logged in", "sessid": "s-1"]], from: .signalling)
  }

  mutating func registerGateway(_ state: String = "REGED") {
    request("telnyx_rtc.clientReady", ["reattached_sessions": []])
    gateway(state)
  }

  /// The answer to the last question for the gateway's state.
  mutating func gateway(_ state: String) {
    let asked = actions.sent().last { $0["method"] == "telnyx_rtc.gatewayState" }
    receive(
      [
        "jsonrpc": "2.0", "id": asked?["id"] ?? "none", "voice_sdk_id": "VSDK 9",
        "result": ["params": ["state": .string(state)], "sessid": "s-1"],
      ], from: .signalling)
  }

  mutating func request(_ method: String, id: String = "server-\(UInt32.random(in: 0 ... .max))", _ params: JSON) {
    receive(["jsonrpc": "2.0", "id": .string(id), "method": .string(method), "params": params], from: .signalling)
  }

  mutating func startCall(_ parameters: TelnyxCallParameters = TelnyxCallParameters()) throws {
    try perform(.own(.call(parameters)))
    media(.offer(TelnyxSample.offer))
    media(.localCandidate(TelnyxSample.host, mid: "0"))
    media(.localCandidate(TelnyxSample.reflexive, mid: "0"))
    media(.endOfLocalCandidates)
  }

  mutating func callUp() throws {
    try startCall()
    request("telnyx_rtc.ringing", ["callID": .string(callID)])
    request("telnyx_rtc.answer", ["callID": .string(callID), "sdp": .string(TelnyxSample.answer)])
    media(.connected)
    media(.receiving(true))
  }

  var callID: String { core.ownState.call?.id ?? "" }
  var callState: TelnyxCallState? { core.ownState.call?.state }

  /// What was sent since the last look, by method.
  mutating func sentNews() -> [JSON] { news().sent() }

  mutating func converse(_ params: JSON, id: String? = nil) {
    if let id { request("ai_conversation", id: id, params) } else { request("ai_conversation", params) }
  }
}

extension Array {
  func notices() -> [TelnyxDialect.Notice] where Element == SessionAction<TelnyxDialect> {
    events().compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }

  func callStates() -> [TelnyxCallState] where Element == SessionAction<TelnyxDialect> {
    notices().compactMap { if case .call(let state) = $0 { state } else { nil } }
  }

  func statuses() -> [WidgetAgentStatus] where Element == SessionAction<TelnyxDialect> {
    notices().compactMap { if case .agentStatus(let status) = $0 { status } else { nil } }
  }

  /// Methods of what was sent, in order.
  func methods() -> [String] where Element == JSON { map { $0["method"].string ?? "result" } }
}

extension SessionState {
  var failure: SessionError? { if case .failed(let error) = self { error } else { nil } }
}
