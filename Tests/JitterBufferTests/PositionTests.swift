import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

@Suite struct PositionTests {
  /// Each sample tells its own number; stretch, loss and a flush come between.
  @Test func everyOutputSampleTellsItsTimestamp() throws {
    let ramp = (0..<480_000).map { Float($0 % 30_000 + 1) / 32_768 }
    var stream = try packets(ramp, format: exactFormat, sampleRate: .hz16000, firstTimestamp: 0)
    for index in 300..<700 { stream[index].arrival! += 60 }
    for index in [100, 101, 800] { stream[index].arrival = nil }
    let call = try Call()
    call.play(stream[..<1_000])
    call.buffer.flush(upTo: RTPTimestamp(1_050 * 320))
    call.play(stream[1_000..<1_400])
    #expect(call.statistics.insertedSamplesForDeceleration + call.statistics.removedSamplesForAcceleration > 0)
    #expect(call.statistics.concealedSamples > 0)
    var (exact, seen) = (0, 0)
    for index in stride(from: 0, to: call.samples.count, by: 53) {
      guard let place = call.buffer.timestamp(ofOutputSample: Int64(index)) else { continue }
      seen += 1
      let sent = ramp[Int(place.rawValue)].number
      if abs(call.samples[index].number - sent) <= 160 { exact += 1 }  // 10 ms
    }
    // A concealed sample has a time but no number of its own.
    #expect(seen > 8_000 && Double(exact) > 0.97 * Double(seen), "\(exact) of \(seen)")
  }

  @Test func itemsAreBoundedByTimestamps() throws {
    let stream = try packets(
      voice(seconds: 6, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000, firstTimestamp: .max - 31_999)
    let call = try Call()
    call.play(stream[..<10])
    call.buffer.beginItem(5, at: RTPTimestamp(.max - 31_999 + 16_000))
    call.buffer.beginItem(6, at: RTPTimestamp(16_000))  // behind the wrap
    call.play(stream[10...])
    var items: [Int: (first: Double, last: Double)] = [:]
    for index in call.samples.indices {
      guard let place = call.buffer.position(ofOutputSample: Int64(index)) else { continue }
      items[place.item] = (items[place.item]?.first ?? place.milliseconds, place.milliseconds)
    }
    let first = try #require(items[5])
    let second = try #require(items[6])
    #expect(items.count == 2 && first.first < 1 && abs(first.last - 2_000) < 1 && second.first < 1)
  }

  @Test func marksFireWhereTheirTimestampIsHeardAlsoWhenItIsLost() throws {
    let ramp = (0..<48_000).map { Float($0 % 30_000 + 1) / 32_768 }
    var stream = try packets(ramp, format: exactFormat, sampleRate: .hz16000, firstTimestamp: 0)
    stream[30].arrival = nil
    let call = try Call()
    call.play(stream[..<5])
    for (id, timestamp) in [(1, 4_800), (2, 9_700), (3, 12_345), (4, 40_000)] {
      let isTaken = call.buffer.addMark(id, at: RTPTimestamp(UInt32(timestamp)))
      #expect(isTaken)
    }
    call.play(stream[5..<60])
    var heard: [PlayoutMark] = []
    while let mark = call.buffer.nextMark() { heard.append(mark) }
    #expect(heard.map(\.id) == [1, 2, 3])
    for (mark, timestamp) in zip(heard, [4_800, 9_700, 12_345]) where mark.id != 2 {
      #expect(abs(call.samples[Int(mark.outputSample)].number - timestamp - 1) <= 1)
    }
    call.buffer.flush()
    let lost = call.buffer.nextMark()
    #expect(lost?.id == 4 && lost?.wasHeard == false)
    var taken = 0
    for id in 0..<100 where call.buffer.addMark(id, at: RTPTimestamp(100_000)) { taken += 1 }
    #expect(taken == 64)
  }
}
