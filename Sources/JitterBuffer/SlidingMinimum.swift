import RealtimeCore

/// The least of the values of the last `window` steps, at a constant mean cost.
///
/// Source: the monotonic queue; a value that is not below a newer one can never be the minimum again and is dropped.
struct SlidingMinimum: ~Copyable {
  struct Candidate: BitwiseCopyable, Sendable {
    var value: Int64 = 0
    var step = 0
  }

  private let window: Int
  private var candidates: FixedBuffer<Candidate>
  private var head = 0
  private var length = 0
  private var step = 0

  init(window: Int) {
    self.window = window
    candidates = FixedBuffer(repeating: Candidate(), count: window)
  }

  /// Takes a value.
  /// - Parameter startsStep: false for one that belongs to the same step as the value before.
  /// - Returns: the least value of the last `window` steps.
  @_noLocks
  mutating func push(_ value: Int64, startsStep: Bool = true) -> Int64 {
    if startsStep { step &+= 1 }
    if length > 0 && candidates[head].step &+ window <= step {
      head = (head &+ 1) % window
      length &-= 1
    }
    while length > 0 && candidates[(head &+ length &- 1) % window].value >= value { length &-= 1 }
    // One candidate a step is enough, so the queue never outgrows the window.
    let isCovered = length > 0 && candidates[(head &+ length &- 1) % window].step == step
    if !isCovered {
      candidates[(head &+ length) % window] = Candidate(value: value, step: step)
      length &+= 1
    }
    return candidates[head].value
  }

  @_noLocks
  mutating func reset() {
    head = 0
    length = 0
    step = 0
  }
}
