import RealtimeCore

/// How often packets are how late: a histogram that forgets.
///
/// Every packet adds the same weight and the older ones fade, so that about `memory` packets count. Until that many have
/// been seen the mean is over all of them.
struct LatenessHistogram: ~Copyable {
  /// Width of a bin, in nanoseconds: 2 ms.
  static var binWidth: Int64 { @_noLocks get { 2_000_000 } }
  private var weights: FixedBuffer<Float>
  private let memory: Float
  private var seen: Float = 0

  /// - Parameter memory: how many packets count, 2 or more.
  /// - Parameter binCount: bins of 2 ms; later packets all fall into the last one.
  init(memory: Int, binCount: Int) {
    self.memory = Float(memory)
    weights = FixedBuffer(repeating: 0, count: binCount)
  }

  /// Counts a packet `lateness` nanoseconds behind the fastest.
  @_noLocks
  mutating func add(lateness: Int64) {
    seen = min(memory, seen + 1)
    let gain = 1 / seen
    let last = weights.count &- 1
    for bin in 0...last { weights[bin] *= 1 - gain }
    let bin = Int(min(Int64(last), max(0, lateness) / Self.binWidth))
    weights[bin] += gain
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    seen = 0
    let count = weights.count
    weights.fill(0..<count, with: 0)
  }

  /// The delay with the least cost, in nanoseconds, where the cost is the delay plus `latePrice` nanoseconds times the
  /// share of packets that would come late.
  ///
  /// A quantile would buy the last late packet at any price; here one stall of 500 ms, which no bearable delay would
  /// have hidden, does not move the target, while frequent small lateness does.
  @_noLocks
  func cheapestDelay(latePrice: Float) -> Int64 {
    let count = weights.count
    let width = Float(Self.binWidth)
    var late: Float = 0
    var best = count &- 1
    var leastCost = Float.infinity
    // From the longest delay down; `late` is the share of packets behind the upper edge of the bin. The last bin has no
    // upper edge: what lies there is late whatever is chosen.
    var bin = count &- 1
    while bin >= 0 {
      let cost = Float(bin &+ 1) * width + latePrice * late
      if cost <= leastCost {
        leastCost = cost
        best = bin
      }
      late += weights[bin]
      bin &-= 1
    }
    // All packets of a steady network lie in the first bin, where half of it is enough.
    return best == 0 ? Self.binWidth / 2 : Int64(best &+ 1) &* Self.binWidth
  }
}
