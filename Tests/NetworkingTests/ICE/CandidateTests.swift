import RTPTransport
import RealtimeCore
import TestPeers
import Testing

@testable import Networking

@Suite("ICE candidates from the peer", .serialized, .timeLimit(.minutes(1)))
struct CandidateTests {
  private func candidate(_ address: String, port: UInt16 = 5_000, transport: String = "udp", component: Int = 1)
    -> ICECandidate
  {
    ICECandidate(
      foundation: "1", component: component, transport: transport, priority: 2_130_706_431, address: address,
      port: port, kind: .host)
  }

  /// Connects by candidates that `change` has worked on, added before anything else is known.
  private func connectByFirst(
    _ settings: PeerTransportSettings, _ change: (ICECandidate) -> [ICECandidate]
  ) async throws -> ICEStatistics {
    let loop = EventLoop()
    let first = try TestEnd(settings, on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await second.gather()
    try #require(await second.events.has { $0 == .gatheringState(.complete) })
    for candidate in second.events.candidates.flatMap(change) { try await first.transport.add(candidate) }
    let (ours, theirs) = await (first.transport.localParameters, second.transport.localParameters)
    try await second.transport.setRemote(ours, role: .server)
    try await first.transport.setRemote(theirs, role: .client)
    try await first.gather()
    #expect(await first.events.has { $0.isConnected })
    let statistics = await first.transport.statistics().ice
    await first.transport.close()
    await second.transport.close()
    return statistics
  }

  @Test("those that come before the credentials wait; too many are counted and dropped")
  func buffered() async throws {
    let counts = try await connectByFirst(loopbackSettings()) { good in
      [good] + (0..<100).map { candidate("127.0.0.1", port: 10_000 + UInt16($0)) }
    }
    #expect(counts.remoteCandidateCount == 64)
    #expect(counts.droppedCandidateCount == 37)
  }

  @Test("those that cannot be used are counted, and do no harm")
  func unusable() async throws {
    let counts = try await connectByFirst(loopbackSettings()) { good in
      [
        candidate("127.0.0.1", transport: "tcp"), candidate("127.0.0.1", component: 2), candidate("127.0.0.1", port: 0),
        candidate("0.0.0.0"), candidate("224.0.0.1"), candidate("255.255.255.255"), candidate("ff02::1"),
        candidate("::"),
        candidate("::ffff:127.0.0.1"), candidate("fe80::1"), good,
      ]
    }
    #expect(counts.unusableCandidateCount == 10)
    #expect(counts.remoteCandidateCount == 1)
  }

  @Test("loopback addresses are used only where that is allowed")
  func loopback() async throws {
    let loop = EventLoop()
    var settings = PeerTransportSettings()
    settings.ice.localAddresses = ["127.0.0.1"]
    let end = try TestEnd(settings, on: loop)
    try await end.gather()
    let theirs = PeerTransportParameters(ice: .random(), fingerprints: [end.transport.fingerprint])
    try await end.transport.setRemote(theirs, role: .client)
    try await end.transport.add(candidate("127.0.0.1"))
    try await end.transport.add(candidate("::1"))
    #expect(await end.transport.statistics().ice.unusableCandidateCount == 2)
    await end.transport.close()
  }

  @Test("names are looked up as the settings say")
  func names() async throws {
    var settings = loopbackSettings()
    settings.ice.nameResolution = .all
    let byName = try await connectByFirst(settings) { good in
      var named = good
      named.address = "localhost"
      return [named]
    }
    #expect(byName.remoteCandidateCount == 1 && byName.unresolvedCandidateCount == 0)

    settings.ice.nameResolution = .multicastOnly
    let refused = try await connectByFirst(settings) { [candidate("localhost"), candidate("a b.local"), $0] }
    #expect(refused.remoteCandidateCount == 1 && refused.unresolvedCandidateCount == 2)
    settings.ice.nameResolution = .none
    let none = try await connectByFirst(settings) { [candidate("3c2f1a80.local"), $0] }
    #expect(none.remoteCandidateCount == 1 && none.unresolvedCandidateCount == 1)
  }

  @Test("a candidate of the peer's next generation waits for its description")
  func nextGeneration() async throws {
    let loop = EventLoop()
    let end = try TestEnd(loopbackSettings(), on: loop)
    try await end.gather()
    let (old, new) = (ICECredentials.random(), ICECredentials.random())
    let fingerprints = [end.transport.fingerprint]
    try await end.transport.setRemote(PeerTransportParameters(ice: old, fingerprints: fingerprints), role: .client)
    var ahead = candidate("127.0.0.1")
    ahead.extensions = [.init("ufrag", new.usernameFragment)]
    var behind = candidate("127.0.0.1", port: 5_001)
    behind.extensions = [.init("ufrag", old.usernameFragment)]
    try await end.transport.add(ahead)
    #expect(await end.transport.statistics().ice.remoteCandidateCount == 0)
    try await end.transport.restartICE()
    try await end.transport.add(behind)
    try await end.transport.setRemote(PeerTransportParameters(ice: new, fingerprints: fingerprints), role: .client)
    let counts = await end.transport.statistics().ice
    #expect(counts.remoteCandidateCount == 1)
    #expect(counts.droppedCandidateCount == 1)
    await end.transport.close()
  }

  @Test("no path is a failure: at once when all candidates are known, else in time")
  func noPath() async throws {
    let loop = EventLoop()
    for isEnded in [true, false] {
      var settings = loopbackSettings()
      settings.ice.connectionTimeout = isEnded ? 30 : 0.2
      let end = try TestEnd(settings, on: loop)
      try await end.gather()
      let theirs = PeerTransportParameters(ice: .random(), fingerprints: [end.transport.fingerprint])
      try await end.transport.setRemote(theirs, role: .client)
      try await end.transport.add(candidate("127.0.0.1", port: 9))
      if isEnded { try await end.transport.endOfRemoteCandidates() }
      #expect(await end.events.has(within: 20) { $0.isFailure })
      switch (end.events.failure, isEnded) {
      case (.ice(.noPath(let counts)), true): #expect(counts.remoteCandidateCount == 1)
      case (.ice(.timedOut(0.2, _)), false): break
      default: Issue.record("\(String(describing: end.events.failure))")
      }
      await end.transport.close()
    }
  }

  @Test("own ports lie in the range given; a range that is used up is an error")
  func portRange() async throws {
    let loop = EventLoop()
    var settings = loopbackSettings()
    settings.ice.portRange = 47_120...47_121
    let ends = try (0..<3).map { _ in try TestEnd(settings, on: loop) }
    for end in ends.prefix(2) {
      try await end.gather()
      #expect(await end.events.has { $0 == .gatheringState(.complete) })
    }
    #expect(Set(ends.prefix(2).flatMap { $0.events.candidates.map(\.port) }) == [47_120, 47_121])
    await #expect(throws: PeerTransportError.ice(.noFreePort(47_120...47_121))) { try await ends[2].gather() }
    for end in ends { await end.transport.close() }
  }

  @Test("settings that cannot work are refused with what to do")
  func settings() async throws {
    let loop = EventLoop()
    var relayOnly = loopbackSettings()
    relayOnly.ice.policy = .relay
    var many = loopbackSettings()
    many.ice.servers = (0..<9).map { .turn("127.0.0.1", port: 1_000 + $0, username: "u", password: "p") }
    var authorities = loopbackSettings(servers: [.turn("127.0.0.1", transport: .tls, username: "u", password: "p")])
    authorities.ice.relayAuthorities = "/nonexistent"
    let cases: [(PeerTransportSettings, ICEError)] = [
      (relayOnly, .noRelayServer), (many, .tooManyServers(limit: 8)),
      (authorities, .unreadableAuthorities("/nonexistent")),
      (loopbackSettings(["localhost"]), .invalidLocalAddress("localhost")), (loopbackSettings([]), .noLocalAddress),
      (loopbackSettings(["192.0.2.200"]), .noLocalAddress),
    ]
    for (settings, error) in cases {
      let end = try TestEnd(settings, on: loop)
      await #expect(throws: PeerTransportError.ice(error)) { try await end.gather() }
      await end.transport.close()
    }
    let end = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await end.gather()
    let short = ICECredentials(usernameFragment: "abc", password: "short")
    await #expect(throws: PeerTransportError.ice(.invalidCredentials(short))) {
      try await end.transport.setRemote(
        PeerTransportParameters(ice: short, fingerprints: [end.transport.fingerprint]), role: .client)
    }
    await #expect(throws: PeerTransportError.ice(.peerIsLite)) {
      try await end.transport.setRemote(
        PeerTransportParameters(ice: .random(), fingerprints: [end.transport.fingerprint], isLite: true), role: .client)
    }
    await end.transport.close()
  }
}
