import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct RTPPacketizerTests {
  private func packetizer() -> RTPPacketizer {
    RTPPacketizer(
      ssrc: 0xABCD, payloadType: 111, ticksPerFrame: 960, firstSequenceNumber: SequenceNumber(65_534),
      firstTimestamp: RTPTimestamp(.max - 959))
  }

  @Test func numbersAndTimestampsWrapAndSilenceKeepsTimeGoing() throws {
    var packetizer = packetizer()
    let payload: [UInt8] = [1, 2, 3]
    let silence: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 100)
    var seen: [RTPHeader] = []
    for frame in [payload, payload, silence, silence, payload, payload] {
      var span = bytes.mutableSpan
      let count = try packetizer.write(frame.span, into: &span)
      #expect(count == (frame.isEmpty ? 0 : 15))
      guard count > 0 else { continue }
      let packet = try RTPPacket(bytes.span.extracting(first: count))
      #expect(Array(bytes[packet.payloadRange]) == payload)
      seen.append(packet.header)
    }
    #expect(seen.map(\.sequenceNumber.rawValue) == [65_534, 65_535, 0, 1])
    #expect(seen.map(\.timestamp.rawValue) == [.max - 959, 0, 2_880, 3_840])
    #expect(seen.map(\.marker) == [true, false, true, false])
    #expect(packetizer.packetsSent == 4 && packetizer.bytesSent == 12)
  }

  @Test func aSkippedStretchStartsATalkspurt() throws {
    var packetizer = packetizer()
    var bytes = [UInt8](repeating: 0, count: 100)
    var span = bytes.mutableSpan
    _ = try packetizer.finish(payloadByteCount: 5, in: &span)
    packetizer.skip(ticks: 4_800)
    _ = try packetizer.finish(payloadByteCount: 5, in: &span)
    let header = try RTPPacket(bytes.span).header
    #expect(header.marker && header.timestamp == RTPTimestamp(4_800) && header.sequenceNumber.rawValue == 65_535)
  }

  @Test func tooLittleRoomLosesTheFrameOnly() throws {
    var packetizer = packetizer()
    var small = [UInt8](repeating: 0, count: 16)
    #expect(throws: RTPError.noRoom(needed: 17, available: 16)) {
      var span = small.mutableSpan
      _ = try packetizer.finish(payloadByteCount: 5, in: &span)
    }
    #expect(packetizer.packetsSent == 0 && packetizer.nextSequenceNumber.rawValue == 65_534)
    #expect(packetizer.nextTimestamp == RTPTimestamp(0))
  }

  @Test func parsingAndPacketizingCauseNoHeapOperation() throws {
    var packetizer = packetizer()
    var statistics = ReceptionStatistics(clockRate: 48_000)
    var packet = ByteBuffer(repeating: 0, count: 200)
    var payloadBytes = 0
    func run(_ rounds: Int) throws {
      for round in 0..<rounds {
        var bytes = packet.mutableSpan
        let count = try packetizer.finish(payloadByteCount: 100, in: &bytes)
        let parsed = try RTPPacket(packet.view(0..<count))
        payloadBytes += parsed.payloadEnd - parsed.payloadStart
        statistics.register(
          parsed.header, payloadByteCount: 100, at: MediaInstant(nanoseconds: Int64(round) * 20_000_000))
      }
    }
    try run(10)
    let operations = try heapOperations { try onRealtimePath { try run(1_000) } }
    #expect(payloadBytes == 101_000)
    if let operations { #expect(operations == 0) }
  }
}
