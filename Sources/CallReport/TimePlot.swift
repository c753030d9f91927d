internal import Foundation

extension CallReport {
  /// Quantities of one unit over time, in one picture.
  public struct TimePlot: Codable, Equatable, Sendable {
    /// What it shows: `Playout delay`.
    public var title: String
    /// `ms`, `dB`.
    public var unit: String
    /// Lower end of the vertical axis; `nil` fits the data.
    public var minimum: Double?
    /// Upper end of the vertical axis; `nil` fits the data.
    public var maximum: Double?
    /// What a reader has to know of it: why there are gaps.
    public var note: String?
    /// The lines.
    public var series: [TimeSeries]

    /// A picture of `series`.
    public init(
      _ title: String, unit: String, minimum: Double? = nil, maximum: Double? = nil, note: String? = nil,
      series: [TimeSeries]
    ) {
      self.title = title
      self.unit = unit
      self.minimum = minimum?.finite
      self.maximum = maximum?.finite
      self.note = note
      self.series = series
    }
  }

  /// One quantity over time.
  public struct TimeSeries: Codable, Equatable, Sendable {
    /// How it is drawn.
    public enum Style: String, Codable, Sendable {
      /// Straight from value to value.
      case line
      /// The same, with the area below it tinted.
      case area
      /// Each value holds until the next.
      case step
      /// Single values.
      case points
    }

    /// Its name in the legend.
    public let name: String
    /// How it is drawn.
    public let style: Style
    /// When, in seconds, ascending.
    public let times: [Double]
    /// What; `nil` is a gap.
    public let values: [Float?]

    /// A quantity measured at `times`.
    ///
    /// Of more than ``CallReport/maximumPointCount`` points, the lowest and highest of each short stretch stay, so
    /// that no spike is lost.
    /// - Parameters:
    ///   - times: seconds, ascending, as many as `values`; points whose time is no number are dropped.
    ///   - values: what is no finite number becomes a gap.
    public init(_ name: String, style: Style = .line, times: [Double], values: [Float]) {
      precondition(times.count == values.count, "\(times.count) times for \(values.count) values")
      let points = zip(times, values).filter { $0.0.isFinite }
      let kept = Self.extremes(of: points.map(\.1), limit: CallReport.maximumPointCount)
      self.name = name
      self.style = style
      self.times = kept.map { points[$0].0.onTimeGrid }
      self.values = kept.map { points[$0].1.isFinite ? points[$0].1 : nil }
    }

    /// A quantity measured at even steps.
    public init(
      _ name: String, style: Style = .line, startSeconds: Double = 0, intervalSeconds: Double, values: [Float]
    ) {
      let times = values.indices.map { startSeconds + intervalSeconds * Double($0) }
      self.init(name, style: style, times: times, values: values)
    }

    /// Indices of the lowest and highest value of each stretch, in order; of a stretch that is all gap, one.
    private static func extremes(of values: [Float], limit: Int) -> [Int] {
      guard values.count > limit else { return Array(values.indices) }
      let stretches = limit / 2
      return (0..<stretches).flatMap { stretch -> [Int] in
        let range = values.count * stretch / stretches..<values.count * (stretch + 1) / stretches
        let measured = range.filter { values[$0].isFinite }
        guard let low = measured.min(by: { values[$0] < values[$1] }),
          let high = measured.max(by: { values[$0] < values[$1] })
        else { return [range.lowerBound] }
        return low == high ? [low] : [min(low, high), max(low, high)]
      }
    }
  }
}
