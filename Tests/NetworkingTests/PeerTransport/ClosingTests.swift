import Foundation
import RTPTransport
import RealtimeCore
import Testing

@testable import Networking

@Suite("Closing a transport", .serialized, .timeLimit(.minutes(1)))
struct ClosingTests {
  enum Stage: CaseIterable {
    case new, gathering, described, checking, connected, failed
  }

  @Test("closes at every stage, twice at once, and says so", arguments: Stage.allCases)
  func closes(stage: Stage) async throws {
    let loop = EventLoop()
    var settings = loopbackSettings(servers: [.stun("127.0.0.1", port: 9)])
    settings.ice.connectionTimeout = 0.05
    let end = try TestEnd(stage == .connected ? loopbackSettings() : settings, on: loop)
    let other = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    let theirs = await other.transport.localParameters
    let nobody = ICECandidate(foundation: "1", priority: 1, address: "127.0.0.1", port: 9, kind: .host)
    switch stage {
    case .new: break
    case .gathering: try await end.gather()
    case .described: try await end.transport.setRemote(theirs, role: .client)
    case .checking, .failed:
      try await end.gather()
      try await end.transport.setRemote(theirs, role: .client)
      try await end.transport.add(nobody)
      if stage == .failed { #expect(await end.events.has(within: 5) { $0.isFailure }) }
    case .connected: try await connect(end, other)
    }
    let start = ContinuousClock.now
    async let once: Void = end.transport.close()
    async let twice: Void = end.transport.close()
    _ = await (once, twice)
    await end.transport.close()
    #expect(ContinuousClock.now - start < .seconds(1))
    #expect(await end.events.has(within: 1) { $0 == .closed })
    #expect(end.events.all.last == .closed)
    #expect(await end.send(TestEnd.packet(1)) == .notConnected)
    await #expect(throws: PeerTransportError.closed) { try await end.gather() }
    await #expect(throws: PeerTransportError.closed) { try await end.transport.add(nobody) }
    await #expect(throws: PeerTransportError.closed) { try await end.transport.restartICE() }
    await other.transport.close()
  }

  @Test("200 calls one after the other leave no socket, no thread and little memory behind")
  func leaks() async throws {
    let loop = EventLoop()
    func call(_ isClosed: Bool = true) async throws {
      let first = try TestEnd(loopbackSettings(), on: loop)
      let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
      try await connect(first, second)
      #expect(first.events.keys != nil)
      if isClosed {
        await first.transport.close()
        await second.transport.close()
      }
    }
    for _ in 0..<5 { try await call() }
    let before = (Self.socketCount, Self.threadCount)
    for number in 0..<100 { try await call(number % 10 != 0) }
    // Ten of them were only let go.
    for _ in 0..<100 where Self.socketCount > before.0 { try await Task.sleep(for: .milliseconds(10)) }
    // Other suites open sockets meanwhile; a leak would be two hundred.
    #expect(Self.socketCount < before.0 + 20)
    #expect(Self.threadCount < before.1 + 20)
  }

  static var socketCount: Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))?.hasPrefix("socket:") == true
    }
  }

  static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
  }
}
