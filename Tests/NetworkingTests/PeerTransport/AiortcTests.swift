import Foundation
import RTPTransport
import RealtimeCore
import TestPeers
import Testing

@testable import Networking

/// A transport against aiortc's ICE, DTLS and SRTP, none of which share code with ours.
///
/// Needs a Python with aiortc (`pip install aiortc==1.16.0`), whose path the variable ANTIPHON_PEERS holds.
@Suite(
  "Peer transport with aiortc", .serialized, .timeLimit(.minutes(1)),
  .enabled(if: ProcessInfo.processInfo.environment["ANTIPHON_PEERS"] != nil, "ANTIPHON_PEERS names no Python"))
struct AiortcTests {
  private struct Description: Codable {
    var ufrag: String
    var pwd: String
    var fingerprint: String
    var candidates: [String]
  }

  private func peer(_ iceRole: String, _ dtlsRole: String) throws -> SpawnedProgram {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Peers/aiortc_peer.py")
    let python = try #require(ProcessInfo.processInfo.environment["ANTIPHON_PEERS"])
    return try SpawnedProgram(python, [script.path, iceRole, dtlsRole])
  }

  /// Exchanges descriptions; aiortc does not trickle.
  private func connect(_ end: TestEnd, _ peer: SpawnedProgram, role: DTLSRole, spoilt: Bool = false)
    async throws
  {
    let line = try #require(peer.line(within: 20), "the peer says nothing; has the Python at ANTIPHON_PEERS aiortc?")
    let theirs = try JSONDecoder().decode(Description.self, from: Data(line.utf8))
    try await end.gather()
    try #require(await end.events.has { $0 == .gatheringState(.complete) })
    let own = await end.transport.localParameters
    var fingerprint = own.fingerprints[0].text
    if spoilt { fingerprint = CertificateFingerprint(.sha256, digest: [UInt8](repeating: 7, count: 32)).text }
    let ours = Description(
      ufrag: own.ice.usernameFragment, pwd: own.ice.password, fingerprint: fingerprint,
      candidates: end.events.candidates.map(\.text))
    peer.write(String(decoding: try JSONEncoder().encode(ours), as: UTF8.self))
    for text in theirs.candidates { try await end.transport.add(try #require(ICECandidate(text))) }
    try await end.transport.endOfRemoteCandidates()
    let parameters = PeerTransportParameters(
      ice: ICECredentials(usernameFragment: theirs.ufrag, password: theirs.pwd),
      fingerprints: [try #require(CertificateFingerprint(theirs.fingerprint))])
    try await end.transport.setRemote(parameters, role: role)
  }

  @Test(
    "both roles of ICE and DTLS, media both ways under the keys", arguments: [true, false], [DTLSRole.client, .server])
  func connects(isControlling: Bool, role: DTLSRole) async throws {
    let peer = try peer(isControlling ? "controlled" : "controlling", role == .client ? "server" : "client")
    let end = try TestEnd(loopbackSettings(), isControlling: isControlling, on: EventLoop())
    try await connect(end, peer, role: role)
    #expect(await end.events.has { $0.isConnected })
    #expect(peer.line() == "{\"connected\": true}")
    let keys = try #require(end.events.keys)
    var sender = try SRTPSender(key: keys.sending, ssrc: 0x0102_0304)
    var receiver = try SRTPReceiver(key: keys.receiving)

    for number in 0..<20 {
      let plain: [UInt8] = [0x80, 0, 0, UInt8(number), 0, 0, 0, 0, 1, 2, 3, 4] + [UInt8](repeating: 9, count: 160)
      var packet = plain + [UInt8](repeating: 0, count: 64)
      var span = packet.mutableSpan
      let byteCount = try sender.protect(&span, byteCount: plain.count)
      #expect(await end.send(Array(packet[..<byteCount])) == .sent)
      let hex = plain.map { String(format: "%02x", $0) }.joined()
      #expect(peer.line() == "{\"rtp\": \"\(hex)\"}")

      peer.write("{\"rtp\": \"\(hex)\"}")
      try #require(await end.received.reach(number + 1))
      var answer = end.received.all[number]
      let answerByteCount = answer.count
      var answerSpan = answer.mutableSpan
      let opened = try receiver.unprotect(&answerSpan, byteCount: answerByteCount)
      #expect(Array(answer[..<opened]) == plain)
    }

    peer.write("{\"close\": true}")
    #expect(await end.events.has(within: 5) { $0 == .failed(.dtls(.closedByPeer)) })
    await end.transport.close()
  }

  @Test("a peer that was told another fingerprint refuses us, and we say so")
  func refused() async throws {
    let peer = try peer("controlled", "server")
    let end = try TestEnd(loopbackSettings(), on: EventLoop())
    try await connect(end, peer, role: .client, spoilt: true)
    #expect(peer.line() == "{\"failed\": \"dtls failed\"}")
    await end.transport.close()
  }

  @Test("a peer that dies is called disconnected, then failed, in time", .timeLimit(.minutes(1)))
  func vanishes() async throws {
    let peer = try peer("controlling", "client")
    let end = try TestEnd(loopbackSettings(), isControlling: false, on: EventLoop())
    try await connect(end, peer, role: .server)
    #expect(await end.events.has { $0.isConnected })
    peer.suspend(true)
    let start = ContinuousClock.now
    #expect(await end.events.has(within: 18) { $0 == .iceState(.disconnected) })
    #expect(await end.events.has(within: 18) { $0.isFailure })
    #expect(ContinuousClock.now - start < .seconds(31))
    guard case .ice(.consentExpired) = end.events.failure else {
      Issue.record("\(String(describing: end.events.failure))")
      return
    }
    await end.transport.close()
  }
}
