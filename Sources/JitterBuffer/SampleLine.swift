import RealtimeCore

/// Samples in one piece: the last ones played (history), then those that wait to be played.
///
/// Stretch, search and concealment look at both sides of the playout point, so they lie in one buffer without a wrap.
struct SampleLine: ~Copyable {
  /// How many played samples are kept at least.
  let historyCount: Int
  /// How many samples can wait.
  let capacity: Int
  private(set) var buffer: SampleBuffer
  /// Index of the next sample to be played.
  private(set) var start: Int
  /// Index behind the last sample that waits.
  private(set) var end: Int

  /// - Parameters in samples. The history begins as silence.
  init(historyCount: Int, capacity: Int) {
    self.historyCount = historyCount
    self.capacity = capacity
    buffer = SampleBuffer(repeating: 0, count: 2 * (historyCount + capacity))
    start = historyCount
    end = historyCount
  }

  /// How many samples wait.
  var count: Int { @_noLocks get { end &- start } }

  /// All memory, for searches by absolute index; `start - historyCount ..< end` is meaningful.
  var samples: SampleView {
    @_noLocks @_lifetime(borrow self) get { buffer.view }
  }

  /// Puts samples `range` of `source` behind those that wait; what does not fit is left out.
  @_noLocks
  mutating func append(_ source: borrowing SampleBuffer, _ range: Range<Int>) {
    let taken = min(range.count, capacity &- count)
    makeRoom(taken)
    buffer.copy(source.view(range.lowerBound..<range.lowerBound &+ taken), to: end)
    end &+= taken
  }

  /// Puts `count` zeros behind the samples that wait.
  @_noLocks
  mutating func appendSilence(_ count: Int) {
    let taken = min(count, capacity &- self.count)
    makeRoom(taken)
    buffer.fill(end..<end &+ taken, with: 0)
    end &+= taken
  }

  /// Moves the next samples into `target` from `offset` on; they become history.
  @_noLocks
  mutating func take(_ count: Int, into target: inout MutableSpan<Float>, at offset: Int) {
    precondition(count <= end &- start)
    for index in 0..<count { target[offset &+ index] = buffer[start &+ index] }
    start &+= count
  }

  /// The next `count` samples become history.
  @_noLocks
  mutating func drop(_ count: Int) {
    precondition(count <= end &- start)
    start &+= count
  }

  /// Forgets the last samples so that `count` wait.
  @_noLocks
  mutating func truncate(to count: Int) {
    end = start &+ min(count, self.count)
  }

  /// Lets the next `count` samples at most fade to silence, and forgets those behind them.
  @_noLocks
  mutating func fadeOut(within count: Int) {
    truncate(to: count)
    let left = self.count
    for index in 0..<left { buffer[start &+ index] *= 1 - (Float(index) + 0.5) / Float(left) }
  }

  /// Scales sample `index` (absolute) by `gain`.
  @_noLocks
  mutating func scale(_ index: Int, by gain: Float) { buffer[index] *= gain }

  /// Sets sample `index` (absolute).
  @_noLocks
  mutating func set(_ index: Int, to value: Float) { buffer[index] = value }

  /// Removes `count` waiting samples from `index` (absolute) on; the ones behind move up.
  @_noLocks
  mutating func remove(_ count: Int, at index: Int) {
    precondition(index >= start && index &+ count <= end)
    buffer.move(index &+ count..<end, to: index)
    end &-= count
  }

  /// Opens a hole of `count` samples at `index` (absolute); the ones behind move down. Nothing happens without room.
  /// - Returns: how far indices have moved meanwhile, or `nil` when there was no room.
  @_noLocks
  mutating func openHole(_ count: Int, at index: Int) -> Int? {
    guard self.count &+ count <= capacity else { return nil }
    let before = start
    makeRoom(count)
    let moved = start &- before
    let place = index &+ moved
    buffer.move(place..<end, to: place &+ count)
    end &+= count
    return moved
  }

  /// Brings the history and what waits to the front when `count` more would not fit.
  @_noLocks
  private mutating func makeRoom(_ count: Int) {
    guard end &+ count > buffer.count else { return }
    let first = start &- historyCount
    buffer.move(first..<end, to: 0)
    start = historyCount
    end &-= first
  }
}
