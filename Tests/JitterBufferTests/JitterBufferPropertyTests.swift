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
