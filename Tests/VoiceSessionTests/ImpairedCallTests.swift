import Foundation
import MediaEngine
import Networking
import RealtimeCore
import TestPeers
import TestSupport
import Testing

@testable import VoiceSession

/// A call over a path that loses, delays, reorders, and for a while carries nothing.
@Suite("Calls over a bad path", .serialized, .timeLimit(.minutes(1)))
struct ImpairedCallTests {
  @Test("loss and jitter: the sound goes on, and what is lost is asked for again")
  func lossAndJitter() async throws {
    // Where sound waits longer than an answer takes, lost packets are worth asking for.
    let call = try await ImpairedCall { $0.engine.jitterBuffer.minimumDelayMilliseconds = 150 }
    call.path.impair {
      $0.loss = 0.08
      $0.jitterMilliseconds = 5...30
    }
    try await Task.sleep(for: .seconds(6))
    let statistics = try #require(await call.peers.callee.connection.snapshot?.statistics)
    let inbound = statistics.inboundRTP
    #expect(call.peers.callee.heardFrequency() == 440)
    #expect(inbound.packetsReceived > 200)
    #expect(Double(inbound.concealedSamples) < 0.12 * Double(inbound.totalSamplesReceived))
    let sender = try #require(await call.peers.caller.connection.snapshot?.statistics)
    #expect(sender.remoteInboundRTP.packetsLost >= 0)
    #expect(try #require(sender.remoteInboundRTP.roundTripTime) > 0.008)
    #expect(sender.outboundRTP.nackCount > 0)
    await call.close()
  }

  @Test("five seconds without a path: the call stands, and its delay is back within three")
  func blackout() async throws {
    let call = try await ImpairedCall()
    try await Task.sleep(for: .seconds(2))
    let before = try #require(await call.peers.callee.connection.snapshot)
    call.path.impair { $0.isCut = true }
    try await Task.sleep(for: .seconds(5))
    call.peers.callee.forget()
    call.path.impair { $0.isCut = false }
    try await Task.sleep(for: .seconds(3))
    let after = try #require(await call.peers.callee.connection.snapshot)
    #expect(call.peers.callee.heardFrequency() == 440)
    #expect(after.playoutDelayMilliseconds < before.playoutDelayMilliseconds + 40)
    #expect(after.statistics.inboundRTP.packetsReceived > before.statistics.inboundRTP.packetsReceived + 100)
    await call.close()
  }
}

/// Two of our connections with an impaired path between them.
struct ImpairedCall: Sendable {
  let peers: TestPeers
  let path: ImpairedPath

  init(change: (inout PeerConnectionSettings) -> Void = { _ in }) async throws {
    peers = try await TestPeers(trickles: false, change: change)
    let offer = try await peers.caller.connection.makeOffer()
    let callerPort = try Self.port(in: offer)
    // The answer's port is known only when the offer is accepted, so the caller's candidate follows it.
    let answer = try await peers.callee.connection.accept(offer: Self.withoutCandidates(offer))
    let calleePort = try Self.port(in: answer)
    path = try ImpairedPath(between: callerPort, and: calleePort)
    let seen = Self.replacing(calleePort, by: path.secondAsSeenByFirst, in: answer)
    let candidate = Self.replacing(callerPort, by: path.firstAsSeenBySecond, in: offer)
    for line in candidate.split(separator: "\r\n") where line.hasPrefix("a=candidate:") {
      try await peers.callee.connection.add(candidate: String(line))
    }
    try await peers.caller.connection.accept(answer: seen)
    for peer in [peers.caller, peers.callee] {
      for await event in peer.connection.events {
        if case .failed(let error) = event { throw error }
        if case .state(.connected) = event { break }
      }
    }
  }

  func close() async {
    await peers.close()
    path.end()
  }

  private static func port(in description: String) throws -> UInt16 {
    let line = try #require(description.split(separator: "\r\n").first { $0.hasPrefix("a=candidate:") })
    let fields = line.split(separator: " ")
    return try #require(UInt16(fields[5]))
  }

  /// What trickles: the offer without candidates, and without the word that those are all.
  private static func withoutCandidates(_ description: String) -> String {
    description.split(separator: "\r\n").filter {
      !$0.hasPrefix("a=candidate:") && $0 != "a=end-of-candidates"
    }.joined(separator: "\r\n") + "\r\n"
  }

  private static func replacing(_ port: UInt16, by other: UInt16, in description: String) -> String {
    description.replacingOccurrences(of: " \(port) ", with: " \(other) ")
  }
}
