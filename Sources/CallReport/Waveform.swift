public import Foundation
public import RealtimeCore

extension CallReport {
  /// A signal's outline: lowest and highest sample and RMS of each column.
  public struct Waveform: Codable, Equatable, Sendable {
    /// Columns, at most ``CallReport/maximumPointCount``, evenly spread over `durationSeconds`.
    public let columnCount: Int
    /// Where the first column begins, in seconds.
    public let startSeconds: Double
    /// What all columns cover, in seconds.
    public let durationSeconds: Double
    /// For each column minimum, maximum, RMS as little-endian 16-bit integers, 32767 being full scale.
    public let peaks: Data

    /// Outlines mono samples in -1...1; what is no number counts as silence.
    public init(_ samples: [Float], sampleRate: SampleRate, startSeconds: Double = 0) {
      let columnCount = min(samples.count, CallReport.maximumPointCount)
      var peaks = Data(capacity: 6 * columnCount)
      for column in 0..<columnCount {
        let part = samples[samples.count * column / columnCount..<samples.count * (column + 1) / columnCount]
        var low = Float.infinity
        var high = -Float.infinity
        var energy: Float = 0
        for sample in part {
          let sample = sample.isFinite ? sample : 0
          low = min(low, sample)
          high = max(high, sample)
          energy += sample * sample
        }
        for value in [low, high, (energy / Float(part.count)).squareRoot()] {
          let bits = UInt16(bitPattern: value.asInt16)
          peaks.append(UInt8(truncatingIfNeeded: bits))
          peaks.append(UInt8(truncatingIfNeeded: bits >> 8))
        }
      }
      self.columnCount = columnCount
      self.startSeconds = startSeconds.finite ?? 0
      durationSeconds = Double(samples.count) / Double(sampleRate.hertz)
      self.peaks = peaks
    }
  }
}
