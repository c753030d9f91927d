import Foundation
import RealtimeCore

/// The sine of a known frequency in a stretch of samples, by least squares, and what is left beside it.
struct Tone {
  let amplitude: Double
  /// Radians at sample 0.
  let phase: Double
  /// Mean square of the rest.
  let restPower: Double

  init(_ frequency: Double, in samples: ArraySlice<Float>, sampleRate: SampleRate) {
    let step = 2 * Double.pi * frequency / Double(sampleRate.hertz)
    var (ss, sc, cc, ys, yc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in samples.indices {
      let (s, c, y) = (sin(step * Double(index)), cos(step * Double(index)), Double(samples[index]))
      (ss, sc, cc, ys, yc) = (ss + s * s, sc + s * c, cc + c * c, ys + y * s, yc + y * c)
    }
    let determinant = ss * cc - sc * sc
    let (a, b) = ((ys * cc - yc * sc) / determinant, (yc * ss - ys * sc) / determinant)
    var rest = 0.0
    for index in samples.indices {
      let error = Double(samples[index]) - a * sin(step * Double(index)) - b * cos(step * Double(index))
      rest += error * error
    }
    amplitude = (a * a + b * b).squareRoot()
    phase = atan2(b, a)
    restPower = rest / Double(samples.count)
  }

  /// Of the tone over the rest, in dB.
  var signalToNoise: Double { 10 * log10(amplitude * amplitude / 2 / (restPower + 1e-20)) }
}
