import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

@testable import EchoControl

@Suite struct DivergenceGuardTests {
  private func noise(_ amplitude: Float, _ random: inout SeededRandom) -> Int16Samples {
    var samples = Int16Samples(count: 160)
    var source = random.noise(count: 160, amplitude: amplitude)
    var span = source.mutableSpan
    _ = samples.store(&span)
    return samples
  }

  @Test func fortyWorseFramesInARowAskForAReset() {
    var random = SeededRandom(seed: 2)
    var divergence = DivergenceGuard()
    for frame in 1...100 {
      let asks = divergence.isDiverging(nearEnd: noise(0.05, &random), residue: noise(0.2, &random))
      #expect(asks == frame.isMultiple(of: 40))
    }
  }

  /// Negative controls: one good frame starts the count again, and a residue near silence is no divergence.
  @Test func goodFramesAndQuietOnesDoNot() {
    var random = SeededRandom(seed: 3)
    var divergence = DivergenceGuard()
    for frame in 1...200 {
      let residue = noise(frame.isMultiple(of: 39) ? 0.01 : 0.2, &random)
      let asks = divergence.isDiverging(nearEnd: noise(0.05, &random), residue: residue)
      #expect(!asks)
    }
    for _ in 1...200 {
      let asks = divergence.isDiverging(nearEnd: Int16Samples(count: 160), residue: noise(0.001, &random))
      #expect(!asks)
    }
  }
}
