import CallSimulation
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// Delays that are known are found.
@Suite struct DelayMeterTests {
  @Test(arguments: [0, 1, 37, 160, 4_000, 15_999])
  func aKnownDelayIsFoundToTheSample(delay: Int) throws {
    let speech = try Recording("speech/agent.wav").samples
    let delayed = [Float](repeating: 0, count: delay) + speech.map { $0 * 0.3 }
    var meter = try DelayMeter(sampleRate: 16_000)
    let readings = meter.measure(speech, delayed)
    #expect(readings.count > 20)
    for reading in readings {
      #expect(abs(reading.milliseconds - Double(delay) / 16) < 1e-9, "at \(reading.time) s")
      #expect(reading.correlation > 0.99)
    }
  }

  /// A delay that steps in mid-recording is found on either side of the step.
  @Test func aStepIsFoundWhereItIs() throws {
    let speech = try Recording("speech/agent.wav").samples
    let step = 5 * 16_000
    let delayed =
      [Float](repeating: 0, count: 320) + speech[..<step] + [Float](repeating: 0, count: 800) + speech[step...]
    var meter = try DelayMeter(sampleRate: 16_000)
    for reading in meter.measure(speech, delayed) where reading.time < 4.7 || reading.time > 5 {
      #expect(abs(reading.milliseconds - (reading.time < 5 ? 20 : 70)) < 1e-9, "at \(reading.time) s")
    }
  }

  @Test func noiseLowersTheLikenessAndNotTheDelay() throws {
    let speech = try Recording("speech/agent.wav").samples
    var random = SeededRandom(seed: 2)
    let noise = random.noise(count: speech.count, amplitude: 0.02)
    let delayed = [Float](repeating: 0, count: 800) + zip(speech, noise).map { $0 + $1 }
    var meter = try DelayMeter(sampleRate: 16_000)
    let readings = meter.measure(speech, delayed)
    #expect(readings.count > 10)
    #expect(readings.allSatisfy { abs($0.milliseconds - 50) < 0.2 })
  }

  /// A tone fits at every period: any one delay would be invented.
  @Test(arguments: [200, 1_000])
  func aToneHasNoDelay(hertz: Double) throws {
    let tone = sine(hertz, sampleRate: .hz8000, count: 24_000)
    var meter = try DelayMeter(sampleRate: 8_000)
    #expect(meter.measure(tone, [Float](repeating: 0, count: 400) + tone).isEmpty)
  }

  /// Another talker, and silence, are not like the first recording.
  @Test func unlikeRecordingsGiveNoReading() throws {
    let speech = try Recording("speech/agent.wav").samples
    let other = try Recording("speech/mic.wav").samples
    var meter = try DelayMeter(sampleRate: 16_000)
    #expect(meter.measure(speech, other, threshold: 0.8).isEmpty)
    #expect(meter.measure(speech, [Float](repeating: 0, count: speech.count)).isEmpty)
    #expect(meter.measure([Float](repeating: 0, count: 32_000), speech).isEmpty)
    #expect(meter.measure([], []).isEmpty)
  }
}
