internal import Foundation
public import RealtimeCore

extension CallReport.SpectrogramGrid {
  /// Window length for a sample rate: the power of two nearest 40 ms, which separates the harmonics of a voice.
  public static func windowSampleCount(for sampleRate: SampleRate) -> Int {
    1 << Int(log2(0.04 * Double(sampleRate.hertz)).rounded())
  }

  /// Analyses mono samples on a mel scale from 50 Hz to half the sample rate; 0 dB is a full-scale sine.
  /// - Parameters:
  ///   - powerSpectrum: squared magnitudes of the real Fourier transform of a frame of
  ///     ``windowSampleCount(for:)`` samples that is already windowed: lines 0...count / 2, not normalised.
  /// - Source: short-time Fourier transform, Hann window, hop of a quarter window or one column, whichever is longer.
  public init(
    of samples: [Float], sampleRate: SampleRate, startSeconds: Double = 0, binCount: Int = 96,
    floorDecibels: Double = -90, ceilingDecibels: Double = 0, powerSpectrum: ([Float]) throws -> [Float]
  ) rethrows {
    let length = Self.windowSampleCount(for: sampleRate)
    let window = (0..<length).map { Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(length))) }
    let gain = 2 / window.reduce(0, +)
    let axis = FrequencyAxis(.mel, lowestHertz: 50, highestHertz: Double(sampleRate.hertz) / 2)
    let bins = (0..<binCount).map { bin in
      let line = Double(length) / Double(sampleRate.hertz)
      return axis.hertz(at: Double(bin) / Double(binCount)) * line...axis.hertz(at: Double(bin + 1) / Double(binCount))
        * line
    }
    let columnCount = min(Self.maximumColumnCount, max(1, samples.count / (length / 4)))
    var decibels: [Float] = []
    decibels.reserveCapacity(columnCount * binCount)
    var frame = [Float](repeating: 0, count: length)
    for column in 0..<(samples.isEmpty ? 0 : columnCount) {
      let first = samples.count * (2 * column + 1) / (2 * columnCount) - length / 2
      for i in frame.indices {
        let sample = samples.indices.contains(first + i) ? samples[first + i] : 0
        frame[i] = sample.isFinite ? sample * window[i] : 0
      }
      let power = try powerSpectrum(frame)
      for bin in bins { decibels.append(10 * log10(Self.power(power, in: bin) * gain * gain)) }
    }
    self.init(
      decibels: decibels, binCount: binCount, axis: axis, startSeconds: startSeconds,
      durationSeconds: Double(samples.count) / Double(sampleRate.hertz), floorDecibels: floorDecibels,
      ceilingDecibels: ceilingDecibels)
  }

  /// The strongest line within a bin; between two lines where the bin is narrower than their distance.
  private static func power(_ lines: [Float], in bin: ClosedRange<Double>) -> Float {
    let first = Int(bin.lowerBound.rounded(.up))
    let last = min(Int(bin.upperBound), lines.count - 1)
    if first <= last { return lines[first...last].reduce(0, max) }
    let centre = (bin.lowerBound + bin.upperBound) / 2
    let below = min(Int(centre), lines.count - 1)
    let above = min(below + 1, lines.count - 1)
    return lines[below] + (lines[above] - lines[below]) * Float(centre - centre.rounded(.down))
  }
}
