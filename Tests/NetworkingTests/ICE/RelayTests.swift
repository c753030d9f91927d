import Foundation
import RTPTransport
import RealtimeCore
import TestPeers
import TestSupport
import Testing

@testable import Networking

/// ICE with coturn. A machine without it fails (Debian: `apt-get install coturn`).
@Suite("ICE with a STUN and TURN server", .serialized, .timeLimit(.minutes(1)))
struct RelayTests {
  private func relaySettings(_ server: RelayServer, _ servers: [ICEServer]) -> PeerTransportSettings {
    var settings = loopbackSettings(servers: servers)
    settings.ice.policy = .relay
    settings.ice.relayAuthorities = server.authority
    return settings
  }

  @Test("a relay-only call over UDP, TCP and TLS", arguments: [ICEServer.RelayTransport.udp, .tcp, .tls])
  func relays(transport: ICEServer.RelayTransport) async throws {
    let server = try RelayServer()
    let loop = EventLoop()
    let first = try TestEnd(relaySettings(server, [server.turn(transport)]), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    #expect(first.events.failure == nil && second.events.failure == nil)
    let pair = try #require(first.events.pair)
    #expect(pair.local.kind == .relayed && pair.local.address == "127.0.0.1")
    #expect(!first.events.candidates.isEmpty)
    for candidate in first.events.candidates {
      #expect(candidate.kind == .relayed)
      #expect(candidate.relatedAddress == "0.0.0.0" && candidate.relatedPort == 9)
    }
    for number in 0..<100 {
      #expect(await first.send(TestEnd.packet(number)) == .sent)
      #expect(await second.send(TestEnd.packet(number)) == .sent)
    }
    #expect(await first.received.reach(100))
    #expect(await second.received.reach(100))
    await first.transport.close()
    await second.transport.close()
    // The address was given back, not left to run out.
    for _ in 0..<50 where !server.log.contains("delete: realm") { usleep(20_000) }
    #expect(server.log.contains("delete: realm"))
  }

  @Test("a TURN server whose certificate nobody vouches for is not used")
  func distrusted() async throws {
    for (server, isTrusted) in [(try RelayServer(), false), (try RelayServer(certificateName: "DNS:other.test"), true)]
    {
      var settings = relaySettings(server, [server.turn(.tls)])
      if !isTrusted { settings.ice.relayAuthorities = nil }
      settings.ice.gatheringTimeout = 1
      let end = try TestEnd(settings, on: EventLoop())
      try await end.gather()
      #expect(await end.events.has(within: 12) { $0 == .gatheringState(.complete) })
      #expect(end.events.candidates.isEmpty)
      #expect(
        end.events.all.contains {
          if case .candidateError(_, let reason) = $0 { reason.contains("TLS certificate") } else { false }
        })
      await end.transport.close()
    }
  }

  @Test("a wrong password ends gathering without a candidate")
  func wrongPassword() async throws {
    let server = try RelayServer()
    let end = try TestEnd(relaySettings(server, [server.turn(.udp, password: "other")]), on: EventLoop())
    try await end.gather()
    #expect(await end.events.has(within: 5) { $0 == .gatheringState(.complete) })
    #expect(end.events.candidates.isEmpty)
    #expect(end.events.all.contains { if case .candidateError = $0 { true } else { false } })
    await end.transport.close()
  }

  @Test("a server is found by its name; one that has no address ends gathering too")
  func names() async throws {
    let server = try RelayServer()
    let good = ICEServer.turn("localhost", port: server.port, username: "test", password: "secret")
    let bad = ICEServer.turn("nowhere.invalid", username: "test", password: "secret")
    for (server, count) in [(good, 1), (bad, 0)] {
      var settings = loopbackSettings(servers: [server])
      settings.ice.policy = .relay
      let end = try TestEnd(settings, on: EventLoop())
      try await end.gather()
      #expect(await end.events.has(within: 8) { $0 == .gatheringState(.complete) })
      #expect(end.events.candidates.count == count)
      #expect(end.events.all.contains { if case .candidateError = $0 { true } else { false } } == (count == 0))
      await end.transport.close()
    }
  }

  @Test("an unknown STUN server ends gathering with the host candidates")
  func unknownName() async throws {
    let end = try TestEnd(loopbackSettings(servers: [.stun("nowhere.invalid")]), on: EventLoop())
    try await end.gather()
    #expect(await end.events.has(within: 8) { $0 == .gatheringState(.complete) })
    #expect(end.events.candidates.map(\.kind) == [.host])
    #expect(end.events.all.contains { if case .candidateError = $0 { true } else { false } })
    await end.transport.close()
  }

  @Test("a STUN server shows the address that a translator gives")
  func serverReflexive() async throws {
    let server = try RelayServer()
    let translator = try AddressTranslator(to: server.port)
    let end = try TestEnd(loopbackSettings(servers: [.stun("127.0.0.1", port: translator.insidePort)]), on: EventLoop())
    try await end.gather()
    #expect(await end.events.has(within: 5) { $0 == .gatheringState(.complete) })
    let own = try #require(end.events.candidates.first { $0.kind == .host })
    let reflexive = try #require(end.events.candidates.first { $0.kind == .serverReflexive })
    #expect(reflexive.port == translator.outsidePort)
    #expect(reflexive.relatedAddress == "127.0.0.1" && reflexive.relatedPort == own.port)
    #expect(reflexive.priority < own.priority)
    await end.transport.close()
  }

  @Test("a silent server ends gathering in time, and does not hold up closing")
  func silentServer() async throws {
    let server = try RelayServer()
    var settings = loopbackSettings(servers: [server.turn(.udp)])
    settings.ice.gatheringTimeout = 1
    settings.closeTimeout = 0.5
    let loop = EventLoop()
    let (first, second) = (try TestEnd(settings, on: loop), try TestEnd(settings, on: loop))
    try await first.gather()
    #expect(await first.events.has(within: 3) { $0 == .gatheringState(.complete) })
    server.suspend(true)
    try await second.gather()
    #expect(await second.events.has(within: 3) { $0 == .gatheringState(.complete) })
    let start = ContinuousClock.now
    await first.transport.close()
    await second.transport.close()
    #expect(ContinuousClock.now - start < .seconds(2))
    server.suspend(false)
  }
}

/// A translator of one inner address: what comes to the inside port goes out to `server` from another one, and back.
final class AddressTranslator {
  let insidePort: UInt16
  let outsidePort: UInt16
  private let thread: RunningThread
  private let isStopped = AtomicFlag()

  init(to server: UInt16, loss: Double = 0) throws {
    let inside = try LoopbackSocket()
    let outside = try LoopbackSocket()
    (insidePort, outsidePort) = (inside.port, outside.port)
    let sockets = Carrier(Sockets(inside: inside, outside: outside))
    let isStopped = isStopped
    thread = RunningThread {
      let sockets = sockets.take()
      var client: UInt16?
      var random = SeededRandom(seed: UInt64(getpid()))
      while !isStopped.isSet {
        if let (bytes, from) = sockets.inside.receive(within: 5) {
          client = from
          if Double.random(in: 0..<1, using: &random) >= loss { sockets.outside.send(bytes, to: server) }
        }
        if let (bytes, _) = sockets.outside.receive(within: 5), let client,
          Double.random(in: 0..<1, using: &random) >= loss
        {
          sockets.inside.send(bytes, to: client)
        }
      }
      return true
    }
  }

  deinit {
    isStopped.set()
    _ = thread.join()
  }

  private struct Sockets: ~Copyable, @unchecked Sendable {
    let inside: LoopbackSocket
    let outside: LoopbackSocket
  }
}
