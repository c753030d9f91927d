/// Values at even steps of time in bounded memory: when there are too many, neighbours are merged and the step doubles.
struct SeriesRecorder {
  /// How two neighbours become one.
  enum Merge { case mean, maximum, sum }

  private(set) var values: [Float] = []
  private(set) var intervalSeconds: Double
  private let merge: Merge
  private var pending: [Float] = []
  private var perValue = 1
  private static let capacity = 4_000

  init(intervalSeconds: Double, _ merge: Merge = .mean) {
    self.intervalSeconds = intervalSeconds
    self.merge = merge
  }

  mutating func append(_ value: Double) {
    pending.append(Float(value))
    guard pending.count == perValue else { return }
    values.append(merged(pending))
    pending.removeAll(keepingCapacity: true)
    if values.count == Self.capacity {
      values = stride(from: 0, to: values.count, by: 2).map { merged([values[$0], values[$0 + 1]]) }
      perValue *= 2
      intervalSeconds *= 2
    }
  }

  private func merged(_ values: [Float]) -> Float {
    switch merge {
    case .mean: values.reduce(0, +) / Float(values.count)
    case .maximum: values.max() ?? 0
    case .sum: values.reduce(0, +)
    }
  }
}
