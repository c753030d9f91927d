internal import RealtimeCore

/// A first-in, first-out queue of samples inside one thread, whose front always lies in one piece.
///
/// It turns blocks of any size into frames of the size that a stage wants. Samples stay where they are until the room at
/// the end runs out; then the rest moves to the front, at most once a frame.
struct SampleQueue: ~Copyable {
  private var samples: SampleBuffer
  private var start = 0
  private var end = 0

  /// Room for `capacity` samples.
  init(capacity: Int) {
    // Twice the room, so that a full queue moves only every other time it is filled.
    samples = SampleBuffer(repeating: 0, count: 2 * capacity)
  }

  /// Samples in the queue.
  var count: Int { @_noLocks get { end &- start } }

  /// Samples that can still be appended.
  var freeCount: Int { @_noLocks get { samples.count &- count } }

  /// Appends as many of `block` as there is room for; returns how many.
  @_noLocks
  mutating func append(_ block: borrowing SampleView) -> Int {
    let taken = min(block.count, freeCount)
    makeRoom(for: taken)
    samples.copy(block.extracting(0..<taken), to: end)
    end &+= taken
    return taken
  }

  /// Room for `count` samples at the end, to be filled in place and then added with `commit(_:)`; fewer when the queue
  /// is fuller.
  @_noLocks
  @_lifetime(&self)
  mutating func freeSpan(_ count: Int) -> MutableSpan<Float> {
    let granted = min(count, freeCount)
    makeRoom(for: granted)
    return samples.mutableSpan(end..<end &+ granted)
  }

  /// Adds the first `count` samples of `freeSpan` to the queue.
  @_noLocks
  mutating func commit(_ count: Int) {
    precondition(count >= 0 && count <= samples.count &- end)
    end &+= count
  }

  /// The oldest `count` samples; traps when there are fewer.
  @_noLocks
  @_lifetime(borrow self)
  func front(_ count: Int) -> SampleView {
    precondition(count <= end &- start)
    return samples.view(start..<start &+ count)
  }

  /// The oldest `count` samples, to be changed in place; traps when there are fewer.
  @_noLocks
  @_lifetime(&self)
  mutating func mutableFront(_ count: Int) -> MutableSpan<Float> {
    precondition(count <= end &- start)
    return samples.mutableSpan(start..<start &+ count)
  }

  /// Removes the oldest `count` samples; traps when there are fewer.
  @_noLocks
  mutating func removeFront(_ count: Int) {
    precondition(count >= 0 && count <= end &- start)
    start &+= count
    if start == end {
      start = 0
      end = 0
    }
  }

  /// Moves the oldest samples to `target`, as many as both have; returns how many.
  @_noLocks
  mutating func move(into target: inout MutableSpan<Float>) -> Int {
    let room = target.count
    let moved = min(room, count)
    front(moved).copy(into: &target)
    removeFront(moved)
    return moved
  }

  @_noLocks
  private mutating func makeRoom(for count: Int) {
    guard end &+ count > samples.count else { return }
    samples.move(start..<end, to: 0)
    end &-= start
    start = 0
  }
}
