import Foundation
import MediaEngine
import Networking
import TestPeers
import TestSupport
import Testing

@testable import VoiceSession

/// Calls with aiortc, whose Python the variable ANTIPHON_PEERS names: `Scripts/test peers` sets it up.
@Suite(
  "Calls with aiortc", .serialized, .timeLimit(.minutes(1)),
  .enabled(if: ProcessInfo.processInfo.environment["ANTIPHON_PEERS"] != nil, "ANTIPHON_PEERS names no Python"))
struct AiortcCallTests {
  private struct Description: Codable { let sdp: String }
  private struct Heard: Codable {
    let frequency: Double
    let level: Double
    let packets: Int
    let state: String
  }

  @Test("a tone is heard both ways, whoever offers", arguments: ["offer", "answer"])
  func toneBothWays(theirRole: String) async throws {
    let python = try #require(ProcessInfo.processInfo.environment["ANTIPHON_PEERS"])
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Peers/aiortc_call.py")
    let peer = try SpawnedProgram(python, [script.path, theirRole])
    var settings = PeerConnectionSettings()
    settings.transport.ice.allowsLoopback = true
    settings.engine = .unprocessed
    settings.trickles = false
    let ours = try await TestPeer(settings, frequency: 440, on: EventLoop())

    func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let line = try #require(peer.line(within: 20), "the peer says nothing; has the Python at ANTIPHON_PEERS aiortc?")
      return try JSONDecoder().decode(type, from: Data(line.utf8))
    }
    func write(_ value: some Encodable) throws {
      peer.write(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
    if theirRole == "offer" {
      let answer = try await ours.connection.accept(offer: read(Description.self).sdp)
      try write(Description(sdp: answer))
    } else {
      try await write(Description(sdp: ours.connection.makeOffer()))
      try await ours.connection.accept(answer: read(Description.self).sdp)
    }
    for await event in ours.connection.events {
      if case .failed(let error) = event { throw error }
      if case .state(.connected) = event { break }
    }
    try await Task.sleep(for: .seconds(1))
    ours.forget()
    try write(["seconds": 1.5])
    let heard = try read(Heard.self)
    #expect(abs(heard.frequency - 440) < 3)
    #expect(abs(heard.level - 0.212) < 0.03)
    #expect(heard.packets > 80 && heard.state == "connected")
    #expect(ours.heardFrequency() == 700)
    let statistics = try #require(await ours.connection.snapshot?.statistics)
    #expect(statistics.inboundRTP.packetsLost == 0 && statistics.faults.unauthenticPackets == 0)
    #expect(statistics.remoteInboundRTP.packetsLost == 0)
    await ours.connection.close()
  }
}
