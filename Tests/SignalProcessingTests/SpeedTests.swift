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
  let noise = random.noise(count: transform.length, amplitude: 1)
  var spectrum = [Float](repeating: 0, count: transform.spectrumCount)
  var span = spectrum.mutableSpan
  return fastest(of: 40, calls: 200) { transform.forward(noise.span, into: &span) }
}

func fastest(of rounds: Int, calls: Int, _ body: () -> Void) -> Int {
  var best = Duration.seconds(1_000)
  for _ in 0..<rounds {
    let start = ContinuousClock.now
    for _ in 0..<calls { body() }
    best = min(best, ContinuousClock.now - start)
  }
  return Int(best / .nanoseconds(1)) / calls
}
