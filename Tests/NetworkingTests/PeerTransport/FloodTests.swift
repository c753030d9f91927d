import Foundation
import RTPTransport
import RealtimeCore
import Synchronization
import TestSupport
import Testing

@testable import Networking

@Suite("Hostile datagrams", .serialized, .timeLimit(.minutes(1)))
struct FloodTests {
  /// Bytes that look like each protocol that shares the port, and like none.
  private static func garbage(_ random: inout SeededRandom) -> [UInt8] {
    var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard bytes.count >= 20 else { return bytes }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:  // a STUN request of the right length
      let byteCount = bytes.count / 4 * 4 - 20
      bytes = Array(bytes.prefix(byteCount + 20))
      bytes.replaceSubrange(
        0..<8, with: [0, 1, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF), 0x21, 0x12, 0xA4, 0x42])
    case 1:  // a record of DTLS
      bytes.replaceSubrange(0..<3, with: [UInt8.random(in: 20...23, using: &random), 0xFE, 0xFD])
    case 2: bytes[0] = 0x80
    case 3: bytes[0] = 0x40
    default: break
    }
    return bytes
  }

  @Test("a stranger's flood neither ends a call nor delays another on the same loop")
  func stranger() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    let arrivals = Mutex<[(sent: MediaInstant, got: MediaInstant)]>([])
    let (third, fourth) = try Self.timedPair(on: loop) { sent, got in arrivals.withLock { $0.append((sent, got)) } }
    try await connect(third, fourth)

    let target = try #require(first.events.candidates.first).port
    let before = Self.residentBytes
    let flood = RunningThread {
      guard let socket = try? LoopbackSocket() else { return false }
      var random = SeededRandom(seed: 11)
      for _ in 0..<30_000 { socket.send(Self.garbage(&random), to: target) }
      return true
    }
    let flooding = Task.detached { flood.join() }
    let isDone = AtomicFlag()
    Task.detached {
      _ = await flooding.value
      isDone.set()
    }
    var count = 0
    while !isDone.isSet || count < 50 {
      await third.send(Self.stamped(EventLoop.now))
      await first.send(TestEnd.packet(count))
      count += 1
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(await second.received.reach(count))
    for _ in 0..<200 where arrivals.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(5)) }
    let delays = arrivals.withLock { $0.map { $0.got.milliseconds(since: $0.sent) } }
    #expect(delays.count == count)
    // Well below a jitter buffer's margin, on a machine that runs other tests too.
    #expect(delays.sorted()[delays.count * 9 / 10] < 20)
    #expect(Self.residentBytes - before < 64 << 20)
    // Nothing of a stranger counts as the peer's.
    #expect(await first.transport.statistics().packetsReceived < 20)
    #expect(first.events.failure == nil)
    for end in [first, second, third, fourth] { await end.transport.close() }
  }

  @Test("garbage from the peer itself is counted and dropped, and the call goes on")
  func peer() async throws {
    let loop = EventLoop()
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop)
    try await connect(first, second)
    var random = SeededRandom(seed: 12)
    let before = Self.residentBytes
    for _ in 0..<5_000 {
      let datagram = Self.garbage(&random)
      // As media these pass: SRTP drops them.
      if case .rtp = DatagramKind(datagram.span) { continue }
      if case .rtcp = DatagramKind(datagram.span) { continue }
      await first.send(datagram)
    }
    await first.send(TestEnd.packet(7))
    #expect(await second.received.reach(1))
    #expect(second.received.all == [TestEnd.packet(7)])
    let counts = await second.transport.statistics()
    #expect(counts.unknownDatagrams > 500)
    #expect(counts.dtlsState == .connected)
    #expect(second.events.failure == nil)
    #expect(Self.residentBytes - before < 64 << 20)
    await first.transport.close()
    await second.transport.close()
  }

  private static func stamped(_ now: MediaInstant) -> [UInt8] {
    [0x80, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: now.nanoseconds >> (8 * $0)) }
  }

  /// Two ends; `note` gets when each stamped packet was sent and came.
  private static func timedPair(
    on loop: EventLoop, _ note: @escaping @Sendable (MediaInstant, MediaInstant) -> Void
  ) throws -> (TestEnd, TestEnd) {
    let first = try TestEnd(loopbackSettings(), on: loop)
    let second = try TestEnd(loopbackSettings(), isControlling: false, on: loop) { datagram, arrival in
      var stamp: Int64 = 0
      for index in 0..<8 { stamp |= Int64(datagram[4 + index]) << (8 * index) }
      note(MediaInstant(nanoseconds: stamp), arrival)
    }
    return (first, second)
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4_096
  }
}
