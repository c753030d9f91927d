import Foundation
import Networking
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// Now on the monotonic axis of these tests, which run in real time (see `DTLSTransport`).
func monotonicNow() -> MediaInstant {
  MediaInstant(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds))
}

let testSeconds = 1_700_000_000

@Suite struct DTLSTransportTests {
  /// Both ends with a link between them that loses, doubles and swaps datagrams.
  private struct Pair: ~Copyable {
    var client: DTLSTransport
    var server: DTLSTransport
    var random: SeededRandom
    let loss: Double
    var toClient: [[UInt8]] = []
    var toServer: [[UInt8]] = []
    var sentCount = 0
    var longest = 0

    init(_ client: consuming DTLSTransport, _ server: consuming DTLSTransport, loss: Double, seed: UInt64) {
      self.client = client
      self.server = server
      self.loss = loss
      random = SeededRandom(seed: seed)
    }

    mutating func exchange(at now: MediaInstant) {
      while let datagram = client.nextDatagram() { carry(datagram, toServer: true) }
      while let datagram = server.nextDatagram() { carry(datagram, toServer: false) }
      let (forServer, forClient) = (toServer, toClient)
      toServer = []
      toClient = []
      for datagram in forServer { server.receive(datagram.span, at: now) }
      for datagram in forClient { client.receive(datagram.span, at: now) }
      if let time = client.nextTimeout(at: now), time <= now { client.handleTimeout(at: now) }
      if let time = server.nextTimeout(at: now), time <= now { server.handleTimeout(at: now) }
    }

    private mutating func carry(_ datagram: [UInt8], toServer isForServer: Bool) {
      sentCount += 1
      longest = max(longest, datagram.count)
      if Double.random(in: 0..<1, using: &random) < loss { return }
      let copies = Double.random(in: 0..<1, using: &random) < loss / 3 ? 2 : 1
      for _ in 0..<copies {
        if isForServer { toServer.append(datagram) } else { toClient.append(datagram) }
      }
      if Double.random(in: 0..<1, using: &random) < loss {
        if isForServer { toServer.shuffle(using: &random) } else { toClient.shuffle(using: &random) }
      }
    }

    /// In real time, until both are done or `seconds` have passed.
    mutating func run(seconds: Double) -> (client: DTLSTransport.State, server: DTLSTransport.State) {
      let start = monotonicNow()
      client.start(at: start)
      server.start(at: start)
      while monotonicNow().milliseconds(since: start) < seconds * 1_000 {
        exchange(at: monotonicNow())
        let isIdle = toClient.isEmpty && toServer.isEmpty
        if client.state != .connecting, server.state != .connecting, isIdle { break }
        if isIdle { usleep(2_000) }
      }
      return (client.state, server.state)
    }
  }

  private func pair(
    client clientProfiles: [SRTPProfile] = [.aes128GCM, .aes128CounterModeSHA1x80],
    server serverProfiles: [SRTPProfile] = [.aes128GCM, .aes128CounterModeSHA1x80], loss: Double = 0, seed: UInt64 = 1,
    expectedByServer: CertificateFingerprint? = nil
  ) throws -> Pair {
    let ours = try DTLSCertificate(secondsSince1970: testSeconds)
    let theirs = try DTLSCertificate(secondsSince1970: testSeconds)
    return Pair(
      try DTLSTransport(
        .client, certificate: ours, fingerprints: [theirs.fingerprint], profiles: clientProfiles),
      try DTLSTransport(
        .server, certificate: theirs, fingerprints: [expectedByServer ?? ours.fingerprint], profiles: serverProfiles),
      loss: loss, seed: seed)
  }

  @Test(arguments: [SRTPProfile.aes128GCM, .aes128CounterModeSHA1x80])
  func bothEndsGetTheSameKeysAndSRTPRunsOnThem(_ profile: SRTPProfile) throws {
    var pair = try pair(client: [.aes128GCM, .aes128CounterModeSHA1x80], server: [profile])
    let states = pair.run(seconds: 10)
    #expect(states == (.connected, .connected))
    let found = (pair.client.keys, pair.server.keys)
    let (client, server) = (try #require(found.0), try #require(found.1))
    #expect(client.sending == server.receiving && client.receiving == server.sending)
    #expect(client.sending != client.receiving && client.sending.profile == profile)
    let longest = pair.longest
    #expect(longest <= 1_200)

    var sender = try SRTPSender(key: client.sending, ssrc: 7)
    var receiver = try SRTPReceiver(key: server.receiving)
    var packet = CaptureBuilder.rtp(sequence: 1, timestamp: 0) + [UInt8](repeating: 0, count: 20)
    var span = packet.mutableSpan
    let sealed = try sender.protect(&span, byteCount: 172)
    let opened = try receiver.unprotect(&span, byteCount: sealed)
    #expect(opened == 172 && packet[12] == 0x55)
  }

  @Test func theServersPreferenceIsAmongWhatTheClientOffers() throws {
    var pair = try pair(client: [.aes128CounterModeSHA1x80, .aes128GCM])
    let states = pair.run(seconds: 10)
    #expect(states == (.connected, .connected))
    let (client, server) = (pair.client.keys?.sending.profile, pair.server.keys?.sending.profile)
    #expect(client != nil && client == server)
  }

  @Test(arguments: 1...12)
  func lossIsMadeGoodByTheTimer(_ seed: UInt64) throws {
    var pair = try pair(loss: 0.25, seed: seed)
    let states = pair.run(seconds: 14)
    // The last flight is repeated only when the other end asks again: go on until both are done.
    let sentCount = pair.sentCount
    #expect(states == (.connected, .connected), "seed \(seed), \(sentCount) datagrams")
    let (client, server) = (pair.client.keys?.sending, pair.server.keys?.receiving)
    #expect(client != nil && client == server)
  }

  @Test func aCertificateThatWasNotAnnouncedEndsIt() throws {
    let wrong = CertificateFingerprint(.sha256, digest: [UInt8](repeating: 9, count: 32))
    var pair = try pair(expectedByServer: wrong)
    let states = pair.run(seconds: 10)
    guard case .failed(.fingerprintMismatch(let expected, let found)) = states.server else {
      Issue.record("the server is \(states.server)")
      return
    }
    #expect(expected == [wrong] && found != nil && found != wrong)
    let keys = pair.server.keys
    #expect(keys == nil)
    for _ in 0..<3 { pair.exchange(at: monotonicNow()) }
    let client = pair.client.state
    #expect(client == .failed(.closedByPeer))
  }

  @Test func endsWithoutACommonProfileSaySo() throws {
    var pair = try pair(client: [.aes128GCM], server: [.aes128CounterModeSHA1x80])
    let states = pair.run(seconds: 10)
    #expect(states.client == .failed(.noCommonProfile) && states.server == .failed(.noCommonProfile))
  }

  @Test func aSilentPeerIsGivenUpAfterTheTimeout() throws {
    let certificate = try DTLSCertificate(secondsSince1970: testSeconds)
    var client = try DTLSTransport(
      .client, certificate: certificate, fingerprints: [certificate.fingerprint], handshakeTimeout: 3)
    let before = client.nextTimeout(at: .zero)
    #expect(before == nil)
    client.start(at: .zero)
    let first = client.nextDatagram() ?? []
    #expect(first.first == 22 && first.count < 400)
    let next = client.nextTimeout(at: .zero) ?? .zero
    #expect(next.milliseconds > 50 && next.milliseconds <= 100)
    usleep(110_000)
    client.handleTimeout(at: MediaInstant(milliseconds: 110))
    let again = client.nextDatagram() ?? []
    #expect(again.count == first.count && again != first)  // the same message in a record with a new number
    client.handleTimeout(at: MediaInstant(milliseconds: 2_999))
    let late = client.state
    client.handleTimeout(at: MediaInstant(milliseconds: 3_000))
    let (state, timeout) = (client.state, client.nextTimeout(at: MediaInstant(milliseconds: 3_000)))
    #expect(late == .connecting && state == .failed(.timedOut(seconds: 3)) && timeout == nil)
  }

  @Test func garbageChangesNothing() throws {
    var pair = try pair()
    var random = SeededRandom(seed: 5)
    pair.client.start(at: monotonicNow())
    for round in 0..<2_000 {
      var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if round % 2 == 0, bytes.count > 13 {
        // A record's head, so that OpenSSL looks at the rest. No alerts: before keys are agreed anyone can send those.
        bytes.replaceSubrange(0..<3, with: [round % 4 == 0 ? 22 : 20, 0xFE, 0xFD])
        bytes.replaceSubrange(3..<5, with: [0, 1])
      } else if bytes.count > 0, (20..<64).contains(bytes[0]) {
        bytes[0] = 0x80
      }
      pair.client.receive(bytes.span, at: monotonicNow())
      pair.server.receive(bytes.span, at: monotonicNow())
    }
    let states = pair.run(seconds: 10)
    #expect(states == (.connected, .connected))
    let ignored = pair.client.ignoredDatagramCount
    #expect(ignored > 900)
  }

  @Test func closingIsHeardByThePeer() throws {
    var pair = try pair()
    let states = pair.run(seconds: 10)
    #expect(states == (.connected, .connected))
    pair.client.close()
    for _ in 0..<3 { pair.exchange(at: monotonicNow()) }
    let (client, server) = (pair.client.state, pair.server.state)
    #expect(client == .closed && server == .failed(.closedByPeer))
    let clientKeys = pair.client.keys
    #expect(clientKeys != nil)
  }
}
