import CKernels
import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// Prints times; run alone, in a release build:
/// `ANTIPHON_MEASURE=1 swift test -c release --filter SignalSpeedTests`.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["ANTIPHON_MEASURE"] != nil))
struct SignalSpeedTests {
  @Test func forwardTransforms() throws {
    for length in [256, 512, 1_024, 2_048, 4_096, 16_384] {
      var ours = try SplitRadixRealFFT(length: length)
      var line = "length \(length): split radix \(nanosecondsOfForward(&ours)) ns"
      ours.usesBaseline = true
      line += " (baseline \(nanosecondsOfForward(&ours)) ns)"
      #if FFTW
        let start = ContinuousClock.now
        var theirs = try FFTWRealFFT(length: length)
        let planning = ContinuousClock.now - start
        line += ", FFTW \(nanosecondsOfForward(&theirs)) ns (planned in \(planning))"
      #endif
      print(line)
    }
  }

  /// The faster the better; the tests demand 200 times real time.
  @Test(arguments: BandLevels.Preset.allCases) func bandLevels(preset: BandLevels.Preset) throws {
    let rate = try realTimeFactor(preset)
    print("\(preset.bandCount) bands at 48 kHz: \(Int(rate)) times real time")
    #expect(rate > 200)
  }
}

/// The fastest of 40 rounds of 200 transforms, in nanoseconds each.
private func nanosecondsOfForward<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) -> Int {
  var random = SeededRandom(seed: 1)
  var noise = SampleBuffer(repeating: 0, count: transform.length)
  for index in 0..<noise.count { noise[index] = Float.random(in: -1...1, using: &random) }
  var spectrum = SampleBuffer(repeating: 0, count: transform.spectrumCount)
  var best = Duration.seconds(1_000)
  for _ in 0..<40 {
    let start = ContinuousClock.now
    for _ in 0..<200 {
      var output = spectrum.mutableSpan
      transform.forward(noise.view, into: &output)
    }
    best = min(best, ContinuousClock.now - start)
  }
  return Int(best / .nanoseconds(1)) / 200
}

/// Ten seconds of noise in frames of 10 ms, the fastest of five rounds.
private func realTimeFactor(_ preset: BandLevels.Preset) throws -> Double {
  var bands = try BandLevels(sampleRate: .hz48000, preset: preset)
  var random = SeededRandom(seed: 2)
  var noise = SampleBuffer(repeating: 0, count: 480)
  for index in 0..<noise.count { noise[index] = Float.random(in: -0.1...0.1, using: &random) }
  var best = Duration.seconds(1_000)
  for _ in 0..<5 {
    let start = ContinuousClock.now
    for _ in 0..<1_000 { bands.process(noise.view) }
    best = min(best, ContinuousClock.now - start)
  }
  return 10 / (best / .seconds(1))
}
