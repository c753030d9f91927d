import CKernels
import TestSupport
import Testing

/// The vector versions of the canceller's loops against the plain ones.
@Suite struct EchoKernelTests {
  private var sets: [antiphon_kernel_set] {
    unsafe [antiphon_baseline_kernels(), antiphon_avx2_kernels()].compactMap { unsafe $0?.pointee }
  }

  private var scalar: antiphon_kernel_set { unsafe antiphon_scalar_kernels().pointee }

  private func positive(_ count: Int, _ random: inout SeededRandom) -> [Float] {
    random.noise(count: count, amplitude: 1).map { abs($0) + 0.01 }
  }

  private func close(_ a: [Float], _ b: [Float]) -> Bool { zip(a, b).allSatisfy { abs($0 - $1) < 1e-4 } }

  @Test(arguments: [1, 7, 8, 129, 136])
  func kalmanLoopsEqualTheirScalarTwins(count: Int) {
    var random = SeededRandom(seed: 31)
    let h = random.noise(count: 2 * count, amplitude: 1)
    let x = random.noise(count: 2 * count, amplitude: 1)
    let innovation = random.noise(count: 2 * count, amplitude: 1)
    let (p, power, inverse) = (positive(count, &random), positive(count, &random), positive(count, &random))
    func run(_ set: antiphon_kernel_set) -> [[Float]] {
      var echo = [Float](repeating: 0.5, count: 2 * count)
      var error = [Float](repeating: 0.25, count: count)
      unsafe set.kalman_predict(&echo, &error, h, x, p, power, count)
      var (moved, uncertainty) = (h, p)
      var constants = antiphon_kalman_constants(keep: 0.99, share: 0.3125, forgetting: 0.02, smallest_change: 1e-8)
      unsafe set.kalman_update(&constants, &moved, &uncertainty, x, power, innovation, inverse, count)
      return [echo, error, moved, uncertainty]
    }
    let expected = unsafe run(scalar)
    #expect(abs(expected[0][0] - (0.5 + h[0] * x[0] - h[1] * x[1])) < 1e-5)
    for index in unsafe sets.indices {
      let result = unsafe run(sets[index])
      for (a, b) in zip(result, expected) { #expect(close(a, b)) }
    }
  }

  @Test(arguments: [3, 32, 40])
  func layersEqualTheirScalarTwins(lanes: Int) {
    var random = SeededRandom(seed: 32)
    let (inputs, outputs) = (5, 3)
    let weights = random.noise(count: inputs * outputs, amplitude: 1)
    let bias = random.noise(count: outputs, amplitude: 1)
    let x = random.noise(count: inputs * lanes, amplitude: 1)
    func run(_ set: antiphon_kernel_set) -> [Float] {
      var y = [Float](repeating: 0, count: outputs * lanes)
      unsafe set.dense_layer(&y, weights, bias, x, lanes, inputs, outputs)
      unsafe set.logistic(&y, 2, y.count)
      return y
    }
    let expected = unsafe run(scalar)
    for index in unsafe sets.indices {
      let result = unsafe run(sets[index])
      #expect(close(result, expected))
    }
  }

  @Test func theLogisticFunctionIsExactAndBounded() {
    let values: [Float] = [-1_000, -59, -5, -0.1, 0, 0.1, 5, 59, 1_000, .infinity, -.infinity]
    for index in unsafe 0..<sets.count + 1 {
      let kernels = unsafe index < sets.count ? sets[index] : scalar
      var x = values
      unsafe kernels.logistic(&x, 1, x.count)
      for (value, result) in zip(values, x) {
        let limited = max(-60, min(60, value))
        #expect(abs(result - 1 / (1 + exponential(-limited))) < 1e-6)
      }
    }
  }

  private func exponential(_ x: Float) -> Float { antiphon_expf(x) }
}
