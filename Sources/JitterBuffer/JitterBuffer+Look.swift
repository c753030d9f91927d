import RealtimeCore

/// What playout sees when it needs samples: the state for the decision, and where in the store it would act.
struct PlayoutLook: Sendable, BitwiseCopyable {
  var status = PlayoutStatus()
  /// Position in the store of the packet that would be decoded, or of the first one behind the gap.
  var position = 0
  /// The timestamp that would be played next.
  var timestamp: Int64 = 0
  /// Ticks up to the first packet that is there; `nil` when none is.
  var gap: Int64?

  @_noLocks
  init() {}
}

extension JitterBuffer {
  /// Looks at the store, the time line and the target; drops only packets that can never be played any more.
  @_noLocks
  mutating func look(at instant: MediaInstant, callStart: MediaInstant, callNanoseconds: Int64) -> PlayoutLook {
    var view = PlayoutLook()
    // A packet that ends a pause begins with a call, as the first of all does: within one it would have to be there sooner.
    let start = phase.isComfortNoise && !reader.isOn ? callStart : instant
    let onSchedule = clock.timestamp(offset: estimator.target &+ heldDelay, at: start)
    if phase.isIdle {
      guard store.count > 0 else { return view }
      let first = store[0]
      view.status.supply = .present
      view.status.isDue = onSchedule >= first.timestamp
      view.timestamp = first.timestamp
      return view
    }
    dropPlayedPackets()
    view.status.hasStarted = true
    view.status.isQuiet = isQuiet
    view.status.samplesSinceDisturbance = samplesSinceDisturbance
    view.status.senderPauses = senderPauses
    view.timestamp = resumption(onSchedule: onSchedule)
    view.status.isConcealing = !phase.isPlaying || view.timestamp > nextTimestamp
    view.position = store.firstPosition(endingAfter: view.timestamp)
    guard view.position < store.count else { return view }
    let packet = store[view.position]
    let isSameFormat = Int(packet.format) == decoders.active || packet.isNoise
    if !isSameFormat { view.status.isConcealing = true }  // another decoder's sound does not follow by itself
    // A hole below 2.5 ms is rounding in the sender's clock, not a loss.
    let gap = packet.timestamp &- (phase.isComfortNoise ? onSchedule : max(view.timestamp, nextTimestamp))
    if gap &* 400 < clock.rate || (packet.timestamp <= view.timestamp && !phase.isComfortNoise) {
      view.status.supply = .present
      view.timestamp = max(view.timestamp, packet.timestamp)
      setStretch(&view.status, for: packet, at: instant, callStart: callStart, callNanoseconds: callNanoseconds)
    } else {
      view.gap = gap
      let isRestored = packet.hasRedundancy && gap <= packet.duration && isSameFormat
      view.status.supply = isRestored ? .gapWithRedundancy : .gap
    }
    return view
  }

  /// The sender pauses: the last packet said so, or the sequence numbers go on across the hole.
  private var senderPauses: Bool {
    @_noLocks get {
      if phase.isComfortNoise || pauseAnnounced { return true }
      guard store.count > 0 else { return sendsNoSound }
      let next = store[0]
      return next.timestamp > nextTimestamp && log.missing(between: playedSequence, next.sequence) == 0
    }
  }

  /// The newest packet was something else than sound (a telephone event), and all sound before it has been played.
  var sendsNoSound: Bool {
    @_noLocks get {
      store.count == 0 && newestForeign > playedSequence && log.missing(between: playedSequence, newestForeign) == 0
    }
  }

  /// The timestamp to go on with: the next one, except that a pause or a concealment lets playout move on to where the
  /// target wants it. After a concealment it only moves back, so that nothing that is there is left out for delay alone.
  ///
  /// More than 400 ms behind, playout leaps: no stretch could make that good in time. It happens when the caller's device
  /// stood still.
  @_noLocks
  private func resumption(onSchedule: Int64) -> Int64 {
    let isFarBehind = (onSchedule &- nextTimestamp) &* 5 > clock.rate &* 2
    if isFarBehind && store.count > 0 && store[store.count &- 1].end > onSchedule { return onSchedule }
    switch phase {
    case .idle, .playing: return nextTimestamp
    case .comfortNoise:
      // However long the noise was: what follows begins at its own beginning.
      return store.count > 0 ? max(playedEnd, store[0].timestamp) : nextTimestamp
    case .concealing:
      // Less than 1 ms is not worth a cut.
      return (nextTimestamp &- onSchedule) &* 1_000 > clock.rate ? max(playedEnd, onSchedule) : nextTimestamp
    }
  }

  @_noLocks
  private mutating func dropPlayedPackets() {
    let dropped = store.firstPosition(endingAfter: playedEnd)
    guard dropped > 0 else { return }
    for index in 0..<dropped { statistics.countLate(store[index]) }
    removeUnread(dropped)
  }

  /// How far playout of `packet` is from the target, counted at the start of the call that it begins in.
  ///
  /// Packets are looked for once per call, so a packet that begins within a call is as safe as one that begins at the
  /// call's start: what lies between is excess.
  @_noLocks
  private func setStretch(
    _ status: inout PlayoutStatus, for packet: StoredPacket, at instant: MediaInstant, callStart: MediaInstant,
    callNanoseconds: Int64
  ) {
    guard !packet.isNoise else { return }
    // What a hold has left is taken away in pauses only.
    let aim = estimator.target &+ (status.isQuiet ? 0 : heldDelay)
    if reader.isOn {
      // The pace makes up for less than 1.5 ms.
      let error = clock.offset(of: packet.timestamp, at: instant) &- aim &- driftReserve
      if error < -1_500_000 { status.shortage = sampleCount(nanoseconds: 0 &- error) }
      if error > 0 { status.excess = sampleCount(nanoseconds: error) }
      return
    }
    let slack = clock.offset(of: packet.timestamp, at: callStart) &- aim
    if slack < 0 {
      status.shortage = sampleCount(nanoseconds: 0 &- slack)
      return
    }
    let call = max(1, callNanoseconds)
    status.excess = sampleCount(nanoseconds: slack / call &* call &+ instant.nanoseconds(since: callStart))
  }

  @_noLocks
  private func sampleCount(nanoseconds: Int64) -> Int {
    // A second is more than any stretch can do at once.
    Int(min(nanoseconds, 1_000_000_000)) &* sampleRate.hertz / 1_000_000_000
  }
}
