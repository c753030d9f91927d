import RealtimeCore

/// What was played when: from an output sample back to the sender's time, and the marks on that time.
///
/// The way back is a list of straight runs of the last output. Neighbours on one line are merged, so that unstretched
/// speech is one run however long it is; 512 runs hold at least the last 5 s of the most broken call.
struct PlayoutRecord: ~Copyable {
  struct Run: BitwiseCopyable, Sendable {
    var firstSample: Int64 = 0
    var count: Int64 = 0
    var timestamp: Int64 = 0
    var span: Int64 = 0
    var isSilence = true

    @_noLocks
    init() {}
  }

  struct WaitingMark: BitwiseCopyable, Sendable {
    var id = 0
    var timestamp: Int64 = 0

    @_noLocks
    init() {}
  }

  /// How many marks wait at most, and how many reached ones can wait to be asked for.
  static var markCapacity: Int { @_noLocks get { 64 } }
  private static var runCapacity: Int { @_noLocks get { 512 } }
  /// Longer runs begin anew, so that no product of two lengths overflows.
  private static var longestRun: Int64 { @_noLocks get { 1 << 28 } }

  /// Samples given out so far.
  private(set) var sampleCount: Int64 = 0
  private var runs = FixedBuffer<Run>(repeating: Run(), count: runCapacity)
  private var written = 0
  private var marks = FixedBuffer<WaitingMark>(repeating: WaitingMark(), count: markCapacity)
  private var markCount = 0
  private var reached = FixedBuffer<PlayoutMark>(
    repeating: PlayoutMark(id: 0, outputSample: 0, wasHeard: false), count: 2 * markCapacity)
  private var reachedWritten = 0
  private var reachedTaken = 0

  init() {}

  /// Notes the next samples of the output: `count` of them, which carry `segment`.
  @_noLocks
  mutating func note(_ segment: TimelineSegment, outputCount count: Int) {
    guard count > 0 else { return }
    var isSilence = false
    if case .silence = segment.origin { isSilence = true }
    if !isSilence && markCount > 0 { reachMarks(in: segment, outputCount: count) }
    defer { sampleCount &+= Int64(count) }
    if written > 0 {
      let last = (written &- 1) % Self.runCapacity
      let run = runs[last]
      let continues =
        run.isSilence == isSilence && run.timestamp &+ run.span == segment.timestamp
        && run.count &* segment.span == run.span &* Int64(count) && run.count < Self.longestRun
      if isSilence && run.isSilence || continues {
        runs[last].count &+= Int64(count)
        runs[last].span &+= segment.span
        return
      }
    }
    var run = Run()
    run.firstSample = sampleCount
    run.count = Int64(count)
    run.timestamp = segment.timestamp
    run.span = segment.span
    run.isSilence = isSilence
    runs[written % Self.runCapacity] = run
    written &+= 1
  }

  /// The unwrapped timestamp that output sample `sample` carried; `nil` when it was silence, is not given out yet or lies
  /// too far back.
  @_noLocks
  func timestamp(ofOutputSample sample: Int64) -> Int64? {
    guard sample < sampleCount else { return nil }
    var position = written
    let oldest = max(0, written &- Self.runCapacity)
    while position > oldest {
      position &-= 1
      let run = runs[position % Self.runCapacity]
      guard sample >= run.firstSample else { continue }
      if run.isSilence { return nil }
      return run.timestamp &+ run.span &* (sample &- run.firstSample) / max(1, run.count)
    }
    return nil
  }

  /// Adds a mark; false when 64 wait already.
  @_noLocks
  mutating func addMark(_ id: Int, at timestamp: Int64) -> Bool {
    guard markCount < Self.markCapacity else { return false }
    marks[markCount].id = id
    marks[markCount].timestamp = timestamp
    markCount &+= 1
    return true
  }

  /// Gives up the marks in `lower..<upper`.
  @_noLocks
  mutating func dropMarks(from lower: Int64, to upper: Int64) {
    var index = 0
    while index < markCount {
      if marks[index].timestamp >= lower && marks[index].timestamp < upper {
        finishMark(index, at: sampleCount, wasHeard: false)
      } else {
        index &+= 1
      }
    }
  }

  /// The next mark that was reached or given up, in that order; `nil` when there is none.
  @_noLocks
  mutating func nextMark() -> PlayoutMark? {
    guard reachedTaken < reachedWritten else { return nil }
    let mark = reached[reachedTaken % reached.count]
    reachedTaken &+= 1
    return mark
  }

  @_noLocks
  private mutating func reachMarks(in segment: TimelineSegment, outputCount: Int) {
    var index = 0
    while index < markCount {
      let distance = marks[index].timestamp &- segment.timestamp
      guard distance < segment.span else {
        index &+= 1
        continue
      }
      let offset = distance <= 0 ? 0 : distance &* Int64(outputCount) / segment.span
      finishMark(index, at: sampleCount &+ offset, wasHeard: true)
    }
  }

  @_noLocks
  private mutating func finishMark(_ index: Int, at sample: Int64, wasHeard: Bool) {
    reached[reachedWritten % reached.count] = PlayoutMark(
      id: marks[index].id, outputSample: sample, wasHeard: wasHeard)
    reachedWritten &+= 1
    if reachedWritten &- reachedTaken > reached.count { reachedTaken = reachedWritten &- reached.count }
    markCount &-= 1
    marks[index] = marks[markCount]
  }
}
