import CallSimulation
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// Fast convolution against the sum that defines it.
@Suite struct EchoPathTests {
  @Test(arguments: [(1, 1, 0), (7, 3, 5), (160, 160, 0), (160, 161, 37), (441, 2_000, 441), (480, 16_800, 1_920)])
  func equalsDirectConvolution(_ sizes: (block: Int, response: Int, delay: Int)) throws {
    var random = SeededRandom(seed: 11)
    let response = random.noise(count: sizes.response, amplitude: 0.1)
    let blockCount = max(4, 3_000 / sizes.block)
    let signal = random.noise(count: blockCount * sizes.block, amplitude: 0.5)
    let own = random.noise(count: signal.count, amplitude: 0.1)
    var path = try EchoPath(
      impulseResponse: response, delaySampleCount: sizes.delay, blockSampleCount: sizes.block)
    var output: [Float] = []
    for start in stride(from: 0, to: signal.count, by: sizes.block) {
      var block = Array(own[start..<start + sizes.block])
      var span = block.mutableSpan
      path.process(loudspeaker: signal[start..<start + sizes.block].span, addingTo: &span)
      output += block
    }
    var expected = own
    for index in signal.indices {
      var sum = 0.0
      for tap in response.indices where index - sizes.delay - tap >= 0 {
        sum += Double(response[tap]) * Double(signal[index - sizes.delay - tap])
      }
      expected[index] += Float(sum)
    }
    #expect(signalToNoise(expected, output) > 110, "\(signalToNoise(expected, output)) dB")
  }

  @Test func aResponseOfNothingGivesNoEcho() throws {
    var path = try EchoPath(impulseResponse: [], delaySampleCount: 0, blockSampleCount: 16)
    var block = [Float](repeating: 0.25, count: 16)
    var span = block.mutableSpan
    path.process(loudspeaker: [Float](repeating: 1, count: 16).span, addingTo: &span)
    #expect(block == [Float](repeating: 0.25, count: 16))
  }
}
