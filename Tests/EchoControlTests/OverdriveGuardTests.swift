import SignalProcessing
import TestSupport
import Testing

@testable import EchoControl

@Suite struct OverdriveGuardTests {
  private func samples(_ values: [Float]) -> Int16Samples {
    var samples = Int16Samples(count: values.count)
    var source = values
    var span = source.mutableSpan
    _ = samples.store(&span)
    return samples
  }

  @Test func clippedHissIsHalved() {
    var hiss = samples((0..<160).map { $0.isMultiple(of: 2) ? 1 : -1 })
    let isHalved = OverdriveGuard.halveIfOverdriven(&hiss)
    #expect(isHalved)
    #expect(hiss[0] == 16_383 && hiss[1] == -16_384)
  }

  @Test func aVoiceAndEvenFullScaleNoiseStay() {
    var random = SeededRandom(seed: 1)
    for values in [random.noise(count: 160, amplitude: 1), sine(200, sampleRate: .hz16000, count: 160, amplitude: 1)] {
      var frame = samples(values)
      let before = frame[80]
      let isHalved = OverdriveGuard.halveIfOverdriven(&frame)
      #expect(!isHalved)
      #expect(frame[80] == before)
    }
  }
}
