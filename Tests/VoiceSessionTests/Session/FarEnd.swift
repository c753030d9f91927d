import Foundation
import TestPeers
import Testing

/// The WebRTC of somebody else as the far end of a session's call; it hums at 700 Hz.
protocol FarEnd: Sendable {
  func answer(to offer: String) async throws -> String
  func add(candidate: String) async throws
  /// The frequency that it hears.
  func heardFrequency() async throws -> Double
  func end() async
}

extension BrowserPeer: FarEnd {
  func add(candidate: String) async throws {
    try await browser.run(
      "pc.addIceCandidate({ candidate: \(Self.quoted(candidate)), sdpMid: '0', sdpMLineIndex: 0 })")
  }

  func end() async { await close() }
}

/// aiortc, by the Python at ANTIPHON_PEERS.
struct AiortcFarEnd: FarEnd {
  private struct Description: Codable { let sdp: String }
  private struct Heard: Codable { let frequency: Double }

  private let peer: SpawnedProgram

  init() throws {
    let python = try #require(ProcessInfo.processInfo.environment["ANTIPHON_PEERS"])
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Peers/aiortc_call.py")
    peer = try SpawnedProgram(python, [script.path, "answer"])
  }

  func answer(to offer: String) async throws -> String {
    try write(Description(sdp: offer))
    return try read(Description.self).sdp
  }

  /// Its descriptions are whole, and so must ours be.
  func add(candidate: String) async throws {}

  func heardFrequency() async throws -> Double {
    try write(["seconds": 1.0])
    return try read(Heard.self).frequency
  }

  /// The program goes with the last reference to it.
  func end() async {}

  private func write(_ value: some Encodable) throws {
    peer.write(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
  }

  private func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let line = try #require(peer.line(within: 20), "aiortc says nothing")
    return try JSONDecoder().decode(type, from: Data(line.utf8))
  }
}
