import Foundation
import RealtimeCore
import Rivals
import Synchronization

/// Rings of 4,096 samples between two pinned threads, waiting by spinning: samples per second in blocks of 1, 48 and
/// 480, and the round trip of one sample over two rings. Ours beside boost's and JACK's, taking turns.
func ringRows(_ options: Options) -> [Row] {
  let rounds = options.isQuick ? 3 : 11
  let scale = options.isQuick ? 8 : 1
  let tasks: [RingTask] = [
    .throughput(block: 1, count: 24_000_000 / scale),
    .throughput(block: 48, count: 96_000_000 / scale / 48 * 48),
    .throughput(block: 480, count: 240_000_000 / scale / 480 * 480),
    .roundTrip(turns: 400_000 / scale),
  ]
  return tasks.flatMap { task in
    var figures = [[Double]](repeating: [], count: RingContender.allCases.count)
    for round in -1..<rounds {
      // Every second round runs backwards, so that none always follows the same neighbour.
      let order = RingContender.allCases.enumerated().map { $0 }
      for (place, contender) in round % 2 == 0 ? order : order.reversed() {
        let figure = contender.measure(task)
        if round >= 0 { figures[place].append(figure) }  // round -1 warms up
      }
    }
    return RingContender.allCases.enumerated().map { place, contender in
      let sorted = figures[place].sorted()
      return Row(
        group: BenchmarkGroup.rings.rawValue, task: task.name, contender: contender.rawValue, unit: task.unit,
        median: percentile(sorted, 0.5), lowestRound: sorted[0], highestRound: sorted[sorted.count - 1],
        oursOverThis: place == 0 ? nil : Ratio(figures[0], over: figures[place]))
    }
  }
}

private enum RingTask {
  case throughput(block: Int, count: Int)
  case roundTrip(turns: Int)

  var name: String {
    switch self {
    case .throughput(let block, _): "block \(block)"
    case .roundTrip: "round trip"
    }
  }

  var unit: String {
    switch self {
    case .throughput: "M samples/s"
    case .roundTrip: "ns"
    }
  }
}

private enum RingContender: String, CaseIterable {
  case ours = "SampleRing"
  case boost = "boost spsc_queue"
  case jack = "jack_ringbuffer"

  /// Millions of samples per second, or nanoseconds per turn.
  func measure(_ task: RingTask) -> Double {
    let (here, there) = (0, 1)
    switch (self, task) {
    case (.ours, .throughput(let block, let count)):
      return OurRing.throughput(here, there, block: block, count: count) / 1e6
    case (.ours, .roundTrip(let turns)):
      return OurRing.roundTrip(here, there, turns: turns)
    case (_, .throughput(let block, let count)):
      let rate = rival_ring_throughput(rival, Int32(here), Int32(there), block, count)
      precondition(rate > 0, "\(rawValue): samples came out in the wrong order")
      return rate / 1e6
    case (_, .roundTrip(let turns)):
      return rival_ring_round_trip(rival, Int32(here), Int32(there), turns)
    }
  }

  private var rival: RivalRing { self == .boost ? RIVAL_RING_BOOST : RIVAL_RING_JACK }
}
