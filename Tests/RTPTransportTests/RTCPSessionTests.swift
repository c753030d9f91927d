import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct RTCPSessionTests {
  /// One end of a call on virtual time.
  private struct End: ~Copyable {
    var session: RTCPSession
    var reception = ReceptionStatistics(clockRate: 48_000, probation: 0)
    let remote: UInt32

    init(_ ssrc: UInt32, hears remote: UInt32, unixTime: Double = 1_700_000_000, seed: UInt64 = 1) {
      session = RTCPSession(
        ssrc: ssrc, canonicalName: "name\(ssrc)", clockRate: 48_000,
        ntpAtZero: NTPTimestamp(secondsSince1970: unixTime), allowsReducedSize: true, seed: seed, at: .zero)
      self.remote = remote
    }

    mutating func report(at now: MediaInstant) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 300)
      var span = bytes.mutableSpan
      let writer = try session.writeReport(on: remote, &reception, receivedClockRate: 48_000, into: &span, at: now)
      return Array(bytes[..<writer.byteCount])
    }

    mutating func receive(_ bytes: [UInt8], at milliseconds: Double) throws {
      try session.receive(bytes.span, at: MediaInstant(milliseconds: milliseconds))
    }
  }

  @Test func roundTripLossAndJitterReachTheSender() throws {
    // Two clocks that are far apart; a way of 30 ms there and 50 ms back; every tenth packet is lost.
    var here = End(1, hears: 2)
    var there = End(2, hears: 1, unixTime: 12)
    var now = 0.0
    var reports: [(end: Int, arrival: Double, bytes: [UInt8])] = []
    var number: UInt16 = 65_000
    while now < 20_000 {
      let timestamp = RTPTimestamp(UInt32(now * 48))
      here.session.didSend(timestamp: timestamp, payloadByteCount: 100, captured: MediaInstant(milliseconds: now))
      if number % 10 != 0 {
        let header = RTPHeader(
          payloadType: 111, sequenceNumber: SequenceNumber(number), timestamp: timestamp, ssrc: 1)
        there.reception.register(header, payloadByteCount: 100, at: MediaInstant(milliseconds: now + 30))
      }
      number &+= 1
      let instant = MediaInstant(milliseconds: now)
      if instant >= here.session.nextReport { reports.append((2, now + 30, try here.report(at: instant))) }
      if instant >= there.session.nextReport { reports.append((1, now + 50, try there.report(at: instant))) }
      for report in reports where report.arrival <= now {
        if report.end == 2 {
          try there.receive(report.bytes, at: report.arrival)
        } else {
          try here.receive(report.bytes, at: report.arrival)
        }
      }
      reports.removeAll { $0.arrival <= now }
      now += 20
    }
    let inbound = here.session.remoteInbound
    #expect((14...30).contains(inbound.reportsReceived), "\(inbound.reportsReceived) reports in 20 s")
    let roundTrip = try #require(inbound.roundTripTime)
    #expect(abs(roundTrip - 0.080) < 0.000_1, "\(roundTrip) s")
    #expect(inbound.roundTripTimeMeasurements > 10)
    #expect(abs(inbound.totalRoundTripTime / Double(inbound.roundTripTimeMeasurements) - 0.080) < 0.000_1)
    #expect(abs(inbound.packetsLost - 97) <= 5 && abs(inbound.fractionLost - 0.1) < 0.03)
    #expect(inbound.jitter < 0.000_05 && inbound.extendedHighestSequenceNumber > 65_536)
    let toldThere = there.session.remoteInbound.reportsReceived
    #expect(toldThere == 0)
    let outbound = there.session.remoteOutbound
    #expect(outbound.packetsSent > 900 && outbound.bytesSent == 100 * outbound.packetsSent)
    // Both clocks of the sender's report name one moment.
    #expect(
      abs(
        Double(outbound.remoteRTPTimestamp.rawValue) / 48
          - Double(outbound.remoteTimestamp.rawValue &- NTPTimestamp(secondsSince1970: 1_700_000_000).rawValue)
          / 4_294_967.296) < 0.1)
  }

  @Test func reportsComeAtRandomTimesAroundTheInterval() throws {
    var end = End(1, hears: 2, seed: 77)
    var last = MediaInstant.zero
    var gaps: [Double] = []
    for _ in 0..<300 {
      let next = end.session.nextReport
      gaps.append(next.milliseconds(since: last))
      last = next
      _ = try end.report(at: next)
    }
    #expect(gaps[0] >= 250 && gaps[0] <= 750)
    #expect(gaps.dropFirst().allSatisfy { (500...1_500).contains($0) })
    #expect(abs(gaps.reduce(0, +) / 300 - 1_000) < 60)
  }

  @Test func aSenderReportsAsSenderForTwoMoreIntervals() throws {
    var end = End(1, hears: 2)
    let now = MediaInstant(milliseconds: 10)
    var types = [try end.report(at: now)[1]]
    end.session.didSend(timestamp: RTPTimestamp(0), payloadByteCount: 1, captured: now)
    for _ in 0..<3 { types.append(try end.report(at: now)[1]) }
    #expect(types == [201, 200, 200, 201])
  }

  @Test func requestsAreHandedOnAndBounded() throws {
    var end = End(1, hears: 2)
    var bytes = [UInt8](repeating: 0, count: 2_000)
    var span = bytes.mutableSpan
    var writer = RTCPWriter()
    try writer.addMissingPacket(SequenceNumber(65_534), of: 1, from: 2, into: &span)
    for number in [65_535, 1, 300] as [UInt16] {
      try writer.addFurtherMissingPacket(SequenceNumber(number), into: &span)
    }
    try end.receive(Array(bytes[..<writer.byteCount]), at: 1)
    var asked: [UInt16] = []
    while let number = end.session.nextRequestedPacket() { asked.append(number.rawValue) }
    #expect(asked == [65_534, 65_535, 1, 300])

    span = bytes.mutableSpan
    writer = RTCPWriter()
    try writer.addMissingPacket(SequenceNumber(0), of: 1, from: 2, into: &span)
    for number in 1..<500 as Range<UInt16> {
      try writer.addFurtherMissingPacket(SequenceNumber(number), into: &span)
    }
    try end.receive(Array(bytes[..<writer.byteCount]), at: 2)
    asked = []
    while let number = end.session.nextRequestedPacket() { asked.append(number.rawValue) }
    let (dropped, requested) = (end.session.droppedRequestCount, end.session.remoteInbound.requestedPackets)
    #expect(asked == Array(0..<256) && dropped == 244 && requested == 504)
  }

  @Test func goodbyeAndCollisionAreSeen() throws {
    var end = End(1, hears: 2)
    var other = End(2, hears: 1)
    var bytes = [UInt8](repeating: 0, count: 200)
    var span = bytes.mutableSpan
    let reason = Array("done".utf8)
    let count = try other.session.writeGoodbye(reason: reason.span, into: &span)
    try end.receive(Array(bytes[..<count]), at: 1)
    let before = (end.session.hasPeerLeft, end.session.hasCollision)
    #expect(before == (true, false))
    var twin = End(1, hears: 2)
    try end.receive(try twin.report(at: .zero), at: 2)
    let hasCollision = end.session.hasCollision
    #expect(hasCollision)
  }

  /// A report with feedback from one end to the other, under SRTCP, as the engine's thread does it.
  private struct ReportPath: ~Copyable {
    var here = End(1, hears: 2)
    var there = End(2, hears: 1)
    var feedback = TransportFeedback()
    var sender: SRTPSender
    var receiver: SRTPReceiver

    init(sender: consuming SRTPSender, receiver: consuming SRTPReceiver) {
      self.sender = sender
      self.receiver = receiver
    }

    /// Whether everything arrived as it was sent.
    mutating func send(_ number: UInt16, at now: MediaInstant, _ datagram: inout ByteBuffer) -> Bool {
      here.session.didSend(timestamp: RTPTimestamp(0), payloadByteCount: 9, captured: now)
      feedback.record(SequenceNumber(number), at: now)
      var span = datagram.mutableSpan
      guard
        var writer = try? here.session.writeReport(
          on: 2, &here.reception, receivedClockRate: 48_000, into: &span, at: now)
      else { return false }
      try? feedback.write(from: 1, about: 2, with: &writer, into: &span)
      let sealed = (try? sender.protectControl(&span, byteCount: writer.byteCount)) ?? 0
      let opened = (try? receiver.unprotectControl(&span, byteCount: sealed)) ?? 0
      try? there.session.receive(datagram.view(0..<opened), at: now)
      return opened == writer.byteCount
    }
  }

  @Test(arguments: [SRTPProfile.aes128CounterModeSHA1x80, .aes128GCM])
  func reportsSurviveSRTCPAndCauseNoHeapOperation(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var path = ReportPath(sender: try SRTPSender(key: key, ssrc: 1), receiver: try SRTPReceiver(key: key))
    var datagram = ByteBuffer(repeating: 0, count: 1_500)
    var operations = 0
    var arrived = 0
    for round in 0..<200 {
      let now = MediaInstant(milliseconds: Double(20 * round))
      let counted = heapOperations {
        onRealtimePath { if path.send(UInt16(round), at: now, &datagram) { arrived += 1 } }
      }
      if round > 2 { operations += counted ?? 0 }
    }
    let told = path.there.session.remoteOutbound.reportsSent
    #expect(operations == 0 && arrived == 200 && told == 200)
  }
}

@Suite struct RetransmissionBufferTests {
  private func repeated(_ buffer: inout RetransmissionBuffer, _ number: UInt16, roundTrip: Double, at: Double)
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: 200)
    var span = bytes.mutableSpan
    let count = buffer.repeatPacket(
      SequenceNumber(number), roundTripTime: roundTrip, at: MediaInstant(milliseconds: at), into: &span)
    return Array(bytes[..<count])
  }

  @Test func theLastPacketsAreRepeatedByteForByte() {
    var buffer = RetransmissionBuffer(packetCapacity: 8, maximumPacketSize: 100)
    for index in 0..<20 {
      let number = UInt16(truncatingIfNeeded: 65_530 + index)
      let packet = [UInt8](repeating: UInt8(index), count: 20 + index)
      buffer.store(packet.span, number: SequenceNumber(number), at: .zero)
    }
    let found = [65_530, 13, 6, 5, 14].map { repeated(&buffer, $0, roundTrip: 0, at: 1) }
    #expect(found == [[], [UInt8](repeating: 19, count: 39), [UInt8](repeating: 12, count: 32), [], []])
    let counts = (buffer.retransmittedPacketsSent, buffer.retransmittedBytesSent)
    #expect(counts == (2, 71))
    let long = [UInt8](repeating: 0, count: 101)
    buffer.store(long.span, number: SequenceNumber(13), at: .zero)
    let tooLong = repeated(&buffer, 13, roundTrip: 0, at: 9)
    #expect(tooLong == [])
  }

  @Test func aPacketIsRepeatedOnceInARoundTrip() {
    var buffer = RetransmissionBuffer(packetCapacity: 8, maximumPacketSize: 100)
    let packet: [UInt8] = [1, 2, 3]
    buffer.store(packet.span, number: SequenceNumber(1), at: .zero)
    let found = [99, 100, 150, 200].map { repeated(&buffer, 1, roundTrip: 0.1, at: $0) }
    #expect(found == [[], packet, [], packet])
  }
}
