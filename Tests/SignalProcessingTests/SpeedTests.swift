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
      #if FFTW
        let start = ContinuousClock.now
        var theirs = try FFTWRealFFT(length: length)
        let planning = ContinuousClock.now - start
        line += ", FFTW \(nanosecondsOfForward(&theirs)) ns (planned in \(planning))"
      #endif
      print(line)
    }
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
