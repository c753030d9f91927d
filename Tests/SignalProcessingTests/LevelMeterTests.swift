import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

@Suite struct LevelMeterTests {
  @Test func aFullScaleSineReadsMinusThree() throws {
    var meter = try LevelMeter(sampleRate: .hz48000)
    feed(&meter, sine(997, sampleRate: .hz48000, count: 144_000, amplitude: 1))
    #expect(abs(meter.rmsDecibels + 3.01) < 0.02)
    #expect(abs(meter.peakDecibels) < 0.01)
  }

  @Test func silenceReadsTheFloorAndNothingElse() throws {
    var meter = try LevelMeter(sampleRate: .hz16000)
    #expect(meter.rmsDecibels == Decibels.floor && meter.peakDecibels == Decibels.floor)
    feed(&meter, [1, -1, 1])
    feed(&meter, [Float](repeating: 0, count: 16_000 * 30))
    #expect(meter.rms == 0 && meter.rmsDecibels == Decibels.floor)
    #expect(meter.peak == 0 && meter.peakDecibels == Decibels.floor)
  }

  /// After one time constant of silence the mean square has fallen to 1/e.
  @Test func integrationTimeIsWhatWasSet() throws {
    var settings = LevelMeter.Settings()
    settings.integrationMilliseconds = 100
    var meter = try LevelMeter(sampleRate: .hz16000, settings: settings)
    feed(&meter, [Float](repeating: 0.5, count: 32_000))
    #expect(abs(meter.rms - 0.5) < 1e-4)
    feed(&meter, [Float](repeating: 0, count: 1_600))
    #expect(abs(meter.rms * meter.rms / 0.25 - Float(exp(-1.0))) < 1e-3)
  }

  @Test func peakIsHeldThenFallsAtItsRate() throws {
    var settings = LevelMeter.Settings()
    settings.peakHoldMilliseconds = 200
    settings.peakFallDecibelsPerSecond = 20
    var meter = try LevelMeter(sampleRate: .hz16000, settings: settings)
    feed(&meter, [0.5])
    feed(&meter, [Float](repeating: 0, count: 3_200))
    #expect(meter.peak == 0.5)
    feed(&meter, [Float](repeating: 0, count: 8_000))  // half a second: 10 dB
    #expect(abs(meter.peakDecibels - (20 * log10(0.5) - 10)) < 0.01)
  }

  @Test func badSamplesAreCountedAndHeardAsSilence() throws {
    var meter = try LevelMeter(sampleRate: .hz16000)
    feed(&meter, [.nan, .infinity, -.infinity, 0.25, 3e38, .leastNonzeroMagnitude])
    #expect(meter.nonFiniteCount == 3)
    #expect(meter.rms.isFinite && meter.rmsDecibels.isFinite && meter.peak == 1e6)
    meter.reset()
    #expect(meter.peak == 0 && meter.nonFiniteCount == 0)
  }

  @Test(arguments: 1...5) func anySplitReadsTheSame(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let x = random.noise(count: 5_000, amplitude: 1)
    var whole = try LevelMeter(sampleRate: .hz16000)
    var parts = whole
    feed(&whole, x)
    var start = 0
    while start < x.count {
      let end = min(x.count, start + Int.random(in: 0...300, using: &random))
      feed(&parts, Array(x[start..<end]))
      start = end
    }
    #expect(parts.rms == whole.rms && parts.peak == whole.peak, "seed \(seed)")
  }

  @Test func settingsAreChecked() {
    for wrong: Float in [0, -1, .nan, .infinity, 10_001] {
      var settings = LevelMeter.Settings()
      settings.integrationMilliseconds = wrong
      #expect(throws: SignalProcessingError.self) { _ = try LevelMeter(sampleRate: .hz8000, settings: settings) }
    }
  }

  @Test func allocatesNothing() throws {
    var meter = try LevelMeter(sampleRate: .hz16000)
    let samples = SampleBuffer(repeating: 0.1, count: 480)
    var operations: Int? = 0
    for _ in 0..<2 {
      operations = heapOperations {
        meter.process(samples.view)
        _ = meter.rmsDecibels + meter.peakDecibels + meter.rms
      }
    }
    #expect(operations == 0 || operations == nil)
  }
}

private func feed(_ meter: inout LevelMeter, _ samples: [Float]) {
  meter.process(samples.span)
}
