import CKernels
import TestSupport
import Testing

/// The loops behind the resampler in every version that this processor can run, against the scalar one.
@Suite struct PolyphaseKernelTests {
  private static var vectorSets: [antiphon_kernel_set] {
    unsafe [antiphon_baseline_kernels(), antiphon_avx2_kernels()].compactMap { unsafe $0?.pointee }
  }

  /// Ratios phases : step of every kind: up, down, both, and one step shorter than a sample.
  private static let ratios = [(1, 1), (3, 1), (1, 3), (1, 6), (2, 3), (7, 5), (5, 7), (16, 3)]

  @Test func fixedRatiosEqualTheScalarLoop() {
    unsafe compare { set, bank, x, y, step, count in
      var bank = unsafe bank
      unsafe set.polyphase(&bank, x, min(2, bank.phases - 1), step, y, count)
    }
  }

  @Test func interpolatedRatiosEqualTheScalarLoop() {
    unsafe compare { set, bank, x, y, step, count in
      var bank = unsafe bank
      let unit: Int64 = 1_000_003
      let fine = unsafe Int64(step) * unit / Int64(bank.phases) + 12_345
      unsafe set.polyphase_between(&bank, x, unit - 1, fine, unit, y, count)
    }
  }

  /// However many neighbours an output sample has, its bits are the same.
  @Test func eachOutputIsTheSameAlone() {
    var random = SeededRandom(seed: 31)
    let (rows, x) = (random.noise(count: 20 * 48, amplitude: 1), random.noise(count: 1_000, amplitude: 1))
    for index in unsafe Self.vectorSets.indices {
      let set = unsafe Self.vectorSets[index]
      for (phases, step) in Self.ratios {
        var together = [Float](repeating: 0, count: 100)
        var alone = together
        unsafe rows.withUnsafeBufferPointer { rows in
          unsafe x.withUnsafeBufferPointer { x in
            var bank = unsafe antiphon_filter_bank(rows: rows.baseAddress!, taps: 48, phases: phases)
            unsafe set.polyphase(&bank, x.baseAddress!, 0, step, &together, 100)
            for k in 0..<100 {
              let place = k * step
              var one: Float = 0
              unsafe set.polyphase(&bank, x.baseAddress! + place / phases, place % phases, step, &one, 1)
              alone[k] = one
            }
          }
        }
        #expect(together == alone, "ratio \(phases) : \(step)")
      }
    }
  }

  /// Cubics are what the interpolation follows exactly; a bank of one tap whose rows are a cubic shows it.
  @Test func theInterpolationFollowsACubic() {
    func cubic(_ t: Double) -> Double { 0.3 + t * (0.7 + t * (-1.1 + t * 0.9)) }
    let phases = 8
    var rows = [Float](repeating: 0, count: (phases + 3) * 16)
    for row in 0..<phases + 3 { rows[row * 16] = Float(cubic(Double(row - 1) / Double(phases))) }
    var x = [Float](repeating: 0, count: 32)
    x[0] = 1
    let sets = unsafe [antiphon_scalar_kernels().pointee] + Self.vectorSets
    for index in unsafe sets.indices {
      let set = unsafe sets[index]
      for place in stride(from: 0, to: 1_000, by: 7) {
        var y: Float = 0
        unsafe rows.withUnsafeBufferPointer { rows in
          var bank = unsafe antiphon_filter_bank(rows: rows.baseAddress!, taps: 16, phases: phases)
          unsafe set.polyphase_between(&bank, x, Int64(place), 1, 1_000, &y, 1)
        }
        #expect(abs(Double(y) - cubic(Double(place) / 1_000)) < 1e-6)
      }
    }
  }

  private typealias Loop = (
    _ set: antiphon_kernel_set, _ bank: antiphon_filter_bank, _ x: UnsafePointer<Float>,
    _ y: UnsafeMutablePointer<Float>, _ step: Int, _ count: Int
  ) -> Void

  @unsafe
  private func compare(_ loop: Loop) {
    var random = SeededRandom(seed: 30)
    for taps in [16, 32, 80, 240] {
      for (phases, step) in Self.ratios {
        let rows = random.noise(count: (phases + 3) * taps, amplitude: 1)
        let x = random.noise(count: taps + 400, amplitude: 1)
        for count in [0, 1, 2, 3, 4, 5, 11, 12, 13, 28, 47] {
          let outputs = unsafe ([antiphon_scalar_kernels().pointee] + Self.vectorSets).map { set in
            var y = [Float](repeating: 99, count: 64)
            unsafe rows.withUnsafeBufferPointer { rows in
              unsafe x.withUnsafeBufferPointer { x in
                unsafe y.withUnsafeMutableBufferPointer { y in
                  let bank = unsafe antiphon_filter_bank(rows: rows.baseAddress!, taps: taps, phases: phases)
                  unsafe loop(set, bank, x.baseAddress! + 1, y.baseAddress!, step, count)
                }
              }
            }
            return y
          }
          for output in outputs.dropFirst() {
            let worst = zip(output, outputs[0]).reduce(0) { max($0, abs($1.0 - $1.1)) }
            #expect(worst < 1e-4, "ratio \(phases) : \(step), \(taps) taps, \(count) outputs, seed \(random.seed)")
            #expect(output[count...].allSatisfy { $0 == 99 }, "wrote behind its area")
          }
        }
      }
    }
  }
}
