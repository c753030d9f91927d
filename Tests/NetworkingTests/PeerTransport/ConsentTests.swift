import RTPTransport
import RealtimeCore
import TestPeers
import Testing

@testable import Networking

/// In real time: libnice's clock of consent cannot be set.
@Suite("Consent to send", .timeLimit(.minutes(1)))
struct ConsentTests {
  private func relayedCall(_ server: RelayServer) async throws -> (TestEnd, TestEnd) {
    let loop = EventLoop()
    var settings = loopbackSettings(servers: [server.turn(.udp)])
    settings.ice.policy = .relay
    settings.closeTimeout = 0.5
    let first = try TestEnd(settings, on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    #expect(first.events.keys != nil && second.events.keys != nil)
    return (first, second)
  }

  @Test("a path that is dead for a while is disconnected, then itself again, and media goes on")
  func interruption() async throws {
    let server = try RelayServer()
    let (first, second) = try await relayedCall(server)
    server.suspend(true)
    #expect(await first.events.has(within: 17) { $0 == .iceState(.disconnected) })
    #expect(await second.events.has(within: 17) { $0 == .iceState(.disconnected) })
    server.suspend(false)
    for number in 0..<20 {
      await first.send(TestEnd.packet(number))
      await second.send(TestEnd.packet(number))
    }
    #expect(await first.received.reach(1))
    #expect(await second.received.reach(1))
    #expect(await first.events.has(within: 1) { _ in first.events.all.last == .iceState(.completed) })
    #expect(await second.events.has(within: 1) { _ in second.events.all.last == .iceState(.completed) })
    // And so it stays: the consent checks are answered again.
    try await Task.sleep(for: .seconds(16))
    #expect(first.events.all.last == .iceState(.completed) && second.events.all.last == .iceState(.completed))
    #expect(await first.transport.statistics().ice.missedConsentCount == 1)
    await first.transport.close()
    await second.transport.close()
  }

  @Test("a path that is dead for good fails within 30 s")
  func loss() async throws {
    let server = try RelayServer()
    let (first, second) = try await relayedCall(server)
    server.crash()
    let start = ContinuousClock.now
    for end in [first, second] {
      #expect(await end.events.has(within: 31) { $0.isFailure })
      guard case .ice(.consentExpired) = end.events.failure else {
        Issue.record("\(String(describing: end.events.failure))")
        continue
      }
      #expect(end.events.all.contains(.iceState(.disconnected)))
      #expect(await end.send(TestEnd.packet(1)) == .notConnected)
    }
    #expect(ContinuousClock.now - start < .seconds(31))
    await first.transport.close()
    await second.transport.close()
  }
}
