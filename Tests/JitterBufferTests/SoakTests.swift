import AudioCodecs
import Foundation
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// Networks and senders that do whatever comes into their heads, for as long as ANTIPHON_SOAK_HOURS says (of virtual
/// time; two minutes without it): no trap, no growth, and the output is always on time.
@Suite struct SoakTests {
  static let hours = Double(ProcessInfo.processInfo.environment["ANTIPHON_SOAK_HOURS"] ?? "") ?? 1 / 30

  /// What is promised of the buffer, over as many networks as there is time for: no sample is heard again but by
  /// stretch or concealment, time only goes on, and a network without loss and jitter is the plain decode.
  @Test func randomNetworksKeepThePromises() throws {
    var random = SeededRandom(seed: 31)
    let properties = JitterBufferPropertyTests()
    for round in 0..<max(4, Int(Self.hours * 3_600 / 8)) {
      try properties.nothingIsPlayedTwiceButByStretch(seed: random.next())
      guard round % 8 == 0 else { continue }
      try properties.aSteadyDelayGivesThePlainDecode(
        [.pcmu, .pcma, exactFormat, .opus()].randomElement(using: &random)!,
        delay: .random(in: 0...400, using: &random),
        firstSequence: .random(in: 0...UInt16.max, using: &random),
        firstTimestamp: .random(in: 0...UInt32.max, using: &random))
    }
  }

  @Test(arguments: [[CodecFormat.pcmu], [.opus()], [.opus(), .pcmu, .g722, .l16(.hz16000)]])
  func aBufferOutlivesEverySender(formats: [CodecFormat]) throws {
    let phrases = try formats.map { format in
      let rate: SampleRate = format.codec == .opus ? .hz48000 : format.codec == .pcmu ? .hz8000 : .hz16000
      return try packets(voice(seconds: 5, sampleRate: rate), format: format, sampleRate: rate)
    }
    var payload = ByteBuffer(repeating: 0, count: 1_600)
    var random = SeededRandom(seed: 2_024)
    var buffer = try JitterBuffer(formats: formats, sampleRate: .hz48000)
    let rate = buffer.sampleRate
    var sender = Misbehaviour(steps: formats.map(\.timestampStep))
    var frame = SampleBuffer(repeating: 0, count: 2_000)
    var garbage = ByteBuffer(repeating: 0, count: 1_600)
    var numbers = FixedBuffer<UInt16>(repeating: 0, count: 32)
    var (now, operations, isFinite) = (0.0, 0, true)
    var nextPacket = 0.0
    while now < Self.hours * 3_600_000 {
      while nextPacket <= now {
        nextPacket += 20 * sender.pace
        sender.advance(&random)
        for copy in 0..<sender.copies(&random) {
          let late = Double.random(in: 0...sender.jitter, using: &random)
          let arrival = MediaInstant(milliseconds: nextPacket + late - Double(copy))
          let isGarbage = Int.random(in: 0..<500, using: &random) == 0
          let count = Int.random(in: 0...1_600, using: &random)
          if isGarbage { for index in 0..<count { garbage[index] = .random(in: 0...255, using: &random) } }
          let kind = Int.random(in: 0..<40, using: &random)
          let phrase = phrases[sender.format]
          let bytes = phrase[sender.index % phrase.count].payload
          let type = formats[sender.format].payloadType
          for index in bytes.indices { payload[index] = bytes[index] }
          let size = bytes.count
          let counted = heapOperations {
            if isGarbage {
              _ = buffer.insert(
                garbage.view(0..<count), payloadType: type, sequenceNumber: sender.number, timestamp: sender.timestamp,
                at: arrival)
              _ = buffer.insertRedundant(
                garbage.view(0..<count), noiseType: 13, sequenceNumber: sender.number, timestamp: sender.timestamp,
                at: arrival)
            } else if kind == 0 {
              _ = buffer.insertComfortNoise(
                garbage.view(0..<count % 20), sequenceNumber: sender.number, timestamp: sender.timestamp, at: arrival)
            } else if kind < 6 {
              _ = buffer.insertCopy(
                payload.view(0..<size), payloadType: type, sequenceNumber: sender.number.advanced(by: -kind),
                timestamp: sender.timestamp.advanced(by: -kind * Int(sender.step)), at: arrival)
            } else if kind == 6 {
              buffer.noteForeignPacket(sequenceNumber: sender.number)
            } else {
              _ = buffer.insert(
                payload.view(0..<size), payloadType: type, sequenceNumber: sender.number, timestamp: sender.timestamp,
                at: arrival)
            }
          }
          if now > 5_000 { operations += counted ?? 0 }
        }
      }
      let count =
        Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...2_000, using: &random) : rate.hertz / 100
      for index in 0..<count { frame[index] = .nan }
      let action = Int.random(in: 0..<3_000, using: &random)
      let counted = heapOperations {
        switch action {
        case 0: buffer.flush()
        case 1: buffer.flush(upTo: sender.timestamp.advanced(by: 4_000))
        case 2, 3: buffer.hold()
        case 4: buffer.duck()
        case 5...20: buffer.resume()
        case 21: buffer.reset()
        case 22...60: _ = buffer.addMark(action, at: sender.timestamp.advanced(by: action * 100))
        case 61...70: buffer.beginItem(sender.index, at: sender.timestamp)
        case 71...400:
          var span = numbers.mutableSpan
          _ = buffer.retransmissionRequests(
            into: &span, roundTripNanoseconds: 40_000_000, at: MediaInstant(milliseconds: now))
        default: break
        }
        var span = frame.mutableSpan(0..<count)
        buffer.playout(into: &span, at: MediaInstant(milliseconds: now))
        _ = buffer.nextMark()
        _ = buffer.position(ofOutputSample: buffer.outputSampleCount - Int64(action))
      }
      if now > 5_000 { operations += counted ?? 0 }
      for index in 0..<count where !(abs(frame[index]) <= 4) { isFinite = false }
      now += 1_000 * Double(count) / Double(rate.hertz)
    }
    #expect(isFinite && operations == 0)
    let statistics = buffer.statistics
    #expect(statistics.jitterBufferEmittedCount > Int(Self.hours * 3_600) * rate.hertz / 5)
    #expect(statistics.packetsDiscarded > 0 && statistics.concealedSamples > 0)
  }

  @Test func aStreamOutlivesEveryProducer() throws {
    var random = SeededRandom(seed: 77)
    var settings = StreamPlayoutSettings()
    settings.capacitySeconds = 5
    var playout = try StreamPlayout(.pcm16(.hz16000), settings: settings)
    var frame = SampleBuffer(repeating: 0, count: 1_000)
    var chunk = ByteBuffer(repeating: 0, count: 40_000)
    for index in 0..<chunk.count { chunk[index] = UInt8(truncatingIfNeeded: random.next()) & 0x0F }
    var (item, now, operations, isFinite) = (0, 0.0, 0, true)
    var (given, taken) = (0, 0)
    while now < Self.hours * 3_600_000 {
      let action = Int.random(in: 0..<400, using: &random)
      let count = Int.random(in: 1...1_000, using: &random)
      let size = Int.random(in: 0...(action < 30 ? 40_000 : 640), using: &random)
      for index in 0..<count { frame[index] = .nan }
      let instant = MediaInstant(milliseconds: now)
      let counted = heapOperations {
        switch action {
        case 0, 1: item += 1
        case 2: playout.finish(item)
        case 3: playout.flush()
        case 4: playout.flush(upTo: item - 1)
        case 5: playout.hold()
        case 6: playout.duck()
        case 7...12: playout.resume()
        case 13: _ = playout.addMark(action, at: MediaPosition(item: item, nanoseconds: 300_000_000))
        default:
          let outcome = playout.append(chunk.view(0..<size), to: item - action / 398, at: instant)
          given += size
          taken += outcome.byteCount
          if outcome.kind == .ended || outcome.kind == .flushed { item += 1 }
        }
        var span = frame.mutableSpan(0..<count)
        playout.playout(into: &span, at: instant)
        _ = playout.nextMark()
      }
      if now > 5_000 { operations += counted ?? 0 }
      for index in 0..<count where !(abs(frame[index]) <= 1) { isFinite = false }
      now += Double(count) / 16
    }
    #expect(isFinite && operations == 0)
    let statistics = playout.statistics
    #expect(statistics.jitterBufferEmittedCount > 0 && statistics.overruns > 0 && taken < given)
    // All that was taken was played, flushed, dropped as late, or still waits.
    let accounted =
      statistics.jitterBufferEmittedCount - statistics.insertedSamplesForDeceleration + statistics.flushedSamples
      + playout.stock
    #expect(abs(statistics.samplesReceived - accounted) <= 200 * (1 + statistics.flushedSamples / 100))
  }
}

/// A sender that keeps none of its promises for long.
struct Misbehaviour {
  let steps: [UInt32]
  var index = 0
  var format = 0
  var number = SequenceNumber(65_000)
  var timestamp = RTPTimestamp(.max - 100_000)
  var jitter = 5.0
  var loss = 0.0
  var pace = 1.0
  private var left = 500

  init(steps: [UInt32]) { self.steps = steps }

  /// Ticks from packet to packet.
  var step: UInt32 { steps[format] }

  mutating func advance(_ random: inout SeededRandom) {
    index += 1
    number = number.advanced(by: 1)
    timestamp = timestamp.advanced(by: Int(step))
    left -= 1
    guard left <= 0 else { return }
    left = Int.random(in: 50...1_000, using: &random)
    jitter = [0, 5, 30, 200, 1_500].randomElement(using: &random)!
    loss = [0, 0, 0.02, 0.3, 0.95].randomElement(using: &random)!
    pace = [1, 1, 1, 1.0003, 0.9997, 1.1, 0.8].randomElement(using: &random)!
    format = Int.random(in: 0..<steps.count, using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: timestamp = RTPTimestamp(.random(in: 0...UInt32.max, using: &random))
    case 1: number = SequenceNumber(.random(in: 0...UInt16.max, using: &random))
    case 2: timestamp = timestamp.advanced(by: Int.random(in: -200_000...200_000, using: &random))
    case 3: number = number.advanced(by: Int.random(in: -50...50, using: &random))
    default: break
    }
  }

  func copies(_ random: inout SeededRandom) -> Int {
    if Double.random(in: 0...1, using: &random) < loss { return 0 }
    return Int.random(in: 0..<30, using: &random) == 0 ? 2 : 1
  }
}
