internal import CKernels
import RealtimeCore

/// How much faster or slower the sender's clock runs than the receiver's, from the fastest packets over a minute.
///
/// Every 2 s the least transit is noted; a straight line through the last 30 of them (least squares) has the drift as its
/// slope. It is believed only when the points lie near the line and the slope stands clear of their scatter: a network
/// that fills and drains moves the least transit far more than any crystal does, but not along a line.
/// - Source: the convex-hull and line fits of Moon, Skelly & Towsley 1999, with block minima instead of a hull.
struct DriftEstimator: ~Copyable {
  /// Ticks of the sender in one of the receiver, less one; 0 as long as nothing is known.
  private(set) var drift = 0.0
  private var minima = FixedBuffer<Double>(repeating: 0, count: blockCapacity)
  private var times = FixedBuffer<Double>(repeating: 0, count: blockCapacity)
  private var blockCount = 0
  private var blockStart = MediaInstant(nanoseconds: 0)
  private var origin = MediaInstant(nanoseconds: 0)
  private var least = Int64.max
  private var leastAt = MediaInstant(nanoseconds: 0)
  private var isRunning = false

  private static var blockCapacity: Int { @_noLocks get { 30 } }
  private static var blockLength: Int64 { @_noLocks get { 2_000_000_000 } }
  /// Blocks before the first answer: 16 s.
  private static var leastBlocks: Int { @_noLocks get { 8 } }
  /// Crystals are good to 100 ppm; sound cards that lie about their rate to some hundreds.
  private static var greatestDrift: Double { @_noLocks get { 1e-3 } }
  /// Scatter around the line above which it is none: 2 ms.
  private static var greatestScatter: Double { @_noLocks get { 2e-3 } }

  init() {}

  /// Takes the transit of a packet, in nanoseconds.
  @_noLocks
  mutating func note(transit: Int64, at now: MediaInstant) {
    if !isRunning {
      isRunning = true
      origin = now
      blockStart = now
    }
    if transit < least {
      least = transit
      leastAt = now
    }
    guard now.nanoseconds(since: blockStart) >= Self.blockLength else { return }
    let slot = blockCount % Self.blockCapacity
    minima[slot] = Double(least) * 1e-9
    times[slot] = Double(leastAt.nanoseconds(since: origin)) * 1e-9
    blockCount &+= 1
    blockStart = now
    least = .max
    if blockCount >= Self.leastBlocks { fit() }
  }

  @_noLocks
  private mutating func fit() {
    let count = min(blockCount, Self.blockCapacity)
    let n = Double(count)
    var (meanTime, meanLeast) = (0.0, 0.0)
    for index in 0..<count {
      meanTime += times[index] / n
      meanLeast += minima[index] / n
    }
    var (covariance, variance) = (0.0, 0.0)
    for index in 0..<count {
      let time = times[index] - meanTime
      covariance += time * (minima[index] - meanLeast)
      variance += time * time
    }
    guard variance > 0 else { return }
    let slope = covariance / variance
    var residual = 0.0
    for index in 0..<count {
      let error = minima[index] - meanLeast - slope * (times[index] - meanTime)
      residual += error * error
    }
    let scatter = antiphon_sqrt(residual / n)
    let uncertainty = antiphon_sqrt(residual / (n - 2) / variance)
    guard scatter < Self.greatestScatter && uncertainty < 1e-5 else { return }
    // A slow sender's packets take ever longer by our clock.
    let found = max(-Self.greatestDrift, min(Self.greatestDrift, -slope))
    let size = found < 0 ? -found : found
    // Below 5 ppm, and below three times its own uncertainty, it is none.
    drift = size > 5e-6 && size > 3 * uncertainty ? found : 0
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    drift = 0
    blockCount = 0
    least = .max
    isRunning = false
  }
}
