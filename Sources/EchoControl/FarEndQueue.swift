internal import RealtimeCore
internal import SignalProcessing

/// Far-end frames on their way to the adaptive filter: evens out how render and capture arrive, and holds the bulk delay.
///
/// A capture without a waiting far-end frame gets silence, and frames rendered later pair with later captures: what the
/// microphone recorded before a frame was handed over cannot hold its echo, so this stays causal. The other way round, a
/// surplus means that captures were lost or that the loudspeaker's clock is faster. It would let echoes arrive before
/// their cause, so what stays over for a whole second, beyond what was usual, is dropped.
struct FarEndQueue: ~Copyable {
  /// Frames that wait at most: 100 ms, more than any device hands over at once. A choice.
  static var longestQueue: Int { @_noLocks get { 10 } }
  /// Captures over which the shortest queue is sought: 1 s.
  static var watchLength: Int { @_noLocks get { 100 } }

  private var ring: Int16Samples
  private let capacity: Int
  private let frameSampleCount: Int
  private var writeIndex = 0
  private var readIndex = 0
  /// Samples by which reading lies behind the queue's front.
  private(set) var delay: Int
  private let longestDelay: Int
  /// Frames that wait now.
  private(set) var depth = 0
  private var hasStarted = false

  private var shortestDepth = Int.max
  private var watched = 0
  private var usualDepth = Int.max

  /// Frames dropped because more waited than may, or than was usual.
  private(set) var overrunCount = 0
  /// Captures that found no far-end frame, counted from the first `append` on.
  private(set) var underrunCount = 0

  init(frameSampleCount: Int, delay: Int, longestDelay: Int) {
    self.frameSampleCount = frameSampleCount
    self.delay = delay
    self.longestDelay = longestDelay
    let frames = (longestDelay + frameSampleCount - 1) / frameSampleCount + Self.longestQueue + 2
    capacity = frames * frameSampleCount  // whole frames, so that writing one never wraps
    ring = Int16Samples(count: capacity)
  }

  /// Adds one frame at the back; the oldest goes when too many wait.
  /// - Returns: how many samples were not finite, and were taken as 0.
  @_noLocks
  mutating func append(_ frame: borrowing SampleView) -> Int {
    hasStarted = true
    let unusable = ring.store(frame, at: writeIndex)
    advanceWriting()
    if depth > Self.longestQueue { drop(1) }
    return unusable
  }

  /// Takes the front frame, as it was `delay` samples earlier.
  @_noLocks
  mutating func next(into frame: inout Int16Samples) {
    if depth == 0 {
      if hasStarted { underrunCount &+= 1 }
      ring.clear(writeIndex..<writeIndex &+ frameSampleCount)
      advanceWriting()
    }
    var source = readIndex &- delay
    if source < 0 { source &+= capacity }
    for index in 0..<frameSampleCount {
      frame[index] = ring[source]
      source = source &+ 1 == capacity ? 0 : source &+ 1
    }
    advanceReading()
    watchSurplus()
  }

  /// Sets the bulk delay, in samples, limited to what there is room for.
  @_noLocks
  mutating func setDelay(_ samples: Int) { delay = min(max(0, samples), longestDelay) }

  /// Silence everywhere and an empty queue; counters go on.
  @_noLocks
  mutating func reset() {
    ring.clear(0..<capacity)
    (writeIndex, readIndex, depth) = (0, 0, 0)
    hasStarted = false
    (shortestDepth, watched, usualDepth) = (Int.max, 0, Int.max)
  }

  @_noLocks
  private mutating func advanceWriting() {
    writeIndex &+= frameSampleCount
    if writeIndex == capacity { writeIndex = 0 }
    depth &+= 1
  }

  @_noLocks
  private mutating func advanceReading() {
    readIndex &+= frameSampleCount
    if readIndex == capacity { readIndex = 0 }
    depth &-= 1
  }

  @_noLocks
  private mutating func drop(_ count: Int) {
    for _ in 0..<count { advanceReading() }
    overrunCount &+= count
  }

  /// Once a second: drops what waited throughout it and did not before.
  @_noLocks
  private mutating func watchSurplus() {
    guard hasStarted else { return }
    shortestDepth = min(shortestDepth, depth)
    watched &+= 1
    guard watched == Self.watchLength else { return }
    if shortestDepth > usualDepth { drop(shortestDepth &- usualDepth) } else { usualDepth = shortestDepth }
    (shortestDepth, watched) = (Int.max, 0)
  }
}
