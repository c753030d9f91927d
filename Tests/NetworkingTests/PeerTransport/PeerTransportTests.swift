import RTPTransport
import RealtimeCore
import Testing

@testable import Networking

@Suite("Peer transport", .serialized, .timeLimit(.minutes(1)))
struct PeerTransportTests {
  @Test("two ends connect, agree on keys and exchange media", arguments: ["127.0.0.1", "::1"])
  func connects(address: String) async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings([address]), on: loop)
    let second = try TestEnd(loopbackSettings([address]), isControlling: false, on: loop)
    try await connect(first, second)
    let (ours, theirs) = (try #require(first.events.keys), try #require(second.events.keys))
    #expect(ours.sending == theirs.receiving)
    #expect(ours.receiving == theirs.sending)
    #expect(ours.sending != ours.receiving)

    for number in 0..<50 {
      #expect(await first.send(TestEnd.packet(number)) == .sent)
      #expect(await second.send(TestEnd.packet(1_000 + number)) == .sent)
    }
    #expect(await second.received.reach(50))
    #expect(await first.received.reach(50))
    #expect(second.received.all == (0..<50).map { TestEnd.packet($0) })
    #expect(first.events.pair?.local.address == address)

    await first.transport.close()
    #expect(await second.events.has(within: 2) { $0 == .failed(.dtls(.closedByPeer)) })
    await second.transport.close()
    #expect(await second.events.has(within: 1) { $0 == .closed })
  }
}
