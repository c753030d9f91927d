import AudioCodecs
public import RealtimeCore

extension StreamPlayout {
  /// Gives the next samples to be played.
  /// - Parameter frame: is always filled to its end, with silence between answers. Any size.
  /// - Parameter now: when the first of them is played.
  @_noLocks
  public mutating func playout(into frame: inout MutableSpan<Float>, at now: MediaInstant) {
    let count = frame.count
    var made = 0
    while made < count {
      if interruptions.standsStill {
        stand(still: count &- made, in: &frame, from: made)
        return
      }
      let instant = now.advanced(byNanoseconds: sampleRate.nanoseconds(sampleCount: made))
      if line.count == 0 { refill(at: instant, missing: count &- made) }
      var piece = min(line.count, interruptions.samplesToPlay(of: count &- made))
      piece = account(piece)
      line.take(piece, into: &frame, at: made)
      interruptions.apply(to: &frame, made..<made &+ piece)
      made &+= piece
    }
  }

  /// Silence while playout is held; the hold that lasts too long becomes a flush.
  @_noLocks
  private mutating func stand(still count: Int, in frame: inout MutableSpan<Float>, from first: Int) {
    for index in first..<first &+ count { frame[index] = 0 }
    record.note(TimelineSegment(count: count), outputCount: count)
    if interruptions.stand(count) { flush() }
  }

  @_noLocks
  private mutating func account(_ limit: Int) -> Int {
    let segment = timeline.takeFirst(limit)
    record.note(segment, outputCount: segment.count)
    var isConcealed = false
    switch segment.origin {
    case .silence: return segment.count
    case .concealment, .silentConcealment, .comfortNoise:
      isConcealed = true
      statistics.concealedSamples &+= segment.count
      if case .silentConcealment = segment.origin { statistics.silentConcealedSamples &+= segment.count }
      if !lastWasConcealed { statistics.concealmentEvents &+= 1 }
    case .packet, .redundancy: statistics.jitterBufferEmittedCount &+= segment.count
    }
    statistics.totalSamplesReceived &+= segment.count
    lastWasConcealed = isConcealed
    return segment.count
  }

  /// Puts at least one sample on the line.
  @_noLocks
  private mutating func refill(at instant: MediaInstant, missing: Int) {
    let item = items.item(at: readIndex)
    switch decideStream(look(at: instant, item)) {
    case .wait:
      becomeIdle()
      appendSilence(missing, .silence)
    case .normal: pull(item)
    case .decelerate:
      pull(item)
      let inserted = stretch.lengthen(&line, &timeline, by: shortage(at: instant, item), isQuiet: true)
      statistics.insertedSamplesForDeceleration &+= inserted
    case .merge:
      statistics.underruns &+= 1
      pull(item)  // the concealment fades into it
    case .expand: expand()
    }
    if line.count == 0 { appendSilence(missing, .silence) }
  }

  @_noLocks
  private func look(at instant: MediaInstant, _ item: ItemTable.Item?) -> StreamStatus {
    var status = StreamStatus()
    guard let item else { return status }
    // An item that follows on another begins by its own reserve.
    status.hasStarted = !phase.isIdle && readIndex > item.start
    status.isStarved = phase.isStarved
    status.isQuiet = isQuiet
    let end = min(item.end, writeIndex)
    status.stock = Int(end &- readIndex)
    status.isComplete = item.end != .max
    let stocked = sampleRate.nanoseconds(sampleCount: status.stock)
    let delay = reserve.delay(media: media(of: item), at: instant)
    if phase.isStarved {
      // A second break is worse than a longer one: go on with 80 ms, or 80 ms after the first of them came.
      let waited = refilledAt.map { instant.nanoseconds(since: $0) } ?? 0
      status.isReady = status.isComplete || stocked >= Self.refill || waited >= Self.refill
    } else {
      // An item behind the running one has come while that was played.
      let isNewest = items.newest?.id == item.id
      status.isReady = status.isComplete || !isNewest || stocked >= reserve.target || delay >= reserve.target
    }
    status.isShort = shortage(at: instant, item) > 0
    return status
  }

  private static var refill: Int64 { @_noLocks get { 80_000_000 } }

  /// Nanoseconds of the item that have gone to the line.
  @_noLocks
  private func media(of item: ItemTable.Item) -> Int64 {
    sampleRate.nanoseconds(sampleCount: Int(readIndex &- item.start))
  }

  /// Samples by which playout should lie farther behind the producer; 0 where the producer's pace needs no reserve.
  @_noLocks
  private func shortage(at instant: MediaInstant, _ item: ItemTable.Item?) -> Int {
    guard let item, item.end == .max, reserve.need > 0, !isBackedUp else { return 0 }
    let missing = reserve.target &- reserve.delay(media: media(of: item), at: instant)
    // What the stock holds already is no shortage.
    let lacking = min(missing, reserve.target &- sampleRate.nanoseconds(sampleCount: Int(writeIndex &- readIndex)))
    return lacking <= 0 ? 0 : Int(min(lacking, 20_000_000)) &* sampleRate.hertz / 1_000_000_000
  }

  /// Moves up to 10 ms of the stream to the line, not beyond the item's end.
  @_noLocks
  private mutating func pull(_ item: ItemTable.Item?) {
    let count = load(sampleRate.hertz / 100, item)
    guard count > 0 else { return }
    Self.receive(&scratch, count, by: &concealment)
    isQuiet = pauses.process(scratch, count: count)
    line.append(scratch, 0..<count)
    timeline.append(TimelineSegment(count: count, timestamp: readIndex, span: Int64(count), origin: .packet))
    readIndex &+= Int64(count)
    phase = .playing
    concealedRun = 0
    refilledAt = nil
  }

  /// Copies the next samples to `scratch`, at most `limit`.
  @_noLocks
  private mutating func load(_ limit: Int, _ item: ItemTable.Item?) -> Int {
    guard let item else { return 0 }
    let count = Int(min(Int64(limit), min(item.end, writeIndex) &- readIndex))
    guard count > 0 else { return 0 }
    for index in 0..<count {
      let place = Int((readIndex &+ Int64(index)) % Int64(store.count))
      scratch[index] = Float(store[place]) * (1 / 32_768)
    }
    return count
  }

  /// Conceals 10 ms. The stream's time stands still. After a second the answer counts as over until more of it comes; a
  /// producer that fell silent in a pause of the speech is missed by nobody.
  @_noLocks
  private mutating func expand() {
    let step = sampleRate.hertz / 100
    if !phase.isStarved {
      phase = .starved
      isStarvedInPause = isQuiet
      refilledAt = nil
    }
    defer { concealedRun &+= step }
    guard !isStarvedInPause && concealedRun < sampleRate.hertz else { return appendSilence(step, .silence) }
    guard concealedRun < sampleRate.sampleCount(milliseconds: Self.concealmentMilliseconds) else {
      return appendSilence(step, .silentConcealment)
    }
    Self.conceal(into: &scratch, step, by: &concealment)
    line.append(scratch, 0..<step)
    timeline.append(TimelineSegment(count: step, timestamp: readIndex, span: 0, origin: .concealment))
  }

  /// `PitchConcealment` has faded to nothing by then.
  private static var concealmentMilliseconds: Int { @_noLocks get { 60 } }

  /// Nothing is on any more, and what was is not to be prolonged.
  @_noLocks
  mutating func becomeIdle() {
    if !phase.isIdle { concealment.reset() }
    phase = .idle
    concealedRun = 0
    isQuiet = false
  }

  @_noLocks
  private mutating func appendSilence(_ count: Int, _ origin: SampleOrigin) {
    let before = line.count
    line.appendSilence(count)
    timeline.append(TimelineSegment(count: line.count &- before, timestamp: readIndex, span: 0, origin: origin))
  }

  // A span of one stored property borrows all of `self`, so the parts are handed over one by one.

  @_noLocks
  static func conceal(into buffer: inout SampleBuffer, _ count: Int, by concealment: inout PitchConcealment) {
    var span = buffer.mutableSpan(0..<count)
    concealment.conceal(into: &span)
  }

  @_noLocks
  private static func receive(_ buffer: inout SampleBuffer, _ count: Int, by concealment: inout PitchConcealment) {
    var span = buffer.mutableSpan(0..<count)
    concealment.receive(&span)
  }
}
