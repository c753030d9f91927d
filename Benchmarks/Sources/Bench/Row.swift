/// One line of the results: what one contender did at one task.
struct Row: Encodable {
  /// The table this line belongs to.
  let group: String
  let task: String
  let contender: String
  /// What `median` to `worst` are counted in.
  let unit: String
  let median: Double
  /// Of single calls; `nil` where a round gives one figure only.
  var p99: Double?
  var p999: Double?
  var worst: Double?
  /// Median of the worst and of the best round.
  var lowestRound: Double?
  var highestRound: Double?
  /// Median time of a call over the time its audio lasts.
  var shareOfRealTime: Double?
  /// Allocations, reallocations and frees per call.
  var heapOperationsPerCall: Double?
  /// What the coding itself adds, look-ahead included, before any network.
  var algorithmicDelayMilliseconds: Double?
  /// Our median over this contender's, round by round.
  var oursOverThis: Ratio?
  /// A figure of quality where speed alone would say little.
  var note: String?
}

/// A ratio of medians over the rounds.
struct Ratio: Encodable {
  let median: Double
  let lowest: Double
  let highest: Double

  /// Of figures that were measured in the same rounds, pairwise.
  init(_ ours: [Double], over theirs: [Double]) {
    let ratios = zip(ours, theirs).map { $0 / $1 }.sorted()
    median = percentile(ratios, 0.5)
    lowest = ratios[0]
    highest = ratios[ratios.count - 1]
  }
}

/// The value below which `fraction` of the sorted values lie (nearest rank).
func percentile<Value>(_ sorted: [Value], _ fraction: Double) -> Value {
  let rank = Int((fraction * Double(sorted.count)).rounded(.up)) - 1
  return sorted[max(0, min(sorted.count - 1, rank))]
}
