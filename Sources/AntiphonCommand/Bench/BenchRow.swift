import Foundation

/// One line of the table.
struct BenchRow: Encodable {
  var name: String
  /// Of audio that one call handles; `nil` where a whole file was handled at once.
  var frameMilliseconds: Double?
  var medianMicroseconds: Double?
  var p99Microseconds: Double?
  var worstMicroseconds: Double?
  /// Of real time on one core, in percent.
  var sharePercent: Double
  var timesRealTime: Double

  /// A row from the time of each call.
  init(_ name: String, frameMilliseconds: Double, times: CallTimes) {
    self.name = name
    self.frameMilliseconds = frameMilliseconds
    let sorted = times.microseconds.sorted()
    medianMicroseconds = sorted.quantile(0.5)
    p99Microseconds = sorted.quantile(0.99)
    worstMicroseconds = sorted.last
    let mean = sorted.reduce(0, +) / Double(max(1, sorted.count))
    sharePercent = 100 * mean / (frameMilliseconds * 1_000)
    timesRealTime = 100 / max(1e-9, sharePercent)
  }

  /// A row from figures that were taken elsewhere.
  init(
    _ name: String, frameMilliseconds: Double? = nil, median: Double? = nil, p99: Double? = nil, worst: Double? = nil,
    sharePercent: Double
  ) {
    self.name = name
    self.frameMilliseconds = frameMilliseconds
    medianMicroseconds = median
    p99Microseconds = p99
    worstMicroseconds = worst
    self.sharePercent = sharePercent
    timesRealTime = 100 / max(1e-9, sharePercent)
  }

  static let heading =
    "".padding(toLength: 52, withPad: " ", startingAt: 0)
    + "  median µs    p99 µs  worst µs   % of core  x real time"

  var line: String {
    func number(_ value: Double?) -> String { value.map { String(format: "%10.1f", $0) } ?? "         –" }
    return name.padding(toLength: 52, withPad: " ", startingAt: 0) + " " + number(medianMicroseconds)
      + number(p99Microseconds) + number(worstMicroseconds)
      + String(format: "%12.3f%13.0f", sharePercent, timesRealTime)
  }
}

/// How long each of a number of calls took.
struct CallTimes {
  private(set) var microseconds: [Double] = []

  init(count: Int) { microseconds.reserveCapacity(count) }

  mutating func add(since start: ContinuousClock.Instant) {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    microseconds.append(Double(seconds) * 1e6 + Double(attoseconds) * 1e-12)
  }
}
