import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@testable import Networking

@Suite("Peer transport", .serialized, .timeLimit(.minutes(1)))
struct PeerTransportTests {
  @Test("two ends connect, agree on keys and exchange media", arguments: ["127.0.0.1", "::1"])
  func connects(address: String) async throws {
    let first = try TestEnd(loopbackSettings([address]), on: EventLoop())
    let second = try TestEnd(loopbackSettings([address]), isControlling: false, on: EventLoop())
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

  @Test("ends that both want to control, or both do not, come to terms", arguments: [true, false])
  func roleConflict(isControlling: Bool) async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), isControlling: isControlling, on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: isControlling, on: loop)
    try await connect(first, second)
    #expect(first.events.keys != nil && second.events.keys != nil)
    await first.transport.close()
    await second.transport.close()
  }

  @Test("addresses of several interfaces and both versions", .timeLimit(.minutes(1)))
  func allInterfaces() async throws {
    var settings = PeerTransportSettings()
    settings.ice.allowsLoopback = true
    settings.ice.allowsLinkLocal = true
    let loop = EventLoop()
    let first = try TestEnd(settings, on: loop)
    let second = try TestEnd(settings, isControlling: false, on: loop)
    try await connect(first, second)
    #expect(first.events.keys != nil && second.events.keys != nil)
    let addresses = Set(first.events.candidates.map(\.address))
    #expect(addresses.isSuperset(of: ["127.0.0.1", "::1"]))
    #expect(addresses.allSatisfy { !$0.contains("%") })
    await first.transport.close()
    await second.transport.close()
  }

  @Test("a peer with another certificate than announced is refused, and learns it")
  func fingerprintMismatch() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    let tasks = [trickle(first.transport, to: second.transport), trickle(second.transport, to: first.transport)]
    defer { for task in tasks { task.cancel() } }
    var (ours, theirs) = await (first.transport.localParameters, second.transport.localParameters)
    let announced = CertificateFingerprint(.sha256, digest: [UInt8](repeating: 1, count: 32))
    ours.fingerprints = [announced]
    try await first.gather()
    try await second.gather()
    try await first.transport.setRemote(theirs, role: .client)
    try await second.transport.setRemote(ours, role: .server)
    #expect(await second.events.has { $0.isFailure })
    #expect(
      second.events.failure == .dtls(.fingerprintMismatch(expected: [announced], found: first.transport.fingerprint)))
    #expect(second.events.keys == nil)
    #expect(await first.events.has { $0.isFailure })

    // Nothing of such a peer is passed on.
    await first.send(TestEnd.packet(1))
    try await Task.sleep(for: .milliseconds(50))
    #expect(second.received.count == 0)
    #expect(await second.transport.statistics().datagramsWithoutKeys == 1)
    await first.transport.close()
    await second.transport.close()
  }

  @Test("the peer's first flight waits for its description")
  func earlyFlight() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    let task = trickle(second.transport, to: first.transport)
    defer { task.cancel() }
    let (ours, theirs) = await (first.transport.localParameters, second.transport.localParameters)
    try await first.gather()
    try await second.gather()
    try await first.transport.setRemote(theirs, role: .client)
    #expect(await first.events.has { $0 == .dtlsState(.connecting) })
    try await Task.sleep(for: .milliseconds(20))
    try await second.transport.setRemote(ours, role: .server)
    #expect(await second.events.has(within: 2) { $0.isConnected })
    #expect(await first.events.has(within: 2) { $0.isConnected })
    await first.transport.close()
    await second.transport.close()
  }

  @Test("a reader that comes late gets what holds, in order, and then the rest")
  func lateReader() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    var kinds: [String] = []
    let late = first.transport.events
    await first.transport.close()
    for await event in late {
      switch event {
      case .localCandidate: kinds.append("candidate")
      case .gatheringState(let state): kinds.append("gathering \(state)")
      case .candidateError: kinds.append("error")
      case .iceState(let state): kinds.append("ice \(state)")
      case .selectedPair: kinds.append("pair")
      case .dtlsState(let state): kinds.append("dtls \(state)")
      case .connected: kinds.append("keys")
      case .failed: kinds.append("failed")
      case .closed: kinds.append("closed")
      }
    }
    #expect(
      kinds == [
        "candidate", "gathering complete", "ice completed", "pair", "dtls connected", "keys", "dtls closed",
        "ice closed", "closed",
      ])
    await second.transport.close()
    var afterwards: [PeerTransportEvent] = []
    for await event in first.transport.events { afterwards.append(event) }
    #expect(afterwards.last == .closed)
  }

  @Test("statistics count what went and came")
  func statistics() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    #expect(await first.send(TestEnd.packet(0)) == .notConnected)
    try await connect(first, second)
    let before = await (first.transport.statistics(), second.transport.statistics())
    for number in 0..<10 { await first.send(TestEnd.packet(number, byteCount: 100)) }
    #expect(await first.send([UInt8](repeating: 0x80, count: 3_000)) == .wrongSize)
    #expect(await second.received.reach(10))
    let after = await (first.transport.statistics(), second.transport.statistics())
    #expect(after.0.packetsSent - before.0.packetsSent == 10)
    #expect(after.0.bytesSent - before.0.bytesSent == 1_000)
    #expect(after.1.packetsReceived - before.1.packetsReceived == 10)
    #expect(after.1.bytesReceived - before.1.bytesReceived == 1_000)
    #expect(after.0.packetsDiscardedOnSend == 1 && after.0.bytesDiscardedOnSend == 172)
    #expect(after.0.oversizedDatagrams == 1)
    #expect(after.0.iceState == .completed && after.0.dtlsState == .connected)
    #expect(after.0.isControlling && !after.1.isControlling)
    #expect(after.0.srtpCipher == .aes128GCM)
    #expect(after.0.selectedCandidatePairChanges >= 1)
    #expect(after.0.ice.localCandidateCount == 1 && after.0.ice.remoteCandidateCount == 1)
    await first.transport.close()
    await second.transport.close()
    #expect(await first.transport.statistics().iceState == .closed)
  }

  @Test("a datagram allocates nothing on its way in or out")
  func allocations() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try PeerTransport(loopbackSettings(), on: loop) { _, _ in }
    let events = TransportEvents(second)
    let tasks = [trickle(first.transport, to: second), trickle(second, to: first.transport)]
    defer { for task in tasks { task.cancel() } }
    let (ours, theirs) = await (first.transport.localParameters, second.localParameters)
    try await first.gather()
    try await second.gather(isControlling: false)
    try await first.transport.setRemote(theirs, role: .client)
    try await second.setRemote(ours, role: .server)
    #expect(await events.has { $0.isConnected })
    let counts = await withCheckedContinuation { done in
      loop.perform {
        let packet = TestEnd.packet(1)
        func send() { for _ in 0..<20 { first.transport.send(packet.span) } }
        func receive() {
          unsafe packet.withUnsafeBufferPointer { bytes in
            for _ in 0..<20 { unsafe second.path.agent!.onDatagram(bytes, .zero) }
          }
        }
        send()
        receive()
        done.resume(returning: (heapOperations(send), heapOperations(receive)))
      }
    }
    if let (sending, receiving) = counts.0.flatMap({ sent in counts.1.map { (sent, $0) } }) {
      #expect(sending == 0)
      #expect(receiving == 0)
    }
    await first.transport.close()
    await second.close()
  }
}
