import AudioCodecs
import Foundation
import MediaEngine
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// Whatever lies on the wire is told apart, counted by cause, and hurts nothing.
@Suite struct ReceiveTests {
  @Test func wrongShapesOfRTPAreMalformed() throws {
    let good = try packets(count: 1)[0]
    var shapes: [(String, [UInt8])] = (0..<12).map { ("only \($0) bytes", Array(good[..<$0])) }
    shapes.append(("version 1", changed(good) { $0[0] = 0x40 | $0[0] & 0x3F }))  // TURN by RFC 7983: not media
    shapes.append(("version 3", changed(good) { $0[0] = 0xC0 | $0[0] & 0x3F }))
    shapes.append(("sources beyond the end", changed(Array(good[..<40])) { $0[0] |= 0x0F }))
    shapes.append(("extension beyond the end", changed(Array(good[..<13])) { $0[0] |= 0x10 }))
    shapes.append(
      (
        "extension longer than the packet",
        changed(good) {
          $0[0] |= 0x10
          $0[14] = 0xFF
        }
      ))
    shapes.append(
      (
        "no padding where it is announced",
        changed(good) {
          $0[0] |= 0x20
          $0[$0.count - 1] = 0
        }
      ))
    shapes.append(
      (
        "padding longer than the packet",
        changed(good) {
          $0[0] |= 0x20
          $0[$0.count - 1] = 255
        }
      ))
    var engine = try MediaEngine(.plain(.pcmu))
    for (name, bytes) in shapes {
      let outcome = engine.receive(bytes, at: .zero)
      #expect(outcome == (name == "version 1" ? .notMedia : .malformed), "\(name): \(outcome)")
    }
    #expect(engine.statistics.inboundRTP.packetsReceived == 0)
    #expect(engine.statistics.faults.malformedPackets == shapes.count - 1)
    #expect(engine.rendered(count: 480, at: .zero).allSatisfy { $0 == 0 })
    #expect(engine.receive(good, at: .zero) == .accepted)
  }

  /// No packet of a negotiated format is too long: neither for the buffers, nor to be sent again.
  @Test(arguments: [
    CodecFormat.l16(.hz48000), .l16(.hz24000, packetDuration: 40_000), .l16(.hz48000, packetDuration: 60_000),
    .l24(.hz48000), .l24(.hz48000, packetDuration: 60_000),
  ])
  func longPacketsAreHeard(_ format: CodecFormat) throws {
    var call = try TestCall(near: .plain(format), far: .plain(format))
    call.run(until: 100, agent: sine(500, sampleRate: call.far.settings.captureRate, count: 48_000))
    #expect(powerDecibels(Array(call.nearHeard.suffix(20_000))) > -20)
    let seen = call.near.statistics
    #expect(seen.faults.malformedPackets == 0 && seen.inboundRTP.totalSamplesReceived > 0)
    #expect(call.far.statistics.faults.unsentPackets == 0)
    #expect(call.far.maximumDatagramByteCount >= format.longestPayloadByteCount * format.packetDuration / 60_000)
  }

  /// What the jitter buffer refuses is counted as `receive` tells it.
  @Test func refusedPayloadsAreCounted() throws {
    var engine = try MediaEngine(.plain(.l16(.hz16000)))
    let good = try packets(count: 3, format: .l16(.hz16000))
    for packet in good.prefix(2) { #expect(engine.receive(packet, at: .zero) == .accepted) }
    #expect(engine.receive(Array(good[2].dropLast()), at: .zero) == .malformed)  // half a sample
    #expect(engine.statistics.faults.malformedPackets == 1)
    let astray = changed(good[2]) { $0[4] ^= 0x40 }
    #expect(engine.receive(astray, at: .zero) == .malformed)
    #expect(engine.statistics.faults.implausiblePackets == 1)
    #expect(engine.statistics.faults.malformedPackets == 1)
  }

  /// Sources, extension and padding of a right packet change nothing in its sound.
  @Test func optionalPartsOfAPacketArePassedOver() throws {
    let plain = try packets(count: 20, frequency: 500)
    let dressed = plain.map { packet -> [UInt8] in
      let sources: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2]
      let extensions: [UInt8] = [0xBE, 0xDE, 0, 1, 0x10, 0x7F, 0, 0]
      let padding: [UInt8] = [0, 0, 0, 4]
      return [packet[0] | 0x20 | 0x10 | 2] + packet[1..<12] + sources + extensions + packet[12...] + padding
    }
    #expect(try heard(plain) == heard(dressed))
    #expect(powerDecibels(try heard(dressed)[3_200...]) > -20)
  }

  @Test func otherProtocolsAreNotMedia() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    let stun: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
    let dtls: [UInt8] = [22, 254, 253] + [UInt8](repeating: 0, count: 20)
    let turn: [UInt8] = [0x40, 0, 0, 4, 1, 2, 3, 4]
    let report: [UInt8] = [0x80, 200] + [UInt8](repeating: 0, count: 26)
    for bytes in [stun, dtls, turn, report] { #expect(engine.receive(bytes, at: .zero) == .notMedia) }
    #expect(engine.statistics.faults.ignoredControlPackets == 1)
    #expect(engine.statistics.faults.malformedPackets == 0)
  }

  /// Random bytes of every length, in random mixtures with a call's packets: nothing traps, nothing hangs.
  @Test(arguments: allFormats)
  func garbageIsSurvived(_ format: CodecFormat) throws {
    var call = try TestCall(near: .plain(format), far: .plain(format))
    let agent = try speech("agent", at: .hz16000)
    var random = SeededRandom(seed: 99)
    for _ in 0..<200 {
      call.tick(user: [], agent: agent)
      guard call.tickCount > 10 else { continue }  // who is heard first is followed
      for _ in 0..<10 {
        var bytes = (0..<Int.random(in: 0...2_000, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next())
        }
        if bytes.count > 12 && Bool.random(using: &random) {  // a plausible stream of another sender
          bytes[0] = 0x80
          bytes[1] = format.payloadType
        }
        call.near.receive(bytes, at: call.now)
      }
    }
    #expect(call.nearHeard.allSatisfy { $0.isFinite })
    #expect(powerDecibels(call.nearHeard[16_000...]) > -40, "the call goes on")
  }

  @Test(arguments: SRTPProfile.allCases)
  func onlyAuthenticPacketsAreHeard(_ profile: SRTPProfile) throws {
    let (near, far) = try MediaEngineSettings.secured(.plain(.opus()), .plain(.opus()), profile: profile)
    var sender = try MediaEngine(far)
    var receiver = try MediaEngine(near)
    let sent = try packets(of: &sender, count: 20)
    for (index, packet) in sent.enumerated() {
      var tampered = packet
      tampered[14 + index % (packet.count - 14)] ^= UInt8(1 << (index % 8))
      #expect(receiver.receive(tampered, at: .zero) == .unauthentic)
      #expect(receiver.receive(packet.dropLast(), at: .zero) == .unauthentic, "cut short")
      #expect(receiver.receive(packet, at: .zero) == .accepted)
      #expect(receiver.receive(packet, at: .zero) == .duplicate, "replayed")
    }
    #expect(receiver.statistics.inboundRTP.packetsReceived == 20)
    #expect(receiver.statistics.faults.unauthenticPackets == 40)
    #expect(receiver.statistics.faults.replayedPackets == 20)

    // The right shape, the announced SSRC, but plain or under another key.
    var plain = far
    plain.security = nil
    var plainSender = try MediaEngine(plain)
    plain.security = .init(
      send: try SRTPKey.numbered(profile, from: 3), receive: try SRTPKey.numbered(profile, from: 4))
    var stranger = try MediaEngine(plain)
    for packet in try packets(of: &plainSender, count: 5) + packets(of: &stranger, count: 5) {
      let outcome = receiver.receive(packet, at: .zero)
      #expect(outcome == .unauthentic || outcome == .malformed || outcome == .duplicate, "\(outcome)")
    }
    #expect(receiver.statistics.inboundRTP.packetsReceived == 20)
  }

  @Test func otherStreamsThanTheAnnouncedAreRefused() throws {
    var near = MediaEngineSettings.plain(.pcmu)
    near.remoteSSRC = 7
    var engine = try MediaEngine(near)
    for packet in try packets(count: 10, ssrc: 8) {
      #expect(engine.receive(packet, at: .zero) == .unexpectedStream)
    }
    for packet in try packets(count: 10, ssrc: 7) { #expect(engine.receive(packet, at: .zero) == .accepted) }
    #expect(engine.statistics.faults.unexpectedStreams == 10)
    #expect(engine.drained(at: .zero).events == [.remoteStreamChanged(ssrc: 7)])

    let (secureNear, secureFar) = try MediaEngineSettings.secured(.plain(.pcmu), .plain(.pcmu))
    var receiver = try MediaEngine(secureNear)
    var other = secureFar
    other.stream.ssrc = 99
    var sender = try MediaEngine(other)
    for packet in try packets(of: &sender, count: 10) {
      #expect(receiver.receive(packet, at: .zero) == .unexpectedStream)
    }
  }

  /// A sender that starts anew in mid-call is followed after one packet, and its sound is heard.
  @Test(arguments: [false, true])
  func aNewStreamIsFollowedAfterOnePacket(isSecured: Bool) throws {
    var (near, far) = (MediaEngineSettings.plain(.pcmu), MediaEngineSettings.plain(.pcmu))
    if isSecured {
      (near, far) = try MediaEngineSettings.secured(near, far)
      near.remoteSSRC = nil
    }
    var second = far
    second.stream = .init(ssrc: 0xCC, firstSequenceNumber: 9_000, firstTimestamp: 77)
    var engine = try MediaEngine(near)
    var tick = 0
    var heard: [Float] = []
    func play(_ packets: [[UInt8]], _ first: ReceiveOutcome) {
      for (index, packet) in packets.enumerated() {
        let now = MediaInstant(milliseconds: Double(10 * tick))
        #expect(engine.receive(packet, at: now) == (index == 0 ? first : .accepted))
        for _ in 0..<2 {
          heard += engine.rendered(tick: tick)
          tick += 1
        }
      }
    }
    var firstSender = try MediaEngine(far)
    var secondSender = try MediaEngine(second)
    play(try packets(of: &firstSender, count: 50, frequency: 500), .accepted)
    play(try packets(of: &secondSender, count: 50, frequency: 2_000), .unexpectedStream)
    #expect(ToneMeasure(heard[8_000..<16_000], frequency: 500, sampleRate: .hz16000).share > 0.98)
    #expect(ToneMeasure(heard[24_000..<31_000], frequency: 2_000, sampleRate: .hz16000).share > 0.98)
    #expect(
      engine.drained(at: .zero).events == [
        .remoteStreamChanged(ssrc: far.stream.ssrc), .remoteStreamChanged(ssrc: 0xCC),
      ])
    let statistics = engine.statistics
    #expect(statistics.inboundRTP.packetsReceived == 99)
    #expect(statistics.inboundRTP.packetsLost == 0)
    #expect(statistics.faults.unexpectedStreams == 1)
  }

  /// One sender that goes from µ-law to Opus and back, as negotiated: heard without a hole, in one run of numbers.
  @Test func anotherNegotiatedCodecIsFollowedInMidCall() throws {
    var settings = MediaEngineSettings.plain(.pcmu)
    settings.otherReceiveFormats = [.opus()]
    var engine = try MediaEngine(settings)
    var tick = 0
    var heard: [Float] = []
    for (part, format) in [CodecFormat.pcmu, .opus(), .pcmu].enumerated() {
      var sender = MediaEngineSettings.plain(format)
      sender.stream = .init(
        ssrc: 9, firstSequenceNumber: UInt16(truncatingIfNeeded: 65_500 + 50 * part),
        firstTimestamp: format == .pcmu ? UInt32(part) * 8_000 : 7_777_777)
      var far = try MediaEngine(sender)
      for packet in try packets(of: &far, count: 50, frequency: 500) {
        let outcome = engine.receive(packet, at: MediaInstant(milliseconds: Double(10 * tick)))
        #expect(outcome == .accepted)
        for _ in 0..<2 {
          heard += engine.rendered(tick: tick)
          tick += 1
        }
      }
    }
    for start in [4_000, 20_000, 36_000] {
      #expect(ToneMeasure(heard[start..<start + 8_000], frequency: 500, sampleRate: .hz16000).share > 0.98)
    }
    let inbound = engine.statistics.inboundRTP
    #expect(inbound.packetsReceived == 150 && inbound.packetsLost == 0 && inbound.packetsDiscarded == 0)
    #expect(inbound.concealedSamples == 0 && inbound.jitter < 0.001)
    #expect(engine.statistics.faults.unknownPayloadTypes == 0)
  }

  /// Two senders at once, however their packets mix: the engine changes at most once.
  @Test(arguments: [1, 2, 3, 5])
  func twoSendersNeverTakeTurns(burst: Int) throws {
    let first = try packets(count: 60, ssrc: 1)
    let second = try packets(count: 60, ssrc: 2)
    var engine = try MediaEngine(.plain(.pcmu))
    for start in stride(from: 0, to: 60, by: burst) {
      let now = MediaInstant(milliseconds: Double(20 * start))
      for packet in first[start..<start + burst] { engine.receive(packet, at: now) }
      for packet in second[start..<start + burst] { engine.receive(packet, at: now) }
    }
    let changes = engine.drained(at: .zero).events.filter {
      if case .remoteStreamChanged = $0 { true } else { false }
    }
    #expect(changes.count <= 2, "\(changes)")
  }

  /// A sender may come back to the stream that it left, once the other has fallen silent.
  @Test func aSenderMayReturnToItsFirstStream() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    let first = try packets(count: 20, ssrc: 1)
    let second = try packets(count: 20, ssrc: 2)
    var milliseconds = 0.0
    for stretch in [first[..<10], second[...], first[10...]] {
      for packet in stretch {
        milliseconds += 20
        engine.receive(packet, at: MediaInstant(milliseconds: milliseconds))
      }
      milliseconds += 2_000
    }
    let changes = engine.drained(at: .zero).events
    #expect(changes == [1, 2, 1].map { .remoteStreamChanged(ssrc: $0) })
  }

  @Test func payloadTypesThatWereNotNegotiatedAreCounted() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    for packet in try packets(count: 10) {
      #expect(engine.receive(changed(packet) { $0[1] = 97 }, at: .zero) == .unknownPayloadType)
      #expect(engine.receive(changed(packet) { $0[1] = 0x80 | 8 }, at: .zero) == .unknownPayloadType)
    }
    #expect(engine.statistics.faults.unknownPayloadTypes == 20)
    #expect(engine.statistics.inboundRTP.packetsReceived == 0)
  }

  /// Pressed keys take the place of audio packets: they are no losses, neither in the counts nor in the sound.
  @Test func telephoneEventsAreNoLosses() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    for (index, packet) in try packets(count: 100, frequency: 500).enumerated() {
      let isKey = (40..<48).contains(index)
      let bytes = isKey ? changed(Array(packet[..<16])) { $0[1] = 101 } : packet
      #expect(engine.receive(bytes, at: MediaInstant(milliseconds: Double(20 * index))) == .accepted)
      for part in 0..<2 { _ = engine.rendered(tick: 2 * index + part) }
    }
    let inbound = engine.statistics.inboundRTP
    #expect(inbound.packetsReceived == 100)
    #expect(inbound.packetsLost == 0)
    #expect(inbound.packetsDiscarded == 0)
  }

  @Test func anOversizedDatagramIsMalformed() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    let good = try packets(count: 1)[0]
    for size in [2_701, 4_000, 65_507, 100_000] {
      let bytes = good + [UInt8](repeating: 0, count: size - good.count)
      #expect(engine.receive(bytes, at: .zero) == .malformed, "\(size)")
    }
    #expect(engine.statistics.faults.malformedPackets == 4)
    #expect(engine.receive(good, at: .zero) == .accepted)
  }

  /// A payload of nothing keeps a path open (RFC 6263 §4.1).
  @Test func anEmptyPayloadIsAccepted() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    let good = try packets(count: 1)[0]
    #expect(engine.receive(Array(good[..<12]), at: .zero) == .accepted)
    #expect(engine.rendered(count: 160, at: .zero).allSatisfy { $0 == 0 })
  }

  // MARK: - Packets

  private func packets(
    count: Int, ssrc: UInt32 = 5, frequency: Double = 440, format: CodecFormat = .pcmu
  ) throws -> [[UInt8]] {
    var settings = MediaEngineSettings.plain(format)
    settings.stream = .init(ssrc: ssrc, firstSequenceNumber: 65_530, firstTimestamp: 4_294_967_000)
    var engine = try MediaEngine(settings)
    return try packets(of: &engine, count: count, frequency: frequency)
  }

  /// The engine's first packets, of a tone.
  private func packets(of engine: inout MediaEngine, count: Int, frequency: Double = 440) throws -> [[UInt8]] {
    let tone = sine(frequency, sampleRate: .hz16000, count: 320 * (count + 2))
    var all: [[UInt8]] = []
    for tick in 0..<2 * (count + 2) {
      engine.capture(tone.block(tick: tick, rate: .hz16000).span, at: .zero)
      all += engine.datagrams(at: .zero)
    }
    try #require(all.count >= count)
    return Array(all[..<count])
  }

  private func changed(_ packet: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var packet = packet
    change(&packet)
    return packet
  }

  /// What is heard of packets that come one each 20 ms.
  private func heard(_ packets: [[UInt8]]) throws -> [Float] {
    var engine = try MediaEngine(.plain(.pcmu))
    var heard: [Float] = []
    for (index, packet) in packets.enumerated() {
      engine.receive(packet, at: MediaInstant(milliseconds: Double(20 * index)))
      for part in 0..<2 { heard += engine.rendered(tick: 2 * index + part) }
    }
    return heard
  }
}
