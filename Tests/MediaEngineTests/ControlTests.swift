import AudioCodecs
import CallSimulation
import MediaEngine
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// RTCP inside two engines that call each other over simulated networks.
@Suite struct ControlTests {
  private func ends(
    _ format: CodecFormat = .opus(), change: (inout MediaEngineSettings) -> Void = { _ in }
  ) throws -> (near: MediaEngineSettings, far: MediaEngineSettings) {
    var (near, far) = try MediaEngineSettings.secured(.plain(format), .plain(format))
    near.control = .test("near", seed: 1)
    far.control = .test("far", seed: 2)
    change(&near)
    change(&far)
    return (near, far)
  }

  private func network(delay: Double = 0, loss: Double = 0) -> SimulatedNetwork.Model {
    var profile = NetworkProfile()
    profile.baseDelayMilliseconds = delay
    profile.lossBurstProbability = loss
    return .profile(profile)
  }

  @Test func reportsTellTheRoundTripAndWhatIsLost() throws {
    let (near, far) = try ends()
    var call = try TestCall(
      near: near, far: far, downlink: network(delay: 30), uplink: network(delay: 50, loss: 0.1))
    let voice = try speech("mic", at: .hz16000)
    call.run(until: 1_500, user: voice, agent: voice)
    let seen = call.near.statistics
    // Two ways of 30 and 50 ms, and the far end looks at its datagrams every 10 ms.
    let roundTrip = try #require(seen.remoteInboundRTP.roundTripTime)
    #expect(abs(roundTrip - 0.080) < 0.011)
    #expect(seen.remoteInboundRTP.roundTripTimeMeasurements > 5)
    let lost = Double(seen.remoteInboundRTP.packetsLost) / Double(seen.outboundRTP.packetsSent)
    #expect(abs(lost - 0.10) < 0.03)
    let remote = call.near.statistics.remoteOutboundRTP
    let sent = call.far.statistics.outboundRTP
    #expect(remote.reportsSent > 5)
    #expect(sent.packetsSent - remote.packetsSent < 100 && remote.packetsSent > 500)
    #expect(remote.bytesSent <= sent.bytesSent && remote.bytesSent > 1_000)
  }

  @Test func lostPacketsAreAskedForAndComeAgain() throws {
    func heard(retransmits: Bool) throws -> (MediaStatistics, MediaStatistics) {
      let (near, far) = try ends {
        $0.control?.retransmits = retransmits
        $0.control?.allowsReducedSize = true
        $0.jitterBuffer.minimumDelayMilliseconds = 120
      }
      var call = try TestCall(
        near: near, far: far, downlink: network(delay: 10, loss: 0.08), uplink: network(delay: 10))
      let voice = try speech("agent", at: .hz16000)
      call.run(until: 1_500, agent: voice)
      return (call.near.statistics, call.far.statistics)
    }
    let (without, _) = try heard(retransmits: false)
    let (with, far) = try heard(retransmits: true)
    #expect(with.inboundRTP.nackCount > 20)
    #expect(far.outboundRTP.nackCount > 20 && far.outboundRTP.retransmittedPacketsSent > 20)
    #expect(with.inboundRTP.packetsLost * 5 < without.inboundRTP.packetsLost)
    #expect(with.inboundRTP.concealedSamples * 4 < without.inboundRTP.concealedSamples)
    // A repeated packet is the same bytes: the receiver's replay window took none of them for an attack.
    #expect(with.faults.unauthenticPackets == 0)
    #expect(with.faults.replayedPackets == 0)
  }

  @Test func opusFollowsTheFarEndsReports() throws {
    let (near, far) = try ends { $0.control?.bitrateRange = 12_000...48_000 }
    var call = try TestCall(near: near, far: far, uplink: network(delay: 20))
    let voice = try speech("mic", at: .hz16000)
    call.run(until: 1_000, user: voice)
    let clear = call.near.statistics.outboundRTP.targetBitrate
    #expect(clear > 32_000)
    call.uplink = SimulatedNetwork(network(delay: 20, loss: 0.3), seed: 9)
    call.run(until: 2_500, user: voice)
    #expect(call.near.statistics.outboundRTP.targetBitrate < clear / 2)
    // Copies ride along now: the far end restores what it would have to make up.
    #expect(call.far.statistics.inboundRTP.fecPacketsReceived > 20)
  }

  @Test func arrivalsAreReportedByTransportWideNumber() throws {
    let (near, far) = try ends {
      $0.headerExtension.transportSequence = 5
      $0.headerExtension.audioLevel = 1
      $0.control?.sendsTransportFeedback = true
      $0.security = nil
    }
    var call = try TestCall(near: near, far: far)
    call.run(until: 300, agent: try speech("agent", at: .hz16000))
    let control = call.nearSent.filter { DatagramKind($0.span) == .rtcp }
    var kinds: Set<[UInt8]> = []
    for bytes in control {
      var datagram = try RTCPDatagram(bytes.span, allowsReducedSize: false)
      while let packet = datagram.next(in: bytes.span) {
        if packet.kind == .transportFeedback { kinds.insert([packet.type, UInt8(packet.count)]) }
      }
    }
    #expect(control.count > 20)
    #expect(kinds == [[205, 15]])
  }

  @Test func theLevelThatIsSentIsTheSounds() throws {
    let (near, far) = try ends(.l16(.hz16000)) {
      $0.headerExtension.audioLevel = 3
      $0.security = nil
    }
    var call = try TestCall(near: near, far: far)
    let tone = sine(500, sampleRate: .hz16000, count: 16_000, amplitude: 0.1)
    call.run(until: 200, user: tone)
    let levels = try call.nearSent.filter { DatagramKind($0.span) == .rtp }.map { bytes in
      try RTPPacket(bytes.span).audioLevel(3, in: bytes.span)?.decibelsBelowOverload
    }
    // A sine of amplitude 0.1 has an RMS of -23 dB.
    #expect(levels[10..<45].allSatisfy { $0 == 23 })
    #expect(levels[60...].allSatisfy { $0 == 127 })
  }

  @Test func goodbyeIsTheLastDatagramAndIsTold() throws {
    let (near, far) = try ends()
    var one = try MediaEngine(near)
    var other = try MediaEngine(far)
    let now = MediaInstant(milliseconds: 20)
    one.capture([Float](repeating: 0.1, count: 320).span, at: now)
    for datagram in one.datagrams(at: now) { other.receive(datagram, at: now) }
    one.leave()
    one.capture([Float](repeating: 0.1, count: 3_200).span, at: now)
    let last = one.datagrams(at: now)
    let kinds = last.map { DatagramKind($0.span) }
    #expect(kinds == [.rtcp])
    let outcome = other.receive(last[0], at: now)
    #expect(outcome == .control)
    let events = other.drained(at: now).events
    #expect(events.contains(.remoteStreamEnded))
    one.capture([Float](repeating: 0.1, count: 3_200).span, at: now)
    let more = one.datagrams(at: now)
    #expect(more.isEmpty)
  }

  @Test(arguments: [CodecFormat.opus(), .pcmu])
  func pressedKeysAreToldOnceEach(format: CodecFormat) throws {
    let (near, far) = try ends(format)
    var one = try MediaEngine(near)
    var other = try MediaEngine(far)
    var random = SeededRandom(seed: 3)
    for key in "19*#" {
      let code = try #require(TelephoneEvent.code(of: key))
      let taken = one.pressKey(code, milliseconds: 100)
      #expect(taken)
    }
    var events: [MediaEvent] = []
    for tick in 0..<200 {
      let now = MediaInstant(milliseconds: Double(10 * tick))
      one.capture([Float](repeating: 0.1, count: 160).span, at: now)
      for datagram in one.datagrams(at: now) where Int.random(in: 0..<100, using: &random) < 80 {
        other.receive(datagram, at: now)
      }
      events += other.drained(at: now).events
    }
    let keys = events.filter {
      switch $0 {
      case .keyPressed, .keyReleased: true
      default: false
      }
    }
    let wanted: [MediaEvent] = [1, 9, 10, 11].flatMap { code in
      [.keyPressed(code: code), .keyReleased(code: code, milliseconds: 100)]
    }
    #expect(keys == wanted)
  }

  @Test func mutedItSendsSilenceOrNothingAsWished() throws {
    for sendsSilence in [true, false] {
      let (near, far) = try ends { $0.sendsSilenceWhenMuted = sendsSilence }
      var call = try TestCall(near: near, far: far)
      let voice = try speech("mic", at: .hz16000)
      call.run(until: 100, user: voice)
      call.near.isMuted = true
      let before = call.near.statistics.outboundRTP.packetsSent
      call.run(until: 200, user: voice)
      let sent = call.near.statistics.outboundRTP.packetsSent - before
      #expect(sendsSilence ? sent == 50 : sent <= 1)
      call.near.isMuted = false
      call.run(until: 300, user: voice)
      // Time has gone on: the far end plays what comes now, and has made nothing up for the gap.
      #expect(call.far.statistics.inboundRTP.packetsLost == 0)
      #expect(call.far.statistics.inboundRTP.packetsDiscarded == 0)
    }
  }

  @Test func hostileControlIsCountedAndLeavesTheCallAlone() throws {
    let (near, far) = try ends { $0.control?.retransmits = true }
    var call = try TestCall(near: near, far: far)
    let voice = try speech("mic", at: .hz16000)
    call.run(until: 200, user: voice, agent: voice)
    var now = call.now
    var fresh: [UInt8]?
    while fresh == nil {
      now = now.advanced(byNanoseconds: 10_000_000)
      fresh = call.near.datagrams(at: now).first { DatagramKind($0.span) == .rtcp }
    }
    let control = try #require(fresh)
    var tampered = control
    tampered[control.count - 20] ^= 1
    let given = [tampered, control, control, Array(control.prefix(9))]
    let outcomes = given.map { call.far.receive($0, at: now) }
    #expect(outcomes == [.unauthentic, .control, .duplicate, .malformed])
    var random = SeededRandom(seed: 1)
    for _ in 0..<2_000 {
      var bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if bytes.count > 1 { (bytes[0], bytes[1]) = (0x80, 200 + bytes[1] % 8) }
      let outcome = call.far.receive(bytes, at: call.now)
      #expect(outcome != .control && outcome != .accepted)
    }
    let before = call.far.statistics.inboundRTP.packetsReceived
    call.run(until: 300, user: voice, agent: voice)
    #expect(call.far.statistics.inboundRTP.packetsReceived == before + 50)
  }

  /// Without keys, whatever anybody sends is read.
  @Test func malformedControlWithoutKeysIsCounted() throws {
    let (near, _) = try ends { $0.security = nil }
    var engine = try MediaEngine(near)
    var random = SeededRandom(seed: 2)
    for _ in 0..<5_000 {
      var bytes = (0..<Int.random(in: 2..<300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      (bytes[0], bytes[1]) = (0x80 | bytes[0] & 0x3F, 200 + bytes[1] % 8)
      engine.receive(bytes, at: .zero)
      _ = engine.datagrams(at: .zero)
    }
    #expect(engine.statistics.faults.malformedControlPackets > 1_000)
  }
}

extension ControlSettings {
  /// A name and a seed; the wall clock stands at 2023-11-14 when virtual time begins.
  static func test(_ name: String, seed: UInt64) -> ControlSettings {
    ControlSettings(canonicalName: name, ntpAtZero: NTPTimestamp(secondsSince1970: 1_700_000_000), seed: seed)
  }
}
