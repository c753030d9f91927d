import RealtimeCore

extension JitterBuffer {
  /// Silences what has not been played, for an interruption: fades out within 5 ms, forgets all waiting packets and
  /// refuses those that were sent before the newest one. What is known of the network stays.
  @_noLocks
  public mutating func flush() {
    // At a packet's end hardly anything waits that could fade: the decoder prolongs the sound.
    if line.count < tail.count && !phase.isIdle { prolong() }
    let fade = min(line.count, sampleRate.hertz / 200)
    line.truncate(to: fade)
    timeline.truncate(to: fade)
    for index in 0..<fade { line.scale(line.start &+ index, by: 1 - (Float(index) + 0.5) / Float(fade)) }
    statistics.packetsDiscarded &+= store.count
    if store.count > 0 {
      flushedSequence = max(flushedSequence, store[store.count &- 1].sequence)
    } else if !phase.isIdle {
      flushedSequence = max(flushedSequence, playedSequence)
    }
    store.removeAll()
    phase = .idle
    pauseAnnounced = false
    concealedRun = 0
  }

  /// Puts 5 ms on the line that belong to no packet and count nowhere.
  @_noLocks
  private mutating func prolong() {
    let made = decoder.conceal(into: &tail, count: tail.count)
    concealmentFade.apply(to: &tail, count: made, after: concealedRun)
    line.append(tail, 0..<made)
    timeline.append(TimelineSegment(count: made))
  }

  /// Forgets the stream, for a new sender (another SSRC): packets, numbers, network, decoder state. What waits to be
  /// played fades out within 5 ms; the statistics go on.
  @_noLocks
  public mutating func reset() {
    flush()
    startAnew()
    decoder.reset()
  }

  /// Forgets numbers and network: the next packet is the first of a new time line.
  @_noLocks
  mutating func startAnew() {
    statistics.packetsDiscarded &+= store.count
    store.removeAll()
    log.reset()
    sequences = SequenceUnwrapper()
    timestamps = TimestampUnwrapper()
    clock.reset()
    history.reset()
    estimator.reset()
    recovery = RecoveryEstimator()
    suspect = nil
    phase = .idle
    pauseAnnounced = false
    flushedSequence = .min
  }
}
