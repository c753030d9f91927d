import Foundation
import RealtimeCore
import TestSupport

extension SampleCall {
  /// A voice-like signal: pulses of a wandering pitch, or noise, through three resonators, in phrases with pauses.
  static func voice(pitch: Double, phrases: [ClosedRange<Double>], seed: UInt64) -> [Float] {
    var random = SeededRandom(seed: seed)
    let sampleRate = Double(rate.hertz)
    var samples = [Float](repeating: 0, count: Int(seconds * sampleRate))
    for phrase in phrases {
      var phase = 0.0
      var syllableEnd = phrase.lowerBound
      var resonators: [Resonator] = []
      var loudness = 0.0
      var isVoiced = true
      for index in Int(phrase.lowerBound * sampleRate)..<Int(phrase.upperBound * sampleRate) {
        let t = Double(index) / sampleRate
        if t >= syllableEnd {
          syllableEnd = t + Double.random(in: 0.11...0.26, using: &random)
          isVoiced = Double.random(in: 0...1, using: &random) < 0.8
          loudness = isVoiced ? .random(in: 0.45...1, using: &random) : 0.35
          let formants: [ClosedRange<Double>] =
            isVoiced ? [300...800, 900...2_200, 2_300...3_200] : [2_500...3_500, 4_000...5_500, 5_600...7_000]
          resonators = formants.map { Resonator(hertz: .random(in: $0, using: &random), sampleRate: sampleRate) }
        }
        phase += pitch * (1 + 0.13 * sin(2.1 * t) + 0.05 * sin(9 * t)) / sampleRate
        var source =
          isVoiced ? 0.012 * Double.random(in: -1...1, using: &random) : Double.random(in: -0.3...0.3, using: &random)
        if phase >= 1 {
          phase -= 1
          source += isVoiced ? 1.6 : 0
        }
        let envelope = loudness * min(1, (syllableEnd - t) / 0.06) * min(1, (t - phrase.lowerBound) / 0.03)
        var value = 0.0
        for place in resonators.indices { value += resonators[place].process(source) / Double(place + 1) }
        samples[index] = Float(tanh(envelope * value))
      }
    }
    return samples
  }

  /// Two poles at one frequency, 90 Hz wide.
  private struct Resonator {
    let a: Double
    let b: Double
    var x = 0.0
    var y = 0.0

    init(hertz: Double, sampleRate: Double) {
      let radius = exp(-Double.pi * 90 / sampleRate)
      a = 2 * radius * cos(2 * .pi * hertz / sampleRate)
      b = -radius * radius
    }

    mutating func process(_ input: Double) -> Double {
      let output = 0.25 * input + a * x + b * y
      (x, y) = (output, x)
      return output
    }
  }

  /// Squared magnitudes of lines 0...count / 2: radix-2 decimation in time, written plainly.
  static func powerSpectrum(_ frame: [Float]) -> [Float] {
    var re = frame
    var im = [Float](repeating: 0, count: frame.count)
    var target = 0
    for index in 1..<frame.count {
      var bit = frame.count >> 1
      while target & bit != 0 {
        target ^= bit
        bit >>= 1
      }
      target |= bit
      if index < target { re.swapAt(index, target) }
    }
    var half = 1
    while half < frame.count {
      for k in 0..<half {
        let angle = -Double.pi * Double(k) / Double(half)
        let (c, s) = (Float(cos(angle)), Float(sin(angle)))
        for i in stride(from: k, to: frame.count, by: 2 * half) {
          let j = i + half
          let (a, b) = (re[j] * c - im[j] * s, re[j] * s + im[j] * c)
          (re[j], im[j]) = (re[i] - a, im[i] - b)
          (re[i], im[i]) = (re[i] + a, im[i] + b)
        }
      }
      half *= 2
    }
    return (0...frame.count / 2).map { re[$0] * re[$0] + im[$0] * im[$0] }
  }
}
