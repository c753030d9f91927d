import AudioCodecs
import Foundation
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

@Suite struct DriftTests {
  /// The estimate is complete after one minute; two more show what comes of it. Ten in the soak.
  static let minutes = ProcessInfo.processInfo.environment["ANTIPHON_SOAK_HOURS"] == nil ? 3 : 10

  /// A sender whose clock is off by 300 ppm, over a network that holds each packet up to 3 ms: once the drift is known, the
  /// delay stays where it is, and what is put in or left out is what the clocks differ by.
  @Test(arguments: [-300.0, 300.0])
  func driftIsTakenOutWithoutSteps(partsPerMillion: Double) throws {
    let phrase = try packets(voice(seconds: 10, sampleRate: .hz8000), format: .pcmu, sampleRate: .hz8000)
    var random = SeededRandom(seed: 5)
    var buffer = try JitterBuffer(format: .pcmu, sampleRate: .hz8000)
    var frame = [Float](repeating: 0, count: 80)
    var next = 0
    var atOneMinute = JitterBufferStatistics()
    var arrivals = [Double](repeating: 0, count: Self.minutes * 3_000 + 1)
    for index in arrivals.indices {
      let sent = Double(index) * 20 / (1 + partsPerMillion * 1e-6)
      arrivals[index] = sent + 30 + Double.random(in: 0...3, using: &random)
    }
    // Delay of what is heard over the moment it was sent, by the sender's own clock.
    var delays: [Double] = []
    for call in 0..<Self.minutes * 6_000 - 100 {
      let now = Double(call) * 10
      while next < Self.minutes * 3_000 && arrivals[next] <= now {
        let payload = phrase[next % phrase.count].payload
        _ = buffer.insert(
          payload.span, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: next)),
          timestamp: RTPTimestamp(UInt32(next * 160)), at: MediaInstant(milliseconds: arrivals[next]))
        next += 1
      }
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: now))
      if call == 6_000 { atOneMinute = buffer.statistics }
      if call > 6_000, call % 100 == 0, let position = buffer.position {
        delays.append(now - Double(position.rawValue) / 8 / (1 + partsPerMillion * 1e-6))
      }
    }
    let statistics = buffer.statistics
    // By the sample, not in periods of pitch: playout's pace is the sender's.
    let inserted = statistics.insertedSamplesForDeceleration - atOneMinute.insertedSamplesForDeceleration
    let removed = statistics.removedSamplesForAcceleration - atOneMinute.removedSamplesForAcceleration
    let seconds = Double((Self.minutes - 1) * 60)
    #expect(min(inserted, removed) == 0)
    #expect(abs(Double(removed - inserted) - seconds * 8_000 * partsPerMillion * 1e-6) < 60, "\(inserted), \(removed)")
    #expect(statistics.concealedSamples == atOneMinute.concealedSamples)
    let spread = (delays.max() ?? 0) - (delays.min() ?? 0)
    #expect(delays.count > 50 * (Self.minutes - 1) && spread < 2, "\(delays.min() ?? 0) to \(delays.max() ?? 0) ms")
    #expect(abs(buffer.senderDrift * 1e6 - partsPerMillion) < 10, "\(buffer.senderDrift * 1e6) ppm")
  }

  /// The resampling is heard as nothing else than a pitch that is off by the drift.
  @Test func aToneStaysATone() throws {
    let tone = sine(1_000, sampleRate: .hz16000, count: 16_000 * 30)
    var stream = try packets(tone, format: exactFormat, sampleRate: .hz16000)
    for index in stream.indices { stream[index].arrival = stream[index].sent / 1.0003 + 20 }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(buffer.senderDrift > 2e-4)
    // By its differential equation: y[n+1] + y[n-1] = 2 cos(w) y[n].
    let heard = Array(result.samples.suffix(16_000 * 5))
    let factor = Float(2 * cos(2 * Double.pi * 1_000.3 / 16_000))
    let error = (1..<heard.count - 1).map { heard[$0 + 1] + heard[$0 - 1] - factor * heard[$0] }
    #expect(powerDecibels(heard) - powerDecibels(error) > 45)
  }

  @Test func withoutDriftSamplesAreNotTouched() throws {
    let signal = voice(seconds: 30, sampleRate: .hz16000, pauses: false)
    var buffer = try exactBuffer()
    let result = play(try packets(signal, format: exactFormat, sampleRate: .hz16000), through: &buffer, tail: 0)
    #expect(buffer.senderDrift == 0)
    let start = result.positions.firstIndex { $0 != nil }! * 160
    let heard = result.samples[start...]
    #expect(signalToNoise(Array(heard), Array(signal[..<heard.count])) > 80)
  }

  /// A queue that fills and drains moves the fastest packets, but is no clock.
  @Test func aWanderingNetworkIsNoDrift() throws {
    var stream = try packets(voice(seconds: 60, sampleRate: .hz8000), format: .pcmu, sampleRate: .hz8000)
    for index in stream.indices { stream[index].arrival! += 30 + 30 * sin(Double(index) / 400) }
    var buffer = try JitterBuffer(format: .pcmu, sampleRate: .hz8000)
    _ = play(stream, through: &buffer, tail: 0)
    #expect(buffer.senderDrift == 0)
  }
}
