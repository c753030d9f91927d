import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

@Suite struct JitterBufferPropertyTests {
  @Test(arguments: UInt64(1)...12)
  func anyArrivalsGiveFiniteSamplesAndTotalsThatAddUp(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let isOpus = seed % 2 == 0
    let rate = isOpus ? SampleRate.hz48000 : .hz16000
    let format = isOpus ? CodecFormat.opus() : exactFormat
    var stream = try packets(voice(seconds: 8, sampleRate: rate), format: format, sampleRate: rate)
    let loss = Double.random(in: 0...0.4, using: &random)
    let jitter = Double.random(in: 0...200, using: &random)
    for index in stream.indices {
      if Double.random(in: 0...1, using: &random) < loss { stream[index].arrival = nil }
      stream[index].arrival? += Double.random(in: 0...jitter, using: &random)
      if Double.random(in: 0...1, using: &random) < 0.05 { stream.append(stream[index]) }
      switch Int.random(in: 0..<200, using: &random) {
      case 0: stream[index].timestamp = .random(in: 0...UInt32.max, using: &random)
      case 1: stream[index].sequence = .random(in: 0...UInt16.max, using: &random)
      case 2:
        stream[index].payload = (0..<Int.random(in: 0...80, using: &random)).map { _ in
          .random(in: 0...255, using: &random)
        }
      default: break
      }
    }
    var buffer = try JitterBuffer(format: format, sampleRate: rate)
    let result = play(stream, through: &buffer, frameMilliseconds: [10, 10, 7, 23][Int(seed % 4)])
    #expect(result.samples.allSatisfy { $0.isFinite && abs($0) < 4 })
    let total = result.statistics
    #expect(
      total.jitterBufferEmittedCount + total.concealedSamples + total.comfortNoiseSamples == total.totalSamplesReceived)
    #expect(total.totalSamplesReceived <= result.samples.count)
    #expect(total.silentConcealedSamples <= total.concealedSamples)
    let taken = result.outcomes.count(where: \.isHeld)
    #expect(
      taken + total.malformedPackets + total.duplicatePackets + total.implausiblePackets <= total.packetsReceived
        + total.malformedPackets)
    #expect(total.packetsReceived == result.outcomes.count)
  }

  @Test func theSamePacketsGiveTheSameSamples() throws {
    var stream = try packets(voice(seconds: 4, sampleRate: .hz48000), format: .opus(), sampleRate: .hz48000)
    var random = SeededRandom(seed: 9)
    for index in stream.indices { stream[index].arrival! += Double.random(in: 0...60, using: &random) }
    var one = try opusBuffer()
    var other = try opusBuffer()
    #expect(play(stream, through: &one).samples == play(stream, through: &other).samples)
  }

  /// With no loss and no jitter the buffer is a delay: what comes out is the plain decode, bit by bit.
  @Test(arguments: [CodecFormat.pcmu, .pcma, exactFormat, .opus()])
  func aPerfectNetworkGivesThePlainDecode(format: CodecFormat) throws {
    try aSteadyDelayGivesThePlainDecode(format, delay: 20, firstSequence: 100, firstTimestamp: 5_000)
  }

  func aSteadyDelayGivesThePlainDecode(
    _ format: CodecFormat, delay: Double, firstSequence: UInt16, firstTimestamp: UInt32
  ) throws {
    let rate = format.codec == .opus ? SampleRate.hz48000 : try SampleRate(hertz: format.clockRate)
    let stream = try packets(
      voice(seconds: 5, sampleRate: rate, pauses: false), format: format, sampleRate: rate,
      firstSequence: firstSequence, firstTimestamp: firstTimestamp, delay: delay)
    var decoder = try AudioDecoder(format, sampleRate: rate)
    var plain: [Float] = []
    var frame = [Float](repeating: 0, count: rate.hertz / 50)
    for packet in stream {
      var span = frame.mutableSpan
      let payload = packet.payload
      let count = try decoder.decode(payload.span, into: &span)
      plain += frame[..<count]
    }
    var buffer = try JitterBuffer(format: format, sampleRate: rate)
    let result = play(stream, through: &buffer, tail: 0)
    let start = result.positions.firstIndex { $0 != nil }! * rate.hertz / 100
    let heard = Array(result.samples[start...])
    #expect(heard.count > 4 * rate.hertz && heard == Array(plain[..<heard.count]))
  }

  /// Every sample tells its number: on a network that reorders, doubles, holds up and loses, time only goes on, and no
  /// sample is heard more often than stretches have played it again.
  @Test(arguments: UInt64(1)...6)
  func nothingIsPlayedTwiceButByStretch(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let ramp = (0..<30_000 * 4).map { Float($0 % 30_000 + 1) / 32_768 }
    var stream = try packets(ramp, format: exactFormat, sampleRate: .hz16000, firstTimestamp: 0)
    for index in stream.indices {
      if Double.random(in: 0...1, using: &random) < 0.03 { stream[index].arrival = nil }
      stream[index].arrival? += Double.random(in: 0...60, using: &random)
      if index % 9 == 0 { stream.append(stream[index]) }
    }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer)
    var (last, backwards) = (-1, 0)
    for (call, position) in result.positions.enumerated() {
      guard let position = position.map({ Int($0.rawValue) }) else { continue }
      // A join may go back by 5 ms; and what was concealed may be heard after all, when its packet comes.
      let concealed = result.concealed[call] - result.concealed[max(0, call - 40)]
      if position < last - 80 - concealed { backwards += 1 }
      last = position
    }
    #expect(backwards == 0)
    // Whole numbers are samples that no join has touched.
    var counts: [Int: Int] = [:]
    for (call, position) in result.positions.enumerated() {
      guard let position, position.rawValue < 30_000 else { continue }
      for sample in result.samples[call * 160..<(call + 1) * 160] {
        let scaled = sample * 32_768
        if scaled == scaled.rounded() && scaled > 0 { counts[Int(scaled), default: 0] += 1 }
      }
    }
    let again = counts.values.reduce(0) { $0 + $1 - 1 }
    let made = result.statistics.insertedSamplesForDeceleration + result.statistics.concealedSamples
    #expect(again <= made, "\(again) of \(counts.count), \(made) stretched or concealed")
  }

  @Test func nothingTouchesTheHeapOnceTheBufferIsMade() throws {
    var stream = try packets(voice(seconds: 4, sampleRate: .hz48000), format: .opus(), sampleRate: .hz48000)
    for index in stride(from: 5, to: stream.count, by: 9) { stream[index].arrival! += 70 }
    for index in stride(from: 8, to: stream.count, by: 13) { stream[index].arrival = nil }
    let arrivals = stream.filter { $0.arrival != nil }.sorted { $0.arrival! < $1.arrival! }
    var buffer = try opusBuffer()
    var frame = SampleBuffer(repeating: 0, count: 480)
    var payload = ByteBuffer(repeating: 0, count: 1_500)
    var next = 0
    var operations = 0
    for call in 0..<400 {
      let now = MediaInstant(milliseconds: Double(call) * 10)
      while next < arrivals.count && arrivals[next].arrival! <= Double(call) * 10 {
        let packet = arrivals[next]
        for index in packet.payload.indices { payload[index] = packet.payload[index] }
        let arrival = MediaInstant(milliseconds: packet.arrival!)
        let count = packet.payload.count
        let counted = heapOperations {
          onRealtimePath {
            _ = buffer.insert(
              payload.view(0..<count), sequenceNumber: SequenceNumber(packet.sequence),
              timestamp: RTPTimestamp(packet.timestamp), at: arrival)
          }
        }
        if call > 10 { operations += counted ?? 0 }
        next += 1
      }
      let counted = heapOperations {
        onRealtimePath {
          var span = frame.mutableSpan
          buffer.playout(into: &span, at: now)
        }
      }
      if call > 10 { operations += counted ?? 0 }
    }
    #expect(operations == 0)
  }
}
