import RealtimeCore

/// The least of the last `window` values, at a constant mean cost.
///
/// Source: the monotonic queue; a value that is not below a newer one can never be the minimum again and is dropped.
struct SlidingMinimum: ~Copyable {
  struct Candidate: BitwiseCopyable, Sendable {
    var value: Int64 = 0
    var index = 0
  }

  private let window: Int
  private var candidates: FixedBuffer<Candidate>
  private var head = 0
  private var length = 0
  private var pushed = 0

  init(window: Int) {
    self.window = window
    candidates = FixedBuffer(repeating: Candidate(), count: window)
  }

  @_noLocks
  mutating func push(_ value: Int64) -> Int64 {
    while length > 0 && candidates[(head &+ length &- 1) % window].value >= value { length &-= 1 }
    if length > 0 && candidates[head].index &+ window <= pushed {
      head = (head &+ 1) % window
      length &-= 1
    }
    candidates[(head &+ length) % window] = Candidate(value: value, index: pushed)
    length &+= 1
    pushed &+= 1
    return candidates[head].value
  }

  @_noLocks
  mutating func reset() {
    head = 0
    length = 0
    pushed = 0
  }
}
