import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct RedundancyTests {
  @Test func aPayloadOfTheRFCsFormIsRead() throws {
    // Two earlier blocks of 2 and 1 bytes, 320 and 160 ticks older, before a primary of 3 bytes.
    let payload: [UInt8] = [0x85, 0x05, 0x00, 0x02, 0x85, 0x02, 0x80, 0x01, 0x00, 1, 2, 3, 4, 5, 6]
    let red = try #require(parsed(payload))
    #expect(red.redundantCount == 2)
    #expect(red.primary.payloadType == 0 && Array(payload[red.primary.range]) == [4, 5, 6])
    let oldest = try #require(block(0, of: red, in: payload))
    #expect(oldest.payloadType == 5 && oldest.timestampOffset == 320 && Array(payload[oldest.range]) == [1, 2])
    let newer = try #require(block(1, of: red, in: payload))
    #expect(newer.timestampOffset == 160 && Array(payload[newer.range]) == [3])
    #expect(block(2, of: red, in: payload) == nil && block(-1, of: red, in: payload) == nil)
  }

  @Test func brokenHeadersAreRefused() {
    let broken: [[UInt8]] = [
      [], [0x85], [0x85, 0, 0], [0x85, 0, 0, 1], [0x85, 0, 0, 2, 0, 9], [0x80, 0x00, 0x03, 0xFF, 0, 1, 2],
      [UInt8](repeating: 0x80, count: 400),
    ]
    for bytes in broken { #expect(parsed(bytes) == nil, "\(bytes)") }
    #expect(parsed([0x6F])?.primary.range == 1..<1)
  }

  @Test(arguments: 1...8)
  func whatIsWrittenIsRead(levels: Int) throws {
    var random = SeededRandom(seed: UInt64(levels))
    var writer = RedundancyWriter(levels: levels, payloadType: 111, maximumPayloadByteCount: 300)
    var sent: [(payload: [UInt8], timestamp: UInt32)] = []
    var timestamp = UInt32.max - 2_000
    var packet = [UInt8](repeating: 0, count: writer.maximumByteCount)
    for _ in 0..<50 {
      let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var span = packet.mutableSpan
      let count = try writer.write(payload.span, timestamp: RTPTimestamp(timestamp), into: &span)
      let bytes = Array(packet[..<count])
      let red = try #require(parsed(bytes))
      #expect(Array(bytes[red.primary.range]) == payload && red.primary.payloadType == 111)
      #expect(red.redundantCount == min(levels, sent.count))
      for index in 0..<red.redundantCount {
        let found = try #require(block(index, of: red, in: bytes))
        let original = sent[sent.count - red.redundantCount + index]
        #expect(Array(bytes[found.range]) == original.payload)
        #expect(timestamp &- UInt32(found.timestampOffset) == original.timestamp)
      }
      sent.append((payload, timestamp))
      timestamp &+= UInt32(Int.random(in: 1...2_000, using: &random))
    }
  }

  @Test func whatIsTooOldOrDoesNotFitIsLeftOut() throws {
    var writer = RedundancyWriter(levels: 2, payloadType: 0, maximumPayloadByteCount: 160)
    let payload = [UInt8](repeating: 7, count: 160)
    var packet = [UInt8](repeating: 0, count: 500)
    func redundantCount(at timestamp: UInt32, room: Int = 500) throws -> Int {
      var span = packet.mutableSpan
      var part = span.part(0..<room)
      let count = try writer.write(payload.span, timestamp: RTPTimestamp(timestamp), into: &part)
      #expect(count <= room)
      return parsed(Array(packet[..<count]))?.redundantCount ?? -1
    }
    #expect(try redundantCount(at: 0) == 0)
    #expect(try redundantCount(at: 160) == 1)
    #expect(try redundantCount(at: 16_544) == 0)  // 16,384 ticks: one more than the field holds
    #expect(try redundantCount(at: 16_704) == 1)
    #expect(try redundantCount(at: 16_864, room: 400) == 1)
    #expect(throws: RTPError.noRoom(needed: 161, available: 160)) { try redundantCount(at: 17_024, room: 160) }
  }

  @Test func readingAndWritingCauseNoHeapOperation() throws {
    var writer = RedundancyWriter(levels: 2, payloadType: 0, maximumPayloadByteCount: 160)
    let payload = ByteBuffer(repeating: 3, count: 160)
    var packet = ByteBuffer(repeating: 0, count: 500)
    var sum = 0
    var operations = 0
    for frame in 0..<100 {
      let counted = heapOperations {
        onRealtimePath {
          var span = packet.mutableSpan
          let count = (try? writer.write(payload.view, timestamp: RTPTimestamp(UInt32(frame * 160)), into: &span)) ?? 0
          guard let red = RedundantPayload(packet.view(0..<count)) else { return }
          for index in 0..<red.redundantCount {
            sum += red.block(index, in: packet.view(0..<count))?.timestampOffset ?? 0
          }
        }
      }
      if frame > 2 { operations += counted ?? 0 }
    }
    #expect(operations == 0)
    #expect(sum == 160 * 99 + 320 * 98)
  }

  // As the readers of spans, which `#expect` cannot take apart.
  private func parsed(_ payload: [UInt8]) -> RedundantPayload? { RedundantPayload(payload.span) }
  private func block(_ index: Int, of red: RedundantPayload, in payload: [UInt8]) -> RedundantPayload.Block? {
    red.block(index, in: payload.span)
  }
}
