import CKernels
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// Every version of the loops that this processor can run, at every length that leaves a different rest, from every
/// alignment, against the scalar one.
@Suite struct KernelTests {
  /// The scalar set first.
  private static var sets: [antiphon_kernel_set] {
    unsafe [antiphon_scalar_kernels(), antiphon_baseline_kernels(), antiphon_avx2_kernels()]
      .compactMap { unsafe $0?.pointee }
  }

  @Test func theWidestSetOfThisProcessorIsInUse() {
    let widest = unsafe String(cString: Self.sets.last!.name)
    let active = unsafe String(cString: antiphon_active_kernels().pointee.name)
    #expect(active == widest)
  }

  @Test func sumsEqualTheScalarOnes() {
    let deviation = unsafe worst { set, scalar, a, b, _, count in
      let dot = unsafe abs(set.dot(a, b, count) - scalar.dot(a, b, count))
      let energy = unsafe abs(set.energy(a, count) - scalar.energy(a, count))
      let peak: Float = unsafe set.peak(a, count) == scalar.peak(a, count) ? 0 : 1
      return max(max(dot, energy), peak)
    }
    #expect(deviation < 2e-5)
  }

  @Test func samplewiseLoopsEqualTheScalarOnes() {
    let deviations = unsafe [
      difference { set, a, b, out, count in unsafe set.scale(out, 0.3, count) },
      difference { set, a, b, out, count in unsafe set.mix(out, a, -1.7, count) },
      difference { set, a, b, out, count in unsafe set.multiply(out, a, b, count) },
    ]
    for deviation in deviations { #expect(deviation < 1e-6) }
  }

  @Test func complexLoopsEqualTheScalarOnes() {
    let deviations = unsafe [
      difference { set, a, b, out, count in unsafe set.complex_multiply_accumulate(out, a, b, count / 2) },
      difference { set, a, b, out, count in unsafe set.complex_conjugate_multiply_accumulate(out, a, b, count / 2) },
      difference { set, a, b, out, count in unsafe set.power_spectrum(out, a, count / 2) },
    ]
    for deviation in deviations { #expect(deviation < 1e-6) }
  }

  /// Two complex products by hand, so that scalar and vector loops cannot be wrong together.
  @Test func complexProductsAreWhatTheyShouldBe() {
    var a = SampleBuffer(repeating: 0, count: 4)
    var b = SampleBuffer(repeating: 0, count: 4)
    (a[0], a[1], a[2], a[3]) = (1, 2, 0, 1)
    (b[0], b[1], b[2], b[3]) = (3, -1, 2, 5)
    var sum = SampleBuffer(repeating: 1, count: 4)
    multiply(a, b, into: &sum, conjugate: false)
    #expect(sum[0] == 6 && sum[1] == 6 && sum[2] == -4 && sum[3] == 3)
    multiply(a, b, into: &sum, conjugate: true)
    #expect(sum[0] == 7 && sum[1] == -1 && sum[2] == 1 && sum[3] == 1)
  }

  private func multiply(
    _ a: borrowing SampleBuffer, _ b: borrowing SampleBuffer, into sum: inout SampleBuffer, conjugate: Bool
  ) {
    var span = sum.mutableSpan
    if conjugate {
      Kernel.complexConjugateMultiplyAccumulate(a.view, b.view, into: &span)
    } else {
      Kernel.complexMultiplyAccumulate(a.view, b.view, into: &span)
    }
  }

  @Test func sanitizingEqualsTheScalarLoop() {
    let odd: [Float] = [.nan, .infinity, -.infinity, 1e30, -1e30, -.nan, .leastNonzeroMagnitude, -0.0]
    var random = SeededRandom(seed: 11)
    for count in 0...70 {
      var x = random.noise(count: count, amplitude: 2)
      for index in x.indices where Bool.random(using: &random) { x[index] = odd.randomElement(using: &random)! }
      let bad = x.count { !$0.isFinite }
      let expected = x.map { $0.isFinite ? max(-1.5, min(1.5, $0)) : 0 }
      for index in unsafe Self.sets.indices {
        let set = unsafe Self.sets[index]
        var mine = x
        let replaced = unsafe set.sanitize(&mine, 1.5, mine.count)
        #expect(replaced == bad)
        #expect(mine == expected, "seed \(random.seed), count \(count)")
      }
    }
  }

  @Test func conversionRoundsToNearestEvenAndSaturates() {
    let unit: Float = 1 / 32_768
    let cases: [(Float, Int16)] = [
      (0, 0), (-0.0, 0), (1, 32_767), (-1, -32_768), (2, 32_767), (-2, -32_768), (.infinity, 32_767),
      (-.infinity, -32_768), (.nan, 0), (-.nan, 0), (0.5 * unit, 0), (1.5 * unit, 2), (2.5 * unit, 2),
      (-0.5 * unit, 0), (-1.5 * unit, -2), (0.49 * unit, 0), (0.51 * unit, 1), (.leastNonzeroMagnitude, 0),
      (32_767.4 * unit, 32_767),
    ]
    for index in unsafe Self.sets.indices {
      let set = unsafe Self.sets[index]
      for shift in 0..<8 {
        let input = (0..<64).map { cases[($0 + shift) % cases.count] }
        var pcm = [Int16](repeating: 99, count: 64)
        unsafe set.int16_from_float(&pcm, input.map(\.0), 64 - shift)
        #expect(pcm == input.prefix(64 - shift).map(\.1) + [Int16](repeating: 99, count: shift))
      }
    }
  }

  @Test func everySixteenBitValueComesBack() {
    let all = (Int(Int16.min)...Int(Int16.max)).map { Int16($0) }
    for index in unsafe Self.sets.indices {
      let set = unsafe Self.sets[index]
      var x = [Float](repeating: 0, count: all.count)
      unsafe set.float_from_int16(&x, all, all.count)
      #expect(x.first == -1 && x[32_768] == 0)
      var back = [Int16](repeating: 0, count: all.count)
      unsafe set.int16_from_float(&back, x, x.count)
      #expect(back == all)
    }
  }

  private typealias Loop = (
    _ set: antiphon_kernel_set, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ out: UnsafeMutablePointer<Float>, _ count: Int
  ) -> Void

  private typealias Check = (
    _ set: antiphon_kernel_set, _ scalar: antiphon_kernel_set, _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>,
    _ out: UnsafeMutablePointer<Float>, _ count: Int
  ) -> Float

  /// The largest of what `check` returns for areas of 0...70 floats at 8 alignments, with each vector set.
  @unsafe
  private func worst(_ check: Check) -> Float {
    var random = SeededRandom(seed: 10)
    var worst: Float = 0
    let a = random.noise(count: 80, amplitude: 1)
    let b = random.noise(count: 80, amplitude: 1)
    for index in unsafe 1..<Self.sets.count {
      let set = unsafe Self.sets[index]
      for offset in 0..<8 {
        for count in 0...70 {
          var out = a.reversed() as [Float]
          unsafe a.withUnsafeBufferPointer { a in
            unsafe b.withUnsafeBufferPointer { b in
              unsafe out.withUnsafeMutableBufferPointer { out in
                let deviation = unsafe check(
                  set, Self.sets[0], a.baseAddress! + offset,
                  b.baseAddress! + (offset + 3) % 8, out.baseAddress! + offset, count)
                if !(deviation <= worst) { worst = deviation.isNaN ? .infinity : deviation }
              }
            }
          }
        }
      }
    }
    return worst
  }

  /// The largest difference between a loop and its scalar twin; 1,000 if it touches what lies behind its area.
  @unsafe
  private func difference(_ loop: Loop) -> Float {
    unsafe worst { set, scalar, a, b, out, count in
      let start = (0..<72).map { unsafe out[$0] }
      unsafe loop(set, a, b, out, count)
      let mine = (0..<72).map { unsafe out[$0] }
      for index in 0..<72 { unsafe out[index] = start[index] }
      unsafe loop(scalar, a, b, out, count)
      var worst: Float = 0
      for index in 0..<72 {
        let deviation = unsafe abs(mine[index] - out[index])
        if !(deviation <= worst) { worst = deviation.isNaN ? .infinity : deviation }
      }
      return mine[count...] == start[count...] ? worst : 1_000
    }
  }
}
