public import RealtimeCore

extension JitterBuffer {
  /// Silences an answer for good, for an interruption: fades out within 5 ms and forgets what waits of it, and what of it
  /// comes later. What is known of the network stays.
  /// - Parameter end: the timestamp at which what comes next begins; packets from there on are kept and played. `nil` for
  ///   all that was sent up to the newest packet; a sender that has not noticed yet goes on and is heard.
  /// - Returns: the timestamp up to which it is heard, fade included; `nil` when nothing of it was being played.
  @_noLocks
  @discardableResult
  public mutating func flush(upTo end: RTPTimestamp? = nil) -> RTPTimestamp? {
    var limit = Int64.max
    if let end {
      limit = timestamps.time(of: end)
      flushedTimestamp = max(flushedTimestamp, limit)
    } else if store.count > 0 {
      flushedSequence = max(flushedSequence, store[store.count &- 1].sequence)
    } else if !phase.isIdle {
      flushedSequence = max(flushedSequence, playedSequence)
    }
    forgetPackets(before: limit)
    guard !phase.isIdle else {
      endInterruption()
      return nil
    }
    let waiting = timeline.first?.timestamp ?? nextTimestamp
    guard waiting < limit else {  // playout is beyond it
      resume()
      return nil
    }
    fadeOut()
    let heard = timeline.end ?? waiting
    record.dropMarks(from: heard, to: limit)
    phase = .idle
    pauseAnnounced = false
    fadedInPause = nil
    concealedRun = 0
    noise.end()
    endInterruption()
    return timestamps.timestamp(at: heard)
  }

  @_noLocks
  private mutating func forgetPackets(before limit: Int64) {
    var count = 0
    while count < store.count && store[count].timestamp < limit {
      if store[count].isCopy {
        statistics.fecPacketsDiscarded &+= 1
      } else {
        statistics.flushedPackets &+= 1
      }
      count &+= 1
    }
    removeUnread(count)
  }

  /// Lets at most 5 ms fade to silence on the line.
  @_noLocks
  private mutating func fadeOut() {
    if interruptions.isSilent {
      line.truncate(to: 0)
      timeline.truncate(to: 0)
      // What the fractional reader has yet to read of the past is not to be faded in.
      for index in 1...FractionalReader.fullLag { line.scale(line.start &- index, by: 0) }
      return
    }
    // At a packet's end hardly anything waits that could fade: the decoder prolongs the sound.
    if line.count < tail.count { prolong() }
    line.fadeOut(within: tail.count)
    timeline.truncate(to: line.count)
  }

  /// Puts 5 ms on the line that belong to no packet and count nowhere.
  @_noLocks
  private mutating func prolong() {
    var made = tail.count
    if phase.isComfortNoise && noise.isDescribed {
      Self.fill(&tail, made, with: &noise)
    } else {
      made = decoders.conceal(into: &tail, count: made)
    }
    concealmentFade.apply(to: &tail, count: made, after: concealedRun)
    line.append(tail, 0..<made)
    timeline.append(TimelineSegment(count: made, timestamp: nextTimestamp))
  }

  /// Forgets the stream, for a new sender (another SSRC): packets, numbers, network, decoder state. What waits to be
  /// played fades out within 5 ms; the statistics go on.
  @_noLocks
  public mutating func reset() {
    flush()
    startAnew(format: decoders.active)
    decoders.reset()
  }

  /// Forgets numbers and network: the next packet, of `format`, is the first of a new time line.
  @_noLocks
  mutating func startAnew(format: Int) {
    forgetPackets(before: .max)
    log.reset()
    sequences = SequenceUnwrapper()
    timestamps.reset(to: format)
    newestForeign = .min
    fadedInPause = nil
    clock.reset()
    history.reset()
    estimator.reset()
    drift.reset()
    retransmissions.reset()
    recovery = RecoveryEstimator()
    suspect = nil
    phase = .idle
    pauseAnnounced = false
    noise.end()
    flushedSequence = .min
    flushedTimestamp = .min
    usedCopyTimestamp = .min
    heldDelay = 0
    record.dropMarks(from: .min, to: .max)
    items.removeAll()
  }
}
