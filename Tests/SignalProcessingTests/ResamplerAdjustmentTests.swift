import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// Following a clock that is not quite the one that the rates were counted with.
@Suite struct ResamplerAdjustmentTests {
  static let pairs: [(SampleRate, SampleRate)] = [
    (.hz48000, .hz48000), (.hz44100, .hz48000), (.hz48000, .hz16000), (.hz16000, .hz48000),
  ]

  /// The ratio swings by ±1,000 ppm and back in two seconds, a new value every 10 ms. Each output sample must be the sine
  /// at the place that the ratios so far add up to: a jump or a click anywhere would be noise.
  @Test(arguments: pairs) func aSweptDriftKeepsASineClean(from: SampleRate, to: SampleRate) throws {
    var resampler = try Resampler(from: from, to: to, isAdjustable: true)
    let latency = resampler.latencySampleCount * Double(from.hertz) / Double(to.hertz)
    let input = sine(997, sampleRate: from, count: 2 * from.hertz)
    var output: [Float] = []
    var expected: [Float] = []
    var withoutDrift: [Float] = []
    var position = -latency
    var block = [Float](repeating: 0, count: resampler.maximumOutputSampleCount(forInput: from.hertz / 100))
    for call in 0..<200 {
      let drift = 1_000 * sin(.pi * Double(call) / 100)
      resampler.adjust(partsPerMillion: drift)
      var span = block.mutableSpan
      let piece = Array(input[call * from.hertz / 100..<(call + 1) * from.hertz / 100])
      let progress = resampler.process(piece.span, into: &span)
      #expect(progress.consumed == piece.count)
      let turn = 2 * Double.pi * 997
      for index in 0..<progress.produced {
        output.append(block[index])
        expected.append(Float(0.5 * sin(turn * position / Double(from.hertz))))
        let nominal = Double(withoutDrift.count) / Double(to.hertz) - latency / Double(from.hertz)
        withoutDrift.append(Float(0.5 * sin(turn * nominal)))
        position += Double(from.hertz) / Double(to.hertz) * (1 + drift * 1e-6)
      }
    }
    let settled = to.hertz / 50..<output.count
    #expect(signalToNoise(Array(expected[settled]), Array(output[settled])) > 105)
    // Negative control: a sine that ignores the drift is far off.
    #expect(signalToNoise(Array(withoutDrift[settled]), Array(output[settled])) < 40)
  }

  @Test func theDriftIsWhatWasAskedFor() throws {
    let input = sine(300, sampleRate: .hz48000, count: 480_000)
    for drift in [-5_000.0, -1_000, -37, 0, 250, 1_000, .infinity, .nan] {
      var resampler = try Resampler(from: .hz48000, to: .hz16000, skipsLatency: true, isAdjustable: true)
      resampler.adjust(partsPerMillion: drift)
      let count = resample(input, with: &resampler).count
      let used = drift.isFinite ? max(-1_000, min(1_000, drift)) : 0
      #expect(abs(Double(count) - 160_000 / (1 + used * 1e-6)) <= 1)
    }
  }

  @Test(arguments: pairs) func withoutDriftItIsTheFixedRatio(from: SampleRate, to: SampleRate) throws {
    var random = SeededRandom(seed: 21)
    let input = random.noise(count: from.hertz / 5, amplitude: 0.5)
    var adjustable = try Resampler(from: from, to: to, skipsLatency: true, isAdjustable: true)
    var fixed = try Resampler(from: from, to: to, skipsLatency: true)
    let (one, other) = (resample(input, with: &adjustable), resample(input, with: &fixed))
    #expect(one.count == other.count)
    if from == to { #expect(one == input && other == input) }
    #expect(signalToNoise(other, one) > 110)  // they differ in the last tap, at the window's end
  }

  /// Changes at the same places of the input, the stream between them cut in two ways.
  @Test(arguments: pairs) func cutsDoNotShowWhileAdjusting(from: SampleRate, to: SampleRate) throws {
    var random = SeededRandom(seed: 22)
    let stretches = (0..<20).map { _ in random.noise(count: 500, amplitude: 0.5) }
    let drifts = stretches.map { _ in Double.random(in: -1_000...1_000, using: &random) }
    var outputs: [[Float]] = []
    for sizes in [[500], [1, 7, 0, 64]] {
      var resampler = try Resampler(from: from, to: to, isAdjustable: true)
      var output: [Float] = []
      for (stretch, drift) in zip(stretches, drifts) {
        resampler.adjust(partsPerMillion: drift)
        var (position, call) = (0, 0)
        while position < stretch.count {
          let piece = Array(stretch[position..<min(stretch.count, position + sizes[call % sizes.count])])
          var block = [Float](repeating: 0, count: resampler.maximumOutputSampleCount(forInput: piece.count))
          var span = block.mutableSpan
          let progress = resampler.process(piece.span, into: &span)
          #expect(progress.consumed == piece.count)
          output += block[..<progress.produced]
          position += piece.count
          call += 1
        }
      }
      outputs.append(output)
    }
    #expect(outputs[0] == outputs[1])
  }
}
