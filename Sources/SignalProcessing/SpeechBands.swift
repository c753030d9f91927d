internal import Foundation
internal import RealtimeCore

/// Powers in eight bands of the telephone range, for frames of any length: two band-pass sections per band, all bands
/// side by side in one vector.
///
/// A filter bank instead of an FFT: 8 bands cost less than a transform of 480 samples, and every rate gets the same bands.
/// - Source: band-pass with 0 dB peak from R. Bristow-Johnson's Audio EQ Cookbook; transposed direct form 2.
struct SpeechBands: Sendable {
  static var count: Int { @_noLocks get { 8 } }
  /// In hertz; about one critical band at the low end, two at the high end.
  static let edges: [Double] = [120, 250, 400, 600, 900, 1_300, 1_900, 2_700, 3_700]

  private var input: SIMD8<Float>  // b0; b1 is 0 and b2 is -b0
  private var feedback1: SIMD8<Float>
  private var feedback2: SIMD8<Float>
  private var first = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))
  private var second = (SIMD8<Float>(repeating: 0), SIMD8<Float>(repeating: 0))

  init(sampleRate: SampleRate) {
    (input, feedback1, feedback2) = (.init(repeating: 0), .init(repeating: 0), .init(repeating: 0))
    for band in 0..<Self.count {
      let (low, high) = (Self.edges[band], Self.edges[band + 1])
      let centre = (low * high).squareRoot()
      // Two sections in a row are narrower than one: 0.64 (the square root of the square root of 2, less 1) makes up.
      let sharpness = 0.64 * centre / (high - low)
      let angle = 2 * Double.pi * centre / Double(sampleRate.hertz)
      let alpha = sin(angle) / (2 * sharpness)
      input[band] = Float(alpha / (1 + alpha))
      feedback1[band] = Float(-2 * cos(angle) / (1 + alpha))
      feedback2[band] = Float((1 - alpha) / (1 + alpha))
    }
  }

  /// Mean power of each band over these samples, full scale = 1. The samples must be finite.
  @_noLocks
  mutating func powers(of samples: borrowing SampleView) -> SIMD8<Float> {
    var (first1, first2) = first
    var (second1, second2) = second
    var sum = SIMD8<Float>(repeating: 0)
    for index in 0..<samples.count {
      let driven = input * samples[index]
      let middle = driven + first1
      first1 = first2 - feedback1 * middle
      first2 = -driven - feedback2 * middle
      let drivenAgain = input * middle
      let output = drivenAgain + second1
      second1 = second2 - feedback1 * output
      second2 = -drivenAgain - feedback2 * output
      sum += output * output
    }
    first = (first1, first2)
    second = (second1, second2)
    return sum / Float(max(1, samples.count))
  }

  /// Forgets the signal so far.
  @_noLocks
  mutating func reset() {
    first = (SIMD8(repeating: 0), SIMD8(repeating: 0))
    second = (SIMD8(repeating: 0), SIMD8(repeating: 0))
  }
}
