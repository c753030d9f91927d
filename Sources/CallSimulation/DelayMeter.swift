import Foundation
internal import RealtimeCore
public import SignalProcessing

/// Measures by how much one recording lags behind another, over time: normalised cross-correlation of windows of active
/// sound. It trusts nothing that the stages between report of themselves, and gives no reading where sound that repeats
/// itself, such as a tone, fits as well at another delay.
public struct DelayMeter: ~Copyable {
  /// One window's delay.
  public struct Reading: Sendable, Equatable {
    /// Where the window begins in the first recording, in seconds.
    public let time: Double
    /// How much later it appears in the second, in milliseconds.
    public let milliseconds: Double
    /// How alike both are, 0...1.
    public let correlation: Double
  }

  private static let windowSeconds = 0.24
  private static let hopSeconds = 0.24
  /// Another peak of so much of the best one's height makes a window ambiguous. A choice: voices' pitch stays below it.
  private static let rivalShare: Float = 0.97

  private let sampleRate: Double
  private let windowSampleCount: Int
  private let longestLag: Int
  private var transform: PreferredRealFFT
  private var samples: SampleBuffer
  private var product: SampleBuffer
  private var spectrum: SampleBuffer
  private var sums: SampleBuffer

  /// For recordings at `sampleRate` hertz (8,000 and 16,000 are exact enough and quick) and lags up to one second.
  public init(sampleRate: Int, longestMilliseconds: Double = 1_000) throws(SignalProcessingError) {
    self.sampleRate = Double(sampleRate)
    windowSampleCount = Int(Self.windowSeconds * Double(sampleRate))
    longestLag = Int(longestMilliseconds * Double(sampleRate) / 1_000)
    var length = 64
    while length < 2 * windowSampleCount + longestLag { length *= 2 }
    transform = try PreferredRealFFT(length: length)
    samples = SampleBuffer(repeating: 0, count: length)
    sums = SampleBuffer(repeating: 0, count: length)
    product = SampleBuffer(repeating: 0, count: length + 2)
    spectrum = SampleBuffer(repeating: 0, count: length + 2)
  }

  /// The delay of `second` behind `first` in every window of `first` that holds sound; windows without a likeness of at
  /// least `threshold` are left out.
  public mutating func measure(_ first: [Float], _ second: [Float], threshold: Double = 0.6) -> [Reading] {
    let loudest = first.reduce(Float(0)) { max($0, abs($1)) }
    guard loudest > 0 else { return [] }
    let hop = Int(Self.hopSeconds * sampleRate)
    var readings: [Reading] = []
    var start = 0
    while start + windowSampleCount <= first.count {
      let energy = first[start..<start + windowSampleCount].reduce(0.0) { $0 + Double($1) * Double($1) }
      let isActive = (energy / Double(windowSampleCount)).squareRoot() > 0.05 * Double(loudest)
      if isActive, let reading = read(first, second, at: start, energy: energy), reading.correlation >= threshold {
        readings.append(reading)
      }
      start += hop
    }
    return readings
  }

  /// Whether the likenesses in `sums` have a peak nearly as high as the one at `best`, beyond the dips on its two sides.
  private func hasRival(to best: Int) -> Bool {
    let (dip, rival) = (0.5 * sums[best], Self.rivalShare * sums[best])
    var (low, high) = (best, best)
    while low >= 0, sums[low] > dip { low -= 1 }
    while high < longestLag, sums[high] > dip { high += 1 }
    for lag in 0..<longestLag where (lag < low || lag > high) && sums[lag] >= rival { return true }
    return false
  }

  private mutating func read(_ first: [Float], _ second: [Float], at start: Int, energy: Double) -> Reading? {
    let length = samples.count
    let reach = windowSampleCount + longestLag
    for index in 0..<length {
      samples[index] = index < windowSampleCount ? first[start + index] : 0
    }
    transform.forward(samples, into: &product)
    for index in 0..<length {
      samples[index] = index < reach && start + index < second.count ? second[start + index] : 0
    }
    transform.forward(samples, into: &spectrum)
    for bin in stride(from: 0, to: length + 2, by: 2) {
      let (a, b) = (product[bin], product[bin + 1])
      let (c, d) = (spectrum[bin], spectrum[bin + 1])
      product[bin] = a * c + b * d
      product[bin + 1] = a * d - b * c
    }
    transform.inverse(product, into: &sums)

    // The second recording's energy under the window, kept up to date lag by lag.
    var under = 0.0
    var all = 0.0
    for index in 0..<reach { all += Double(samples[index]) * Double(samples[index]) }
    for index in 0..<windowSampleCount { under += Double(samples[index]) * Double(samples[index]) }
    var best = (lag: 0, likeness: 0.0)
    for lag in 0..<longestLag {
      // Over silence the transform's rounding would be divided by next to nothing.
      let likeness = under > 1e-5 * all ? Double(sums[lag]) / (energy * under).squareRoot() : 0
      if likeness > best.likeness { best = (lag, likeness) }
      sums[lag] = Float(likeness)
      let (old, new) = (Double(samples[lag]), Double(samples[lag + windowSampleCount]))
      under = max(0, under - old * old + new * new)
    }
    guard best.likeness > 0, !hasRival(to: best.lag) else { return nil }
    return Reading(
      time: Double(start) / sampleRate, milliseconds: 1_000 * Double(best.lag) / sampleRate,
      correlation: min(1, best.likeness))
  }
}
