import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// Interruptions of an agent that sends by RTP.
@Suite struct InterruptionTests {
  @Test func flushTellsWhatWasHeardAndKeepsWhatComesAfter() throws {
    let signal = numbered(0..<29_440).map { Float($0) / 32_768 }
    let stream = try packets(signal, format: exactFormat, sampleRate: .hz16000, firstTimestamp: 0)
    let call = try Call()
    call.play(stream[..<40])
    // The answer ends with packet 60, the next one begins with 61.
    let heard = try #require(call.flush(upTo: RTPTimestamp(61 * 320)))
    let last = call.samples.last!.number - 1
    #expect((0...160).contains(Int(heard.rawValue) - last))
    let silence = call.samples.count
    call.play(stream[40..<61])
    #expect(call.samples[(silence + 81)...].allSatisfy { $0 == 0 })
    #expect(call.statistics.flushedPackets >= 20)
    call.play(stream[61..<70])
    #expect(call.samples.last!.number > 61 * 320)
    #expect(call.statistics.concealedSamples == 0)
    // Once playout is beyond it, a flush of the old answer does nothing.
    #expect(call.flush(upTo: RTPTimestamp(61 * 320)) == nil)
    call.play(stream[70..<80])
    #expect(call.samples.last!.number > 70 * 320)
  }

  @Test func aFalseAlarmGoesOnWhereItWasHeldAndTheDelayIsTakenAway() throws {
    let signal = voice(seconds: 30, sampleRate: .hz16000)
    let stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    let call = try Call()
    call.play(stream[..<200])
    let before = call.delay
    call.buffer.hold()
    let held = call.samples.count
    call.play(stream[200..<260])
    #expect(call.samples[(held + 161)...].allSatisfy { $0 == 0 })
    call.buffer.resume()
    call.play(stream[260..<280])
    #expect(abs(call.delay - before - 1_200) < 25)
    call.play(stream[280..<1_400])
    let statistics = call.statistics
    #expect(statistics.concealedSamples == 0 && statistics.packetsDiscarded == 0)
    #expect(call.delay < before + 60, "\(call.delay) after \(before) ms")
    #expect(largestStep(call.samples) < 1.2 * largestStep(signal))
  }

  @Test func duckingTurnsDownAndUpWithoutAStep() throws {
    let tone = sine(300, sampleRate: .hz16000, count: 64_000)
    let stream = try packets(tone, format: exactFormat, sampleRate: .hz16000)
    let call = try Call()
    call.play(stream[..<50])
    call.buffer.duck()
    call.play(stream[50..<100])
    #expect(abs(powerDecibels(call.samples.suffix(8_000)) - powerDecibels(tone) + 18) < 0.5)
    call.buffer.resume()
    call.play(stream[100..<150])
    #expect(abs(powerDecibels(call.samples.suffix(8_000)) - powerDecibels(tone)) < 0.1)
    #expect(largestStep(Array(call.samples[1_600...])) < 1.1 * largestStep(tone))
  }

  @Test func aHoldBecomesAFlushAfterTwoSeconds() throws {
    let stream = try packets(voice(seconds: 10, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    let call = try Call()
    call.play(stream[..<50])
    call.buffer.hold()
    call.play(stream[50..<170])
    #expect(call.statistics.flushedPackets > 90)
    call.play(stream[170..<200])
    #expect(powerDecibels(call.samples.suffix(3_200)) > -40)
  }
}

/// A buffer of `exactFormat` that gets each packet at its time and plays on in steps of 10 ms.
final class Call {
  var buffer: JitterBuffer
  private(set) var samples: [Float] = []
  private(set) var milliseconds = 0

  init(_ settings: JitterBufferSettings = JitterBufferSettings()) throws { buffer = try exactBuffer(settings) }

  var statistics: JitterBufferStatistics { buffer.statistics }
  var delay: Double { Double(buffer.playoutDelay) * 1e-6 }

  // As the buffer's own, which `#expect` cannot take apart.

  func timestamp(of sample: Int) -> RTPTimestamp? { buffer.timestamp(ofOutputSample: Int64(sample)) }
  func flush(upTo end: RTPTimestamp? = nil) -> RTPTimestamp? { buffer.flush(upTo: end) }

  /// Plays until the last of `stream` has come.
  func play(_ stream: ArraySlice<TestPacket>, by insert: (inout JitterBuffer, TestPacket) -> Void = Call.insert) {
    var frame = [Float](repeating: .nan, count: 160)
    var next = stream.startIndex
    while next < stream.endIndex {
      while next < stream.endIndex && stream[next].arrival ?? 0 <= Double(milliseconds) {
        if stream[next].arrival != nil { insert(&buffer, stream[next]) }
        next += 1
      }
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: Double(milliseconds)))
      samples += frame
      milliseconds += 10
    }
  }

  static func insert(_ buffer: inout JitterBuffer, _ packet: TestPacket) {
    _ = buffer.insert(
      packet.payload.span, payloadType: packet.payloadType, sequenceNumber: SequenceNumber(packet.sequence),
      timestamp: RTPTimestamp(packet.timestamp), at: MediaInstant(milliseconds: packet.arrival!))
  }
}
