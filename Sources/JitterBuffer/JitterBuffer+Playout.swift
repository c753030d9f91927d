public import RealtimeCore

extension JitterBuffer {
  /// Gives the next samples to be played.
  /// - Parameter frame: is always filled to its end, with silence before the first packet. Any size; calls of the same
  ///   size (10 ms) keep the delay lowest, as it is rounded up to the next call.
  /// - Parameter now: when the first of them is played.
  @_noLocks
  public mutating func playout(into frame: inout MutableSpan<Float>, at now: MediaInstant) {
    let nanoseconds = sampleRate.nanoseconds(sampleCount: frame.count)
    playout(into: &frame, at: now, callStart: now, callNanoseconds: nanoseconds)
  }

  /// Gives the next samples to be played, for a device's call that is filled in several steps.
  ///
  /// No packet can arrive within the call, so the delay is rounded up to whole calls, not to the steps.
  /// - Parameter callStart: when the first sample of the whole call is played.
  /// - Parameter callNanoseconds: how long the call is.
  @_noLocks
  public mutating func playout(
    into frame: inout MutableSpan<Float>, at now: MediaInstant, callStart: MediaInstant, callNanoseconds: Int64
  ) {
    let count = frame.count
    driftReserve = callNanoseconds &+ 500_000
    var made = 0
    while made < count {
      if interruptions.standsStill {
        stand(still: count &- made, in: &frame, from: made)
        return
      }
      let instant = now.advanced(byNanoseconds: sampleRate.nanoseconds(sampleCount: made))
      if line.count == 0 {
        refill(at: instant, callStart: callStart, callNanoseconds: callNanoseconds, missing: count &- made)
      }
      var piece = interruptions.samplesToPlay(of: count &- made)
      if reader.isOn {
        piece = readFractionally(piece, into: &frame, at: made, instant)
      } else {
        piece = min(line.count, piece)
        let segment = timeline.takeFirst(piece)
        piece = segment.count
        account(segment, outputCount: piece, at: instant, isFirst: made == 0)
        line.take(piece, into: &frame, at: made)
      }
      interruptions.apply(to: &frame, made..<made &+ piece)
      made &+= piece
    }
  }

  /// Gives up to `limit` samples at the drifting sender's pace, all of one run of the time line.
  /// - Returns: how many.
  @_noLocks
  private mutating func readFractionally(
    _ limit: Int, into frame: inout MutableSpan<Float>, at made: Int, _ instant: MediaInstant
  ) -> Int {
    let run = timeline.first?.count ?? 1
    let count = min(limit, reader.outputCount(using: min(run, line.count)))
    var used = min(line.count, reader.read(line, into: &frame, at: made, count: count))
    line.drop(used)
    notePace(count &- used)
    var segment = timeline.first ?? TimelineSegment()
    segment.count = 0
    segment.span = 0
    if used > 0 {
      segment = timeline.takeFirst(used)
      used &-= segment.count
    }
    account(segment, outputCount: count, at: instant, isFirst: made == 0)
    // The last sample of a run may take the first of the next with it.
    while used > 0 && timeline.first != nil {
      let next = timeline.takeFirst(used)
      used &-= next.count
      account(next, outputCount: 0, at: instant, isFirst: false)
    }
    return count
  }

  /// Counts the samples by which playout at the drifting sender's pace differs from what was received; when eight of one
  /// sign have come together, as the reader's steps go to and fro.
  @_noLocks
  private mutating func notePace(_ difference: Int) {
    paceBalance &+= difference
    if paceBalance >= 8 {
      statistics.insertedSamplesForDeceleration &+= paceBalance
      paceBalance = 0
    } else if paceBalance <= -8 {
      statistics.removedSamplesForAcceleration &-= paceBalance
      paceBalance = 0
    }
  }

  /// Silence while playout is held; a hold that lasts too long becomes a flush.
  @_noLocks
  private mutating func stand(still count: Int, in frame: inout MutableSpan<Float>, from first: Int) {
    for index in first..<first &+ count { frame[index] = 0 }
    record.note(TimelineSegment(count: count), outputCount: count)
    if interruptions.stand(count) { flush() }
  }

  /// Counts the next samples of the output.
  @_noLocks
  private mutating func account(_ segment: TimelineSegment, outputCount: Int, at instant: MediaInstant, isFirst: Bool) {
    let count = segment.count
    record.note(segment, outputCount: outputCount)
    if case .silence = segment.origin {
      if isFirst { lastTimestamp = nil }
      return
    }
    guard count > 0 else { return }
    if isFirst { lastTimestamp = segment.timestamp }
    statistics.totalSamplesReceived &+= count
    var isConcealed = false
    switch segment.origin {
    case .packet, .redundancy:
      statistics.jitterBufferEmittedCount &+= count
      if case .redundancy = segment.origin { statistics.recoveredSamples &+= count }
      let samples = Double(count)
      let waited = Double(instant.nanoseconds(since: segment.arrival)) * 1e-9
      statistics.jitterBufferDelay += samples * (waited + samples / (2 * Double(sampleRate.hertz)))
      statistics.jitterBufferTargetDelay += samples * Double(targetDelay) * 1e-9
      let unlimited = estimator.unlimitedTarget &- history.floor
      statistics.jitterBufferMinimumDelay += samples * Double(unlimited) * 1e-9
    case .concealment, .silentConcealment:
      isConcealed = true
      statistics.concealedSamples &+= count
      if case .silentConcealment = segment.origin { statistics.silentConcealedSamples &+= count }
      if !lastWasConcealed { statistics.concealmentEvents &+= 1 }
    case .comfortNoise:
      statistics.comfortNoiseSamples &+= count
    case .silence: break
    }
    lastWasConcealed = isConcealed
  }

  /// Puts at least one sample on the line, by the one decision that the state calls for.
  @_noLocks
  private mutating func refill(
    at instant: MediaInstant, callStart: MediaInstant, callNanoseconds: Int64, missing: Int
  ) {
    let view = look(at: instant, callStart: callStart, callNanoseconds: callNanoseconds)
    switch decidePlayout(view.status, limits) {
    case .wait: appendSilence(missing)
    case .normal: playNext(view, at: instant)
    case .accelerate:
      playNext(view, at: instant)
      accelerate(by: view.status.excess, isQuiet: view.status.isQuiet)
    case .decelerate:
      playNext(view, at: instant)
      decelerate(by: view.status.shortage, isQuiet: view.status.isQuiet)
    case .merge: playAfterConcealment(view, at: instant)
    case .expand: expand(within: view.gap)
    case .recover: recover(view)
    case .comfortNoise: playComfortNoise(until: view.gap)
    }
    if line.count == 0 {
      // A packet that failed to decode, or a pause shorter than one step: conceal, so that the frame gets full.
      expand(within: nil)
    }
    if line.count == 0 { appendSilence(missing) }
  }

  @_noLocks
  private mutating func appendSilence(_ count: Int) {
    let before = line.count
    line.appendSilence(count)
    timeline.append(TimelineSegment(count: line.count &- before))
  }

  @_noLocks
  private mutating func accelerate(by excess: Int, isQuiet: Bool) {
    let removed = stretch.shorten(&line, &timeline, by: excess, isQuiet: isQuiet)
    guard removed > 0 else { return }
    statistics.removedSamplesForAcceleration &+= removed
    if !isQuiet { samplesSinceDisturbance = 0 }
  }

  @_noLocks
  private mutating func decelerate(by shortage: Int, isQuiet: Bool) {
    let inserted = stretch.lengthen(&line, &timeline, by: shortage, isQuiet: isQuiet)
    guard inserted > 0 else { return }
    statistics.insertedSamplesForDeceleration &+= inserted
    if !isQuiet { samplesSinceDisturbance = 0 }
  }
}
