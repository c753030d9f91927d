import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// 16-bit samples, least significant byte first.
func bytes(_ samples: some Sequence<Int16>) -> [UInt8] {
  samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
}

/// A producer of answers and the playout that it feeds, on virtual time.
final class StreamUnderTest {
  var playout: StreamPlayout
  private(set) var samples: [Float] = []
  private(set) var milliseconds = 0
  private let frameCount: Int

  init(
    _ format: StreamFormat = .pcm16(.hz24000), settings: StreamPlayoutSettings = StreamPlayoutSettings()
  ) throws {
    let playout = try StreamPlayout(format, settings: settings)
    frameCount = playout.sampleRate.hertz / 100
    self.playout = playout
  }

  var now: MediaInstant { MediaInstant(milliseconds: Double(milliseconds)) }

  @discardableResult
  func append(_ bytes: [UInt8], to item: Int = 1) -> StreamAppendOutcome {
    playout.append(bytes.span, to: item, at: now)
  }

  // As the playout's own, which `#expect` cannot take apart.

  var statistics: StreamPlayoutStatistics { playout.statistics }
  var stock: Int { playout.stock }
  func flush(upTo item: Int? = nil) -> MediaPosition? { playout.flush(upTo: item) }
  func nextMark() -> PlayoutMark? { playout.nextMark() }
  func addMark(_ id: Int, item: Int, milliseconds: Int) -> Bool {
    playout.addMark(id, at: MediaPosition(item: item, nanoseconds: Int64(milliseconds) * 1_000_000))
  }
  func place(_ sample: Int) -> MediaPosition? { playout.position(ofOutputSample: Int64(sample)) }

  /// Plays 10 ms at a time.
  func play(milliseconds count: Int) {
    var frame = [Float](repeating: .nan, count: frameCount)
    for _ in 0..<count / 10 {
      var span = frame.mutableSpan
      playout.playout(into: &span, at: now)
      samples += frame
      milliseconds += 10
    }
  }
}

/// A ramp that tells each sample's number; never zero, so that silence is seen.
func numbered(_ range: Range<Int>) -> [Int16] { range.map { Int16($0 % 30_000 + 1) } }

extension Float {
  var number: Int { Int((self * 32_768).rounded()) }
}

@Suite struct StreamPlayoutTests {
  /// 10 s of audio at four times real time, with a producer that pauses for 600 ms now and then.
  @Test func aFastProducerWithGapsIsPlayedSampleBySample() throws {
    let stream = try StreamUnderTest()
    let all = bytes(numbered(0..<240_000))
    var sent = 0
    while sent < all.count {
      // 200 ms of audio each 50 ms, and 600 ms of nothing after each 2 s of audio.
      stream.append(Array(all[sent..<min(all.count, sent + 9_600)]))
      sent += 9_600
      stream.play(milliseconds: sent % 96_000 == 0 ? 600 : 50)
    }
    stream.playout.finish(1)
    stream.play(milliseconds: 8_000)
    let start = try #require(stream.samples.firstIndex { $0 != 0 })
    #expect(start <= 24 * 150)
    let heard = stream.samples[start..<start + 240_000].map(\.number)
    #expect(heard == numbered(0..<240_000).map(Int.init))
    #expect(stream.samples[(start + 240_000)...].allSatisfy { $0 == 0 })
    let statistics = stream.statistics
    #expect(statistics.concealedSamples == 0 && statistics.insertedSamplesForDeceleration == 0)
    #expect(statistics.jitterBufferEmittedCount == 240_000)
  }

  @Test(arguments: [1, 3, 7, 481, 4_096, 100_001])
  func chunksOfAnySizeGiveTheSameSamples(size: Int) throws {
    let stream = try StreamUnderTest()
    let all = bytes(numbered(0..<24_000))
    for start in stride(from: 0, to: all.count, by: size) {
      let chunk = Array(all[start..<min(all.count, start + size)])
      #expect(stream.append(chunk) == outcome(.taken, chunk.count))
    }
    stream.playout.finish(1)
    stream.play(milliseconds: 1_200)
    let start = try #require(stream.samples.firstIndex { $0 != 0 })
    #expect(stream.samples[start..<start + 24_000].map(\.number) == numbered(0..<24_000).map(Int.init))
  }

  /// A producer at real time that is silent for 600 ms in mid-speech: one break, and all of it is heard.
  @Test func aGapInMidAnswerIsOneJoin() throws {
    let speech = voice(seconds: 6, sampleRate: .hz24000, pauses: false).map { Int16($0 * 32_767) }
    let all = bytes(speech)
    let stream = try StreamUnderTest()
    for piece in 0..<300 {
      if piece == 100 { stream.play(milliseconds: 600) }
      stream.append(Array(all[piece * 960..<(piece + 1) * 960]))
      stream.play(milliseconds: 20)
    }
    stream.playout.finish(1)
    stream.play(milliseconds: 500)
    let statistics = stream.statistics
    #expect(statistics.concealmentEvents == 1 && statistics.underruns == 1)
    #expect(statistics.jitterBufferEmittedCount == speech.count + statistics.insertedSamplesForDeceleration)
    #expect(largestStep(Array(stream.samples[..<144_000])) < 2 * largestStep(speech.map { Float($0) / 32_768 }))
    // What it has learnt lets the next answer of such a producer pass unbroken.
    for piece in 0..<200 {
      if piece == 100 { stream.play(milliseconds: 400) }
      stream.append(Array(all[piece * 960..<(piece + 1) * 960]), to: 2)
      stream.play(milliseconds: 20)
    }
    stream.playout.finish(2)
    stream.play(milliseconds: 1_500)
    #expect(stream.statistics.concealmentEvents == 1)
  }

  @Test func aFullStoreTakesNoMoreAndLosesNothing() throws {
    var settings = StreamPlayoutSettings()
    settings.capacitySeconds = 1
    let stream = try StreamUnderTest(settings: settings)
    let all = bytes(numbered(0..<96_000))
    var rest = all[...]
    var fullCount = 0
    while !rest.isEmpty {
      let outcome = stream.append(Array(rest))
      rest = rest.dropFirst(outcome.byteCount)
      if outcome.kind == .full { fullCount += 1 }
      #expect(stream.stock <= 24_000 + 240)
      stream.play(milliseconds: 100)
    }
    stream.playout.finish(1)
    stream.play(milliseconds: 1_500)
    #expect(fullCount > 0 && stream.statistics.overruns == fullCount)
    let start = try #require(stream.samples.firstIndex { $0 != 0 })
    #expect(stream.samples[start..<start + 96_000].map(\.number) == numbered(0..<96_000).map(Int.init))
  }

  @Test func theStockIsNeverPlayedFaster() throws {
    let stream = try StreamUnderTest()
    stream.append(bytes(numbered(0..<24_000 * 30)))
    stream.play(milliseconds: 10_000)
    let start = try #require(stream.samples.firstIndex { $0 != 0 })
    let heard = stream.samples[start...].map(\.number)
    #expect(heard == numbered(0..<heard.count).map(Int.init))
  }

  @Test func codedStreamsArePlayed() throws {
    let tone = sine(440, sampleRate: .hz48000, count: 48_000)
    let opus = try StreamUnderTest(.coded(.opus()))
    for packet in try packets(tone, format: .opus(), sampleRate: .hz48000) { opus.append(packet.payload) }
    #expect(opus.append([]).kind == .taken)
    #expect(opus.append([0xFF, 0xFF, 0xFF]).kind == .malformed)
    opus.playout.finish(1)
    opus.play(milliseconds: 1_000)
    #expect(powerDecibels(opus.samples[9_600..<43_200]) > -10)

    let low = sine(440, sampleRate: .hz8000, count: 8_000)
    let mulaw = try StreamUnderTest(.coded(.pcmu))
    let payload = try packets(low, format: .pcmu, sampleRate: .hz8000).flatMap(\.payload)
    #expect(mulaw.append(payload) == outcome(.taken, 8_000))
    mulaw.playout.finish(1)
    mulaw.play(milliseconds: 1_100)
    let start = try #require(mulaw.samples.firstIndex { abs($0) > 0.01 })
    #expect(powerDecibels(mulaw.samples[start..<start + 7_900]) > -10)
  }

  // MARK: - Interruption

  @Test func flushSilencesAndDropsWhatStillComes() throws {
    let stream = try StreamUnderTest()
    stream.append(bytes(numbered(0..<48_000)), to: 7)
    stream.play(milliseconds: 500)
    let heard = try #require(stream.flush())
    let before = stream.samples.count
    stream.play(milliseconds: 200)
    // Silent after 5 ms, and nothing of it later.
    #expect(stream.samples[(before + 121)...].allSatisfy { $0 == 0 })
    let last = stream.samples[..<before].last!.number  // the sample numbered n is the n-th
    #expect(heard.item == 7 && abs(heard.milliseconds * 24 - Double(last)) <= 240)
    #expect(stream.append(bytes(numbered(0..<4_800)), to: 7).kind == .flushed)
    #expect(stream.append(bytes(numbered(0..<4_800)), to: 8).kind == .taken)
    let next = stream.samples.count
    stream.play(milliseconds: 100)
    let start = try #require(stream.samples[next...].firstIndex { $0 != 0 })
    #expect(start - next <= 24 * 60)
    #expect(stream.samples[start].number == 1)
    #expect(stream.statistics.lateBytes == 9_600)
  }

  @Test func anAnswerBehindTheFlushedOneIsKept() throws {
    let stream = try StreamUnderTest()
    stream.append(bytes(numbered(0..<48_000)), to: 1)
    stream.append(bytes(numbered(10_000..<34_000)), to: 2)
    stream.play(milliseconds: 300)
    stream.playout.flush(upTo: 1)
    stream.play(milliseconds: 200)
    #expect(stream.samples.suffix(240).allSatisfy { $0.number > 10_000 })
    // Once the second is on, flushing the first again takes nothing away.
    #expect(stream.flush(upTo: 1) == nil)
    stream.play(milliseconds: 200)
    #expect(stream.samples.suffix(240).allSatisfy { $0.number > 10_000 })
  }

  @Test func aFalseAlarmGoesOnWhereItWasHeld() throws {
    let stream = try StreamUnderTest()
    let tone = sine(200, sampleRate: .hz24000, count: 96_000)
    stream.append(bytes(tone.map { Int16($0 * 32_767) }))
    stream.play(milliseconds: 500)
    stream.playout.duck()
    stream.play(milliseconds: 200)
    #expect(abs(powerDecibels(stream.samples.suffix(2_400)) - powerDecibels(tone) + 18) < 0.5)
    stream.playout.hold()
    let held = stream.samples.count
    stream.play(milliseconds: 1_500)
    #expect(stream.samples[(held + 241)...].allSatisfy { $0 == 0 })
    let stock = stream.stock
    stream.playout.resume()
    stream.play(milliseconds: 500)
    #expect(stream.stock == stock - 12_000)
    #expect(largestStep(stream.samples) < 1.1 * largestStep(tone))
    #expect(abs(powerDecibels(stream.samples.suffix(4_800)) - powerDecibels(tone)) < 0.1)
  }

  @Test func aHoldBecomesAFlushInTheEnd() throws {
    let stream = try StreamUnderTest()
    stream.append(bytes(numbered(0..<96_000)))
    stream.play(milliseconds: 500)
    stream.playout.hold()
    stream.play(milliseconds: 1_990)
    #expect(stream.stock > 80_000)
    stream.play(milliseconds: 50)
    #expect(stream.stock == 0)
    #expect(stream.append(bytes(numbered(0..<100)), to: 1).kind == .flushed)
    // Confirmed at once, a hold is a flush.
    stream.append(bytes(numbered(0..<48_000)), to: 2)
    stream.play(milliseconds: 200)
    stream.playout.hold()
    stream.play(milliseconds: 100)
    let heard = stream.playout.flush()
    #expect(heard?.item == 2)
    stream.play(milliseconds: 100)
    #expect(stream.samples.suffix(4_000).allSatisfy { $0 == 0 })
  }

  // MARK: - Position

  @Test func everySampleTellsItsPlace() throws {
    let stream = try StreamUnderTest()
    for item in 1...3 {
      stream.append(bytes(numbered(item * 5_000..<item * 5_000 + 7_200)), to: item)
      stream.play(milliseconds: 100)
    }
    stream.playout.finish(3)
    stream.play(milliseconds: 1_500)
    var seen = 0
    for (index, sample) in stream.samples.enumerated() where index % 97 == 0 {
      let position = stream.place(index)
      guard sample != 0 else {
        #expect(position == nil)
        continue
      }
      let place = try #require(position)
      #expect(abs(Double(sample.number - 1 - place.item * 5_000) - place.milliseconds * 24) < 1)
      seen += 1
    }
    #expect(seen > 200)
    #expect(stream.place(stream.samples.count) == nil)
  }

  @Test func marksFireWhenTheirPlaceIsHeardOrFlushed() throws {
    let stream = try StreamUnderTest()
    #expect(!stream.addMark(0, item: 1, milliseconds: 0))
    stream.append(bytes(numbered(0..<24_000)), to: 1)
    for (id, milliseconds) in [(10, 100), (11, 250), (12, 900)] {
      #expect(stream.addMark(id, item: 1, milliseconds: milliseconds))
    }
    stream.play(milliseconds: 500)
    for (id, number) in [(10, 2_401), (11, 6_001)] {
      let mark = try #require(stream.nextMark())
      #expect(mark.id == id && mark.wasHeard)
      #expect(abs(stream.samples[Int(mark.outputSample)].number - number) <= 1)
    }
    #expect(stream.nextMark() == nil)
    stream.playout.flush()
    let lost = try #require(stream.nextMark())
    #expect(lost.id == 12 && !lost.wasHeard)
  }

  @Test func nothingTouchesTheHeap() throws {
    var playout = try StreamPlayout(.pcm16(.hz24000))
    var chunk = ByteBuffer(repeating: 0, count: 960)
    for index in 0..<480 { chunk[2 * index + 1] = UInt8(index % 50) }
    var frame = SampleBuffer(repeating: 0, count: 240)
    var operations = 0
    for call in 0..<600 {
      let now = MediaInstant(milliseconds: Double(call) * 10)
      let counted = heapOperations {
        onRealtimePath {
          // Too slow by a third, so that all ways are gone.
          if call % 3 == 0 { _ = playout.append(chunk.view, to: call / 100, at: now) }
          if call % 100 == 50 { _ = playout.addMark(call, at: MediaPosition(item: call / 100, nanoseconds: 0)) }
          if call % 100 == 60 { playout.duck() }
          if call % 100 == 65 { playout.hold() }
          if call % 100 == 75 { playout.resume() }
          if call % 200 == 90 { playout.flush() }
          if call % 100 == 95 { playout.finish(call / 100) }
          var span = frame.mutableSpan
          playout.playout(into: &span, at: now)
          _ = playout.nextMark()
          _ = playout.position(ofOutputSample: playout.outputSampleCount - 100)
        }
      }
      if call > 10 { operations += counted ?? 0 }
    }
    #expect(operations == 0)
    #expect(playout.statistics.concealedSamples > 0)
  }

  private func outcome(_ kind: StreamAppendOutcome.Kind, _ byteCount: Int) -> StreamAppendOutcome {
    StreamAppendOutcome(kind, byteCount)
  }
}

/// The largest difference of neighbours: what a click would exceed.
func largestStep(_ samples: [Float]) -> Float {
  zip(samples, samples.dropFirst()).map { abs($0 - $1) }.max() ?? 0
}
