import RealtimeCore

/// Where played samples come from: counted for the statistics, and mapped to the sender's time.
enum SampleOrigin: Sendable, BitwiseCopyable {
  /// A received packet.
  case packet
  /// The low-rate copy in a later packet (in-band FEC).
  case redundancy
  /// Concealment.
  case concealment
  /// Concealment that has faded to nothing.
  case silentConcealment
  /// The decoder's noise in a pause of the sender.
  case comfortNoise
  /// Silence before the first packet or after a flush.
  case silence
}

/// A run of samples whose timestamps lie on a straight line.
struct TimelineSegment: BitwiseCopyable, Sendable {
  var count = 0
  /// Unwrapped timestamp of the first sample, in ticks.
  var timestamp: Int64 = 0
  /// Ticks from the first sample of this run to the first sample behind it; 0 while time stands still.
  var span: Int64 = 0
  var origin = SampleOrigin.silence
  /// When the packet arrived.
  var arrival = MediaInstant(nanoseconds: 0)

  @_noLocks
  init() {}

  @_noLocks
  init(
    count: Int, timestamp: Int64 = 0, span: Int64 = 0, origin: SampleOrigin = .silence,
    arrival: MediaInstant = MediaInstant(nanoseconds: 0)
  ) {
    self.count = count
    self.timestamp = timestamp
    self.span = span
    self.origin = origin
    self.arrival = arrival
  }
}

/// The origin and the timestamp of each sample that waits to be played, exact through stretch and concealment.
///
/// A queue of straight runs in a ring: one per decoded packet, one more per stretch.
struct PlayoutTimeline: ~Copyable {
  private var segments: FixedBuffer<TimelineSegment>
  private var head = 0
  private var length = 0

  init(capacity: Int = 256) {
    segments = FixedBuffer(repeating: TimelineSegment(), count: capacity)
  }

  /// Puts a run behind the others. When the ring is full the newest run is lengthened instead.
  @_noLocks
  mutating func append(_ segment: TimelineSegment) {
    guard segment.count > 0 else { return }
    guard length < segments.count else {
      let last = (head &+ length &- 1) % segments.count
      segments[last].count &+= segment.count
      segments[last].span = segment.timestamp &+ segment.span &- segments[last].timestamp
      return
    }
    segments[(head &+ length) % segments.count] = segment
    length &+= 1
  }

  /// The run that begins with the next sample; `nil` when none waits.
  var first: TimelineSegment? {
    @_noLocks get { length > 0 ? segments[head] : nil }
  }

  /// The timestamp right behind the last sample that waits; `nil` when none does.
  var end: Int64? {
    @_noLocks get {
      guard length > 0 else { return nil }
      let last = segments[(head &+ length &- 1) % segments.count]
      return last.timestamp &+ last.span
    }
  }

  /// Takes at most `limit` samples of one run from the front.
  @_noLocks
  mutating func takeFirst(_ limit: Int) -> TimelineSegment {
    precondition(length > 0 && limit > 0)
    var taken = segments[head]
    guard taken.count > limit else {
      head = (head &+ 1) % segments.count
      length &-= 1
      return taken
    }
    let span = taken.span &* Int64(limit) / Int64(taken.count)
    segments[head].count &-= limit
    segments[head].timestamp &+= span
    segments[head].span &-= span
    taken.count = limit
    taken.span = span
    return taken
  }

  /// Lets `newCount` samples stand for the first `oldCount` ones, over the same stretch of the sender's time.
  @_noLocks
  mutating func replaceFirst(_ oldCount: Int, with newCount: Int) {
    precondition(oldCount > 0 && newCount > 0)
    guard let start = first else { return }
    var merged = start
    merged.count = newCount
    merged.span = 0
    var rest = oldCount
    while rest > 0 && length > 0 {
      let part = takeFirst(rest)
      rest &-= part.count
      merged.span = part.timestamp &+ part.span &- merged.timestamp
    }
    // A run was taken or shortened, so a place at the front is free or made free by the first run's own end.
    if length == segments.count {
      segments[head].count &+= newCount
      return
    }
    head = (head &+ segments.count &- 1) % segments.count
    segments[head] = merged
    length &+= 1
  }

  /// Forgets the last samples so that `count` are left.
  @_noLocks
  mutating func truncate(to count: Int) {
    var kept = 0
    var position = 0
    while position < length && kept < count {
      let index = (head &+ position) % segments.count
      let room = count &- kept
      if segments[index].count > room {
        segments[index].span = segments[index].span &* Int64(room) / Int64(segments[index].count)
        segments[index].count = room
      }
      kept &+= segments[index].count
      position &+= 1
    }
    length = position
  }
}
