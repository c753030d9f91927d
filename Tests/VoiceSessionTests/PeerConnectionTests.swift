import AudioDevices
import Foundation
import MediaEngine
import Networking
import RTPTransport
import RealtimeCore
import Synchronization
import TestSupport
import Testing

@testable import VoiceSession

/// Two connections over the loopback address, each with a clock as its sound device.
@Suite("Peer connection", .timeLimit(.minutes(1)))
struct PeerConnectionTests {
  @Test("a tone at one end is heard at the other, both ways", arguments: [true, false])
  func toneBothWays(trickles: Bool) async throws {
    let call = try await TestPeers(trickles: trickles)
    try await call.connect()
    try await call.hear(seconds: 1.5)
    #expect(call.callee.heardFrequency() == 440)
    #expect(call.caller.heardFrequency() == 700)
    let (near, far) = await (call.caller.connection.snapshot, call.callee.connection.snapshot)
    #expect((near?.statistics.inboundRTP.packetsReceived ?? 0) > 30)
    #expect((far?.statistics.inboundRTP.packetsReceived ?? 0) > 30)
    #expect(near?.statistics.faults.unauthenticPackets == 0)
    await call.close()
  }

  @Test("keys, mute, hold and the way back")
  func commands() async throws {
    let call = try await TestPeers()
    try await call.connect()
    let keys = Task {
      var keys: [MediaEvent] = []
      for await event in call.callee.connection.events {
        guard case .media(let noticed) = event else { continue }
        switch noticed {
        case .keyPressed, .keyReleased: keys.append(noticed)
        default: break
        }
        if keys.count == 4 { break }
      }
      return keys
    }
    for code in [7, 11] as [UInt8] {
      #expect(await call.caller.connection.send(.pressKey(code: code, milliseconds: 100)))
    }
    let pressed = await keys.value
    #expect(
      pressed == [
        .keyPressed(code: 7), .keyReleased(code: 7, milliseconds: 100),
        .keyPressed(code: 11), .keyReleased(code: 11, milliseconds: 100),
      ])

    #expect(await call.caller.connection.send(.mute(true)))
    try await call.hear(seconds: 0.6)
    #expect(call.callee.heardPower() < -60)
    #expect(await call.caller.connection.send(.mute(false)))

    try await call.renegotiate { try await call.caller.connection.makeOffer(direction: .inactive) }
    try await call.hear(seconds: 0.8)
    let before = await call.callee.connection.snapshot?.statistics.inboundRTP.packetsReceived
    try await call.hear(seconds: 0.3)
    #expect(await call.callee.connection.snapshot?.statistics.inboundRTP.packetsReceived == before)
    try await call.renegotiate { try await call.caller.connection.makeOffer(direction: .sendReceive) }
    try await call.hear(seconds: 0.8)
    #expect(call.callee.heardFrequency() == 440)
    await call.close()
  }

  @Test("a restart of ICE in mid-call loses no sound")
  func restart() async throws {
    let call = try await TestPeers()
    try await call.connect()
    try await call.hear(seconds: 0.5)
    let before = try #require(await call.callee.connection.snapshot?.statistics.inboundRTP)
    try await call.renegotiate { try await call.caller.connection.restartICE() }
    try await call.hear(seconds: 1)
    let after = try #require(await call.callee.connection.snapshot?.statistics.inboundRTP)
    #expect(after.packetsReceived > before.packetsReceived + 40)
    #expect(after.packetsLost <= before.packetsLost + 2)
    #expect(call.callee.heardFrequency() == 440)
    await call.close()
  }

  @Test("the end of one end is told to the other, and all streams of events end")
  func goodbye() async throws {
    let call = try await TestPeers()
    try await call.connect()
    try await call.hear(seconds: 0.3)
    let told = Task {
      for await event in call.callee.connection.events {
        if case .media(.remoteStreamEnded) = event { return true }
      }
      return false
    }
    await call.caller.connection.close()
    #expect(await told.value)
    await call.caller.connection.close()
    var states: [PeerConnectionState] = []
    for await event in call.caller.connection.events {
      if case .state(let state) = event { states.append(state) }
    }
    #expect(states == [.closed])
    await #expect(throws: PeerConnectionError.self) { try await call.caller.connection.makeOffer() }
    await call.close()
  }

  @Test("whoever closes second waits as long as the first: no sound comes behind either")
  func closingTwice() async throws {
    let call = try await TestPeers()
    try await call.connect()
    try await call.hear(seconds: 0.3)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          await call.caller.connection.close()
          return call.caller.heardSampleCount
        }
      }
      let counts = await group.reduce(into: []) { $0.append($1) }
      try? await Task.sleep(for: .milliseconds(50))
      #expect(counts.allSatisfy { $0 == call.caller.heardSampleCount })
    }
    await call.close()
  }

  @Test("a peer with another certificate than its description says gets no call")
  func wrongFingerprint() async throws {
    let call = try await TestPeers(trickles: false)
    let offer = try await call.caller.connection.makeOffer()
    let other = try await call.callee.connection.accept(offer: offer)
    let line = try #require(other.components(separatedBy: "\r\n").first { $0.hasPrefix("a=fingerprint:") })
    let forged = String(line.reversed().map { $0 == "A" ? "B" : $0 == "0" ? "1" : $0 }.reversed())
    try await call.caller.connection.accept(answer: other.replacingOccurrences(of: line, with: forged))
    var failure: PeerConnectionError?
    for await event in call.caller.connection.events {
      if case .failed(let error) = event {
        failure = error
        break
      }
    }
    guard case .transport(.dtls(.fingerprintMismatch)) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(await call.caller.connection.snapshot == nil)
    await call.close()
  }

  @Test("what is no description or candidate is refused with advice")
  func badInput() async throws {
    let call = try await TestPeers()
    let connection = call.caller.connection
    for text in ["", "v=0", "hello\r\n", String(repeating: "a=x\r\n", count: 100_000)] {
      await #expect(throws: PeerConnectionError.self) { try await connection.accept(offer: text) }
      await #expect(throws: PeerConnectionError.self) { try await connection.accept(answer: text) }
    }
    await #expect(throws: PeerConnectionError.self) { try await connection.add(candidate: "candidate:nonsense") }
    try await call.connect()
    await call.close()
  }
}

/// Caller and callee on one loop, each playing a tone into its microphone.
struct TestPeers: Sendable {
  let loop = EventLoop()
  let caller: TestPeer
  let callee: TestPeer

  init(trickles: Bool = true, change: (inout PeerConnectionSettings) -> Void = { _ in }) async throws {
    var settings = PeerConnectionSettings()
    settings.transport.ice.allowsLoopback = true
    settings.transport.ice.localAddresses = ["127.0.0.1"]
    settings.engine = .unprocessed
    settings.trickles = trickles
    change(&settings)
    caller = try await TestPeer(settings, frequency: 440, on: loop)
    callee = try await TestPeer(settings, frequency: 700, on: loop)
  }

  func connect() async throws {
    try await renegotiate { try await caller.connection.makeOffer() }
    for peer in [caller, callee] {
      for await event in peer.connection.events {
        if case .failed(let error) = event { throw error }
        if case .state(.connected) = event { break }
      }
    }
  }

  /// An offer of the caller's, its answer, and the candidates both ways.
  func renegotiate(_ makeOffer: () async throws -> String) async throws {
    Self.trickle(from: caller.connection, to: callee.connection)
    Self.trickle(from: callee.connection, to: caller.connection)
    let answer = try await callee.connection.accept(offer: makeOffer())
    try await caller.connection.accept(answer: answer)
  }

  private static func trickle(from one: PeerConnection, to other: PeerConnection) {
    Task {
      for await event in one.events {
        if case .localCandidate(let candidate, _) = event { try? await other.add(candidate: "\(candidate)") }
      }
    }
  }

  /// Lets the call run and forgets what was heard before.
  func hear(seconds: Double) async throws {
    caller.forget()
    callee.forget()
    try await Task.sleep(for: .seconds(seconds))
  }

  func close() async {
    await caller.connection.close()
    await callee.connection.close()
  }
}

/// A connection whose microphone hears a tone and whose loudspeaker is recorded.
final class TestPeer: Sendable {
  let connection: PeerConnection
  private let heard: Recorder

  final class Recorder: Sendable {
    let samples = Mutex<[Float]>([])
  }

  init(_ settings: PeerConnectionSettings, frequency: Double, on loop: EventLoop) async throws {
    let recorder = Recorder()
    heard = recorder
    let sound = CallSound.clock {
      var phase = 0.0
      return VirtualSound(
        microphone: { block in
          for index in block.indices {
            block[index] = Float(0.3 * sin(phase))
            phase += 2 * .pi * frequency / 48_000
          }
          return true
        },
        loudspeaker: { block in
          recorder.samples.withLock { samples in
            for index in block.indices { samples.append(block[index]) }
          }
        })
    }
    connection = try PeerConnection(settings, sound: sound, on: loop)
  }

  var heardSampleCount: Int { heard.samples.withLock { $0.count } }

  func forget() { heard.samples.withLock { $0 = [] } }

  private var latest: [Float] { heard.samples.withLock { Array($0.suffix(12_000)) } }

  /// The frequency with most power of those on a grid of 20 Hz from 100 to 2,000, in the newest quarter second.
  func heardFrequency() -> Int {
    let samples = latest
    guard powerDecibels(samples) > -60 else { return 0 }
    let candidates = Array(stride(from: 100, through: 2_000, by: 20))
    return candidates.max { power(samples, at: Double($0)) < power(samples, at: Double($1)) } ?? 0
  }

  func heardPower() -> Double { powerDecibels(latest) }

  private func power(_ samples: [Float], at frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / 48_000
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return real * real + imaginary * imaginary
  }
}
