import AudioCodecs
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// The talker of `testdata/speech/agent.wav`: 16-bit mono, 16 kHz.
func speech() throws -> [Float] {
  let file = try Data(contentsOf: testdata.appendingPathComponent("speech/agent.wav"))
  let header = try #require(file.range(of: Data("data".utf8)))
  let samples = file[(header.upperBound + 4)...]
  return stride(from: samples.startIndex, to: samples.endIndex - 1, by: 2).map { i in
    Float(Int16(bitPattern: UInt16(samples[i]) | UInt16(samples[i + 1]) << 8)) / 32_768
  }
}

/// A vowel: harmonics of a fundamental that glides over `pitch`, under three formants, with a syllable rhythm.
func vowel(sampleRate: SampleRate, seconds: Double, pitch: ClosedRange<Double> = 110...140) -> [Float] {
  let rate = Double(sampleRate.hertz)
  var phase = 0.0
  return (0..<Int(rate * seconds)).map { i in
    let time = Double(i) / rate
    let glide = 0.5 + 0.5 * sin(2 * .pi * 0.7 * time)
    let fundamental = pitch.lowerBound + (pitch.upperBound - pitch.lowerBound) * glide
    phase += 2 * .pi * fundamental / rate
    var sample = 0.0
    for harmonic in 1...40 where fundamental * Double(harmonic) < min(rate / 2, 4_000) {
      let frequency = fundamental * Double(harmonic)
      let formants = [(500.0, 1.0), (1_500.0, 0.5), (2_500.0, 0.25)].reduce(0.0) { sum, formant in
        sum + formant.1 / (1 + pow((frequency - formant.0) / 120, 2))
      }
      sample += formants * sin(Double(harmonic) * phase)
    }
    return Float(0.12 * sample * (0.7 + 0.3 * sin(2 * .pi * 3 * time)))
  }
}

/// Samples by which `later` lags behind `earlier`: the maximum of their cross-correlation.
func delay(of later: [Float], behind earlier: [Float], atMost limit: Int) -> Int {
  let count = min(earlier.count, later.count) - limit
  var best = (lag: 0, score: -Double.infinity)
  for lag in 0...limit {
    var score = 0.0
    for i in 0..<count { score += Double(earlier[i]) * Double(later[i + lag]) }
    if score > best.score { best = (lag, score) }
  }
  return best.lag
}

/// Normalised correlation of two signals of equal length.
func correlation(_ a: [Float], _ b: [Float]) -> Double {
  var (ab, aa, bb) = (0.0, 1e-20, 1e-20)
  for (x, y) in zip(a, b) {
    ab += Double(x) * Double(y)
    aa += Double(x) * Double(x)
    bb += Double(y) * Double(y)
  }
  return ab / (aa * bb).squareRoot()
}

/// Mean over 20 ms segments above -50 dBFS of the SNR in dB, each within -10...35.
func segmentalSignalToNoise(_ signal: [Float], _ other: [Float], sampleRate: SampleRate) -> Double {
  let size = sampleRate.sampleCount(milliseconds: 20)
  var sum = 0.0
  var count = 0
  for start in stride(from: 0, to: min(signal.count, other.count) - size, by: size) {
    let segment = Array(signal[start..<start + size])
    guard powerDecibels(segment) > -50 else { continue }
    sum += min(35, max(-10, signalToNoise(segment, Array(other[start..<start + size]))))
    count += 1
  }
  return count == 0 ? -10 : sum / Double(count)
}

/// Foundation's functions for files that need no more of it.
func cosine(_ angle: Double) -> Double { cos(angle) }
func decibels(_ power: Double) -> Double { 10 * log10(power + 1e-20) }
