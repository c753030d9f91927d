import RTPTransport
import RealtimeCore
import Testing

@testable import Networking

@Suite("ICE restart", .serialized, .timeLimit(.minutes(1)))
struct RestartTests {
  @Test("no datagram is lost over a restart in the middle of a call, by either end")
  func restart() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    let keys = first.events.keys
    let sending = Task {
      var number = 0
      while !Task.isCancelled, number < 10_000 {
        let outcomes = await (first.send(TestEnd.packet(number)), second.send(TestEnd.packet(number)))
        #expect(outcomes.0 == .sent && outcomes.1 == .sent)
        if outcomes.0 != .sent || outcomes.1 != .sent { break }
        number += 1
        try? await Task.sleep(for: .milliseconds(2))
      }
      return number
    }
    for (starter, other) in [(first, second), (second, first)] {
      try await Task.sleep(for: .milliseconds(100))
      let before = (starter.events.all.count, other.events.all.count)
      let old = await (starter.transport.localParameters, other.transport.localParameters)
      let tasks = [trickle(starter.transport, to: other.transport), trickle(other.transport, to: starter.transport)]
      defer { for task in tasks { task.cancel() } }
      // Offer with new credentials, answer with new credentials.
      try await starter.transport.restartICE()
      let offer = await starter.transport.localParameters
      #expect(offer.ice != old.0.ice)
      await #expect(throws: PeerTransportError.ice(.restartNeeded)) {
        try await other.transport.setRemote(offer, role: .client)
      }
      try await Task.sleep(for: .milliseconds(100))
      try await other.transport.restartICE()
      try await other.transport.setRemote(offer, role: .client)
      let answer = await other.transport.localParameters
      #expect(answer.ice != old.1.ice)
      try await Task.sleep(for: .milliseconds(100))
      try await starter.transport.setRemote(answer, role: .client)
      for (end, seen) in [(starter, before.0), (other, before.1)] {
        #expect(
          await end.events.has { _ in
            end.events.all.dropFirst(seen).contains(.iceState(.checking))
              && end.events.all.last == .iceState(.completed)
          })
        #expect(end.events.all.dropFirst(seen).contains { $0.isCandidate })
        #expect(end.events.failure == nil)
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    sending.cancel()
    let count = await sending.value
    #expect(await first.received.reach(count))
    #expect(await second.received.reach(count))
    #expect(first.received.all == (0..<count).map { TestEnd.packet($0) })
    #expect(second.received.all == (0..<count).map { TestEnd.packet($0) })
    #expect(first.events.keys == keys)
    await first.transport.close()
    await second.transport.close()
  }

  @Test("a restart brings a transport back that had found no path")
  func revival() async throws {
    let loop = EventLoop()
    var settings = loopbackSettings()
    settings.ice.connectionTimeout = 0.2
    let first = try TestEnd(settings, on: loop)
    let second = try TestEnd(settings, isControlling: false, on: loop)
    try await first.gather()
    try await second.gather()
    for isLate in [false, true] {
      if isLate {
        try await first.transport.restartICE()
        try await second.transport.restartICE()
      }
      // The first time, the candidates are lost on the way.
      let tasks =
        isLate ? [trickle(first.transport, to: second.transport), trickle(second.transport, to: first.transport)] : []
      defer { for task in tasks { task.cancel() } }
      let (ours, theirs) = await (first.transport.localParameters, second.transport.localParameters)
      try await first.transport.setRemote(theirs, role: .client)
      try await second.transport.setRemote(ours, role: .server)
      for end in [first, second] { #expect(await end.events.has(within: 5) { isLate ? $0.isConnected : $0.isFailure }) }
    }
    #expect(first.events.keys != nil && second.events.keys != nil)
    // A new reader hears nothing of a failure that is over.
    let late = TransportEvents(first.transport)
    #expect(await late.has { $0.isConnected })
    #expect(late.failure == nil)
    await first.transport.close()
    await second.transport.close()
  }

  @Test("other fingerprints than before are refused")
  func fingerprintsChanged() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    var other = await second.transport.localParameters
    other.fingerprints = [CertificateFingerprint(.sha256, digest: [UInt8](repeating: 1, count: 32))]
    await #expect(throws: PeerTransportError.fingerprintsChanged) {
      try await first.transport.setRemote(other, role: .client)
    }
    other.fingerprints = []
    await #expect(throws: PeerTransportError.noFingerprint) {
      try await first.transport.setRemote(other, role: .client)
    }
    await first.transport.close()
    await second.transport.close()
  }
}
