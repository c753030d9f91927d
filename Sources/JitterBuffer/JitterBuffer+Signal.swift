import AudioCodecs
import RealtimeCore

extension JitterBuffer {
  /// Plays the packet that follows on what was played; or the first of all.
  @_noLocks
  mutating func playNext(_ view: PlayoutLook, at instant: MediaInstant) {
    if phase.isIdle {
      playedSequence = store[0].sequence &- 1
      nextTimestamp = view.timestamp
      playedEnd = view.timestamp
    }
    if store[view.position].isNoise { return beginNoise(view.position) }
    let skip = Int((view.timestamp &- store[view.position].timestamp) / ticksPerSample)
    let packet = takePacket(view.position)
    guard let count = packet.sampleCount else { return }
    append(min(max(0, skip), count), count, packet.stored, packet.stored.isCopy ? .redundancy : .packet)
    noteOffset(clock.offset(of: view.timestamp, at: instant))
    playoutOffset = clock.offset(of: view.timestamp, at: instant)
  }

  /// Plays a packet after concealment or a pause.
  ///
  /// Where the packet begins exactly behind the concealment the decoder leads over by itself. Otherwise the concealment
  /// is prolonged by a tail and the packet joined to it. Late packets that are passed over still go through the decoder:
  /// the next ones build on its state.
  @_noLocks
  mutating func playAfterConcealment(_ view: PlayoutLook, at instant: MediaInstant) {
    let packet = store[view.position]
    if packet.isNoise { return beginNoise(view.position) }
    let skip = Int(max(0, view.timestamp &- packet.timestamp) / ticksPerSample)
    let leadsOver =
      view.position == 0 && skip == 0 && (phase.isComfortNoise || view.timestamp >= nextTimestamp)
      && concealedRun <= concealmentFade.start && Int(packet.format) == decoders.active
    var tailCount = 0
    if !leadsOver {
      tailCount = decoders.conceal(into: &tail, count: tail.count)
      concealmentFade.apply(to: &tail, count: tailCount, after: concealedRun)
    }
    passOver(view.position)
    let taken = takePacket(0)
    guard let count = taken.sampleCount else { return }
    var first = min(skip, count)
    if tailCount > 0 {
      first = signalJoin.join(tail, tailCount, to: &scratch, wanted: first, count: count)
    }
    append(first, count, taken.stored, taken.stored.isCopy ? .redundancy : .packet)
    playoutOffset = clock.offset(of: taken.stored.timestamp &+ Int64(first) &* ticksPerSample, at: instant)
  }

  /// Decodes the low-rate copy of the missing packet, which the packet behind the gap carries.
  @_noLocks
  mutating func recover(_ view: PlayoutLook) {
    let next = store[view.position]
    let count = Int(next.duration / ticksPerSample)
    let gap = Int((view.gap ?? 0) / ticksPerSample)
    var tailCount = 0
    let wanted = count &- gap
    if wanted > 0 && phase.isConcealing {
      tailCount = decoders.conceal(into: &tail, count: tail.count)
    }
    guard decoders.decodeRedundancy(store, view.position, into: &scratch, count: count) == count else {
      expand(within: view.gap)
      return
    }
    var first = wanted
    if tailCount > 0 {
      first = signalJoin.join(tail, tailCount, to: &scratch, wanted: wanted, count: count)
    }
    usedCopyTimestamp = next.timestamp
    var copy = next
    copy.timestamp = next.timestamp &- next.duration
    append(first, count, copy, .redundancy)
  }

  /// Conceals up to 10 ms: less when the gap is shorter, and never into a packet whose copy is there.
  @_noLocks
  mutating func expand(within gap: Int64?) {
    let step = sampleRate.hertz / 100
    var wanted = step
    if let gap {
      var room = gap
      let next = store.firstPosition(endingAfter: nextTimestamp)
      if next < store.count && store[next].hasRedundancy && gap > store[next].duration {
        room = gap &- store[next].duration
      }
      wanted = min(step, max(1, Int(room / ticksPerSample)))
    }
    // The decoder conceals in steps of 2.5 ms; what exceeds the gap is left out.
    let quarter = sampleRate.hertz / 400
    let asked = (wanted &+ quarter &- 1) / quarter &* quarter
    var made = 0
    // The decoder need not work for silence.
    if concealedRun < concealmentFade.end {
      made = decoders.conceal(into: &scratch, count: asked)
    }
    if made == 0 {
      scratch.fill(0..<asked, with: 0)
      made = asked
    }
    let count = min(wanted, made)
    concealmentFade.apply(to: &scratch, count: count, after: concealedRun)
    concealedRun &+= count
    appendConcealment(count, isSilent(count) ? .silentConcealment : .concealment)
    phase = .concealing
    samplesSinceDisturbance = 0
  }

  /// Takes the description of the noise in a pause of the sender, and plays the first of it.
  @_noLocks
  private mutating func beginNoise(_ position: Int) {
    passOver(position)
    let packet = store[0]
    Self.describe(&noise, by: store)
    let missing = log.missing(between: playedSequence, packet.sequence)
    statistics.missingPackets &+= missing
    recovery.noteDecoded(missing: missing)
    playedSequence = max(playedSequence, packet.sequence)
    store.removeFirst(1)
    pauseAnnounced = true
    nextTimestamp = max(nextTimestamp, packet.timestamp)
    playedEnd = max(playedEnd, packet.timestamp)
    concealedRun = 0
    playComfortNoise(until: store.count > 0 ? store[0].timestamp &- nextTimestamp : nil)
  }

  @_noLocks
  private static func describe(_ noise: inout ComfortNoise, by store: borrowing PacketStore) {
    noise.describe(store.payload(0))
  }

  /// Plays up to 10 ms of a pause: the noise that the sender described, or the decoder's own; while something else than
  /// sound is sent, silence.
  @_noLocks
  mutating func playComfortNoise(until gap: Int64?) {
    let step = sampleRate.hertz / 100
    var made = step
    if noise.isDescribed {
      Self.fill(&scratch, step, with: &noise)
    } else {
      if !phase.isComfortNoise && sendsNoSound { fadedInPause = phase.isConcealing ? tail.count : 0 }
      let isSilent = (fadedInPause ?? 0) >= tail.count
      made = isSilent ? 0 : decoders.conceal(into: &scratch, count: step)
      fadeInPause(made)
    }
    if made == 0 {
      scratch.fill(0..<step, with: 0)
      made = step
    }
    var count = made
    if let gap { count = min(made, max(1, Int(gap / ticksPerSample))) }
    appendConcealment(count, .comfortNoise)
    phase = .comfortNoise
  }

  /// Lets the decoder's prolongation fade within 5 ms where the sender has gone over to something else.
  @_noLocks
  private mutating func fadeInPause(_ count: Int) {
    guard let run = fadedInPause else { return }
    for index in 0..<count { scratch[index] *= max(0, 1 - (Float(run &+ index) + 0.5) / Float(tail.count)) }
    fadedInPause = run &+ count
  }

  @_noLocks
  static func fill(_ buffer: inout SampleBuffer, _ count: Int, with noise: inout ComfortNoise) {
    var span = buffer.mutableSpan(0..<count)
    noise.generate(into: &span)
  }

  /// Decodes and forgets the packets before `position`: the last two, as earlier ones leave no trace in the decoder.
  @_noLocks
  private mutating func passOver(_ position: Int) {
    guard position > 0 else { return }
    for passed in 0..<position { statistics.countLate(store[passed]) }
    if position > 2 { removeUnread(position &- 2) }
    for _ in 0..<min(2, position) {
      if store[0].isNoise { store.removeFirst(1) } else { _ = takePacket(0) }
    }
  }

  /// Removes the first `count` packets without a look at them; copies that they carry are lost.
  @_noLocks
  mutating func removeUnread(_ count: Int) {
    for index in 0..<count {
      let packet = store[index]
      if packet.hasRedundancy && packet.timestamp != usedCopyTimestamp { statistics.fecPacketsDiscarded &+= 1 }
    }
    store.removeFirst(count)
  }

  private struct TakenPacket: BitwiseCopyable {
    var stored: StoredPacket
    /// Samples now in `scratch`; `nil` when the packet could not be decoded.
    var sampleCount: Int?

    @_noLocks
    init(_ stored: StoredPacket, _ sampleCount: Int?) {
      self.stored = stored
      self.sampleCount = sampleCount
    }
  }

  /// Decodes the packet at `position` into `scratch` and takes it out of the store, with those before it.
  @_noLocks
  private mutating func takePacket(_ position: Int) -> TakenPacket {
    let packet = store[position]
    let count = decoders.decode(store, position, into: &scratch)
    if count == nil { statistics.malformedPackets &+= 1 }
    let missing = log.missing(between: playedSequence, packet.sequence)
    statistics.missingPackets &+= missing
    // A copy stands for a packet that was missed.
    recovery.noteDecoded(missing: packet.isCopy ? missing &+ 1 : missing)
    if packet.hasRedundancy && packet.timestamp != usedCopyTimestamp { statistics.fecPacketsDiscarded &+= 1 }
    playedSequence = max(playedSequence, packet.sequence)
    // A packet of at most two bytes has no speech: the encoder's way to say that nothing follows (RFC 7587 §3.1.3).
    pauseAnnounced = decoders.announcesPauses(Int(packet.format)) && packet.byteCount <= 2
    store.removeFirst(position &+ 1)
    return TakenPacket(packet, count)
  }

  /// Puts samples `first..<count` of `scratch` on the line.
  @_noLocks
  private mutating func append(_ first: Int, _ count: Int, _ packet: StoredPacket, _ origin: SampleOrigin) {
    isQuiet = pauses.process(scratch, count: count)
    line.append(scratch, first..<count)
    timeline.append(
      TimelineSegment(
        count: count &- first, timestamp: packet.timestamp &+ Int64(first) &* ticksPerSample,
        span: Int64(count &- first) &* ticksPerSample, origin: origin, arrival: packet.arrival))
    nextTimestamp = packet.end
    playedEnd = packet.end
    phase = .playing
    concealedRun = 0
    noise.end()
    fadedInPause = nil
    samplesSinceDisturbance &+= count &- first
  }

  /// Takes note of the offset at which a packet follows on the one before it.
  ///
  /// What the holds have left is as much as is still there. And where the sender's clock is known to drift, playout's pace
  /// follows it, and takes away a hundredth of what is wrong with the delay each second.
  @_noLocks
  private mutating func noteOffset(_ offset: Int64) {
    let slack = offset &- estimator.target
    heldDelay = max(0, min(heldDelay, slack))
    guard drift.drift != 0 || reader.isOn else { return }
    let error = Double(slack &- heldDelay &- driftReserve) * 1e-9
    reader.steer(
      to: 1 + drift.drift + max(-1e-4, min(1e-4, 0.01 * error)), waiting: line.count, isQuiet: isQuiet)
  }

  @_noLocks
  private mutating func appendConcealment(_ count: Int, _ origin: SampleOrigin) {
    line.append(scratch, 0..<count)
    let span = Int64(count) &* ticksPerSample
    timeline.append(TimelineSegment(count: count, timestamp: nextTimestamp, span: span, origin: origin))
    nextTimestamp &+= span
  }

  /// Whether the concealment has faded below -80 dBFS.
  @_noLocks
  private func isSilent(_ count: Int) -> Bool {
    var energy: Float = 0
    for index in 0..<count { energy += scratch[index] * scratch[index] }
    return energy < 1e-8 * Float(count)
  }
}
