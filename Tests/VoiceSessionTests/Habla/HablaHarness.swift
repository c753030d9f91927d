import Foundation
import Networking

@testable import VoiceSession

typealias HablaHarness = SessionHarness<HablaDialect>

extension HablaServer {
  static let test = HablaServer(
    "http://127.0.0.1:9/", secret: "sesame", bundleID: "app.habla",
    deviceID: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!)
}

extension HablaCall {
  static let testLive = HablaCall.live(HablaLiveCall(to: "+15550100"))
  static let testAgent = HablaCall.agent(HablaAgentCall(to: "+15550100", prompt: "Book a table", userName: "Ana"))
}

extension SessionHarness<HablaDialect> {
  init(_ call: HablaCall, _ change: (inout HablaSessionSettings) -> Void = { _ in }) {
    var settings = HablaSessionSettings()
    change(&settings)
    self.init(HablaDialect(call, at: .test, settings))
  }

  /// Up to this step: 0 nothing, 1 started, 2 named, 3 attached, 4 ringing, 5 connected.
  init(_ call: HablaCall, step: Int, _ change: (inout HablaSessionSettings) -> Void = { _ in }) throws {
    self.init(call, change)
    if step >= 1 { try perform(.start) }
    if step >= 2 { answer(.initiate, ["call_sid": "CA1", "status": "initiating"]) }
    if step >= 3 { open(.call) }
    if step >= 4 { status("ringing") }
    if step >= 5 { status("connected") }
  }

  mutating func status(_ status: String) {
    receive(["type": "status", "status": .string(status)], from: .call)
  }

  mutating func microphone(level: Double = 0) {
    let value = Int16(level / 3 * 32_768)
    let bytes = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    media(.microphone((0..<320).flatMap { _ in bytes }))
  }

  var failure: SessionError? { if case .failed(let error) = state { error } else { nil } }
}

extension Array where Element == SessionAction<HablaDialect> {
  var hablaNotices: [HablaNotice] { events().compactMap { if case .notice(let notice) = $0 { notice } else { nil } } }
  var phases: [HablaLivePhase] { hablaNotices.compactMap { if case .phase(let phase) = $0 { phase } else { nil } } }
  /// Sound to be played, but for the tone's.
  var speech: [UInt8] {
    let tone = ProgressTone().burst
    return media().flatMap { if case .play(let bytes, _) = $0, bytes != tone { bytes } else { [UInt8]() } }
  }
  var tones: Int {
    let tone = ProgressTone().burst
    return media().count { if case .play(let bytes, _) = $0 { bytes == tone } else { false } }
  }
  var endRequests: [String] { requests().filter { $0.0 == .end }.map(\.1.url) }
}
