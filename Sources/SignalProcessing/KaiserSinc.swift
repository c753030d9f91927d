internal import Foundation

/// The impulse response of a low-pass filter in continuous time: a sinc under a Kaiser window.
///
/// Time is in samples of the lower of two rates, frequency as a share of that rate's Nyquist frequency.
/// - Source: Kaiser 1974, "Nonrecursive digital filter design using the I0-sinh window function"; its length and
///   shape for a given attenuation in Oppenheim & Schafer, "Discrete-Time Signal Processing", section 7.5.
struct KaiserSinc {
  /// The response is 0 beyond `halfLength` on both sides of its centre.
  let halfLength: Double
  /// The middle of the transition band, where 6 dB are lost.
  let cutoff: Double
  private let shape: Double
  private let scale: Double

  /// - Parameter attenuation: how far, in dB, everything beyond the transition band lies below the pass band.
  init(halfLength: Double, cutoff: Double, attenuation: Double) {
    self.halfLength = halfLength
    self.cutoff = cutoff
    shape = 0.1102 * (attenuation - 8.7)  // for 50 dB and more
    scale = cutoff / Self.bessel(shape * shape / 4)
  }

  /// The response at `time` from the centre.
  ///
  /// A little beyond the ends the window goes on as the same smooth function, so that an interpolation between two
  /// responses sees no edge.
  func value(at time: Double) -> Double {
    let place = time / halfLength
    return scale * Self.sinc(cutoff * time) * Self.bessel((1 - place * place) * (shape * shape / 4))
  }

  /// sin(πx) / πx, exactly 0 at whole numbers, as a filter needs that lets a copy through.
  private static func sinc(_ x: Double) -> Double {
    if x == 0 { return 1 }
    return x == x.rounded() ? 0 : sin(.pi * x) / (.pi * x)
  }

  /// The modified Bessel function I₀(2√y) = Σ yᵏ / (k!)², which is as smooth below 0 as above.
  private static func bessel(_ y: Double) -> Double {
    var (sum, term, k) = (1.0, 1.0, 1.0)
    while abs(term) > 1e-17 * abs(sum) {
      term *= y / (k * k)
      sum += term
      k += 1
    }
    return sum
  }
}
