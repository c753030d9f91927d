/// What the playout does when it needs more samples. The words are those of NetEq where it has one.
enum PlayoutOperation: Hashable, Sendable, BitwiseCopyable {
  /// Nothing has begun: silence that counts for nothing.
  case wait
  /// The next packet follows on what is being played.
  case normal
  /// The next packet, shortened: playout is behind where it need be.
  case accelerate
  /// The next packet, lengthened: packets are about to come too late.
  case decelerate
  /// A packet after concealment: join the signals where they are most alike.
  case merge
  /// Conceal: nothing is there to play.
  case expand
  /// Conceal by the low-rate copy in the packet behind the gap (in-band FEC).
  case recover
  /// A pause of the sender: the decoder's own noise.
  case comfortNoise
}

/// All that the decision depends on.
struct PlayoutStatus: Hashable, Sendable, BitwiseCopyable {
  /// What the packet store can give for the next sample to be played.
  enum Supply: Hashable, Sendable, BitwiseCopyable {
    /// Nothing at all.
    case empty
    /// The sample's own packet.
    case present
    /// Only packets behind it.
    case gap
    /// Only packets behind it, of which the first holds a copy of the missing one.
    case gapWithRedundancy
  }

  var hasStarted = false
  /// The first packet's time has come (looked at before the start only).
  var isDue = false
  var supply = Supply.empty
  /// What was played last did not come from a packet.
  var isConcealing = false
  /// The sender paused: its last packet said so, or the numbers go on without a hole over the gap.
  var senderPauses = false
  /// Samples by which playout could be shortened without a packet becoming late.
  var excess = 0
  /// Samples by which playout would have to be lengthened for the target delay.
  var shortage = 0
  /// What comes next is a pause in the speech, where nobody hears a cut.
  var isQuiet = false
  /// Samples played since the last stretch or concealment.
  var samplesSinceDisturbance = 0

  @_noLocks
  init() {}
}

/// The limits that the decision uses, in samples of the output's rate.
struct PlayoutLimits: Hashable, Sendable, BitwiseCopyable {
  /// Excess that is worth a stretch inside speech: 20 ms. A listener hears the stretch sooner than the delay.
  var excessInSpeech: Int
  /// Excess that is worth a cut in a pause: 2.5 ms, the shortest pitch period looked for.
  var excessInPause: Int
  /// Shortage that is worth a stretch inside speech: 10 ms; below it waits for a pause.
  var shortageInSpeech: Int
  /// Shortage that is worth a longer pause: any above 0.1 ms.
  var shortageInPause: Int
  /// Least distance of two stretches inside speech: 60 ms.
  var pauseBetweenStretches: Int

  init(sampleRate hertz: Int) {
    excessInSpeech = hertz / 50
    excessInPause = hertz / 400
    shortageInSpeech = hertz / 100
    shortageInPause = max(1, hertz / 10_000)
    pauseBetweenStretches = hertz * 6 / 100
  }
}

/// What to do next; depends on nothing but its arguments.
@_noLocks
func decidePlayout(_ status: PlayoutStatus, _ limits: PlayoutLimits) -> PlayoutOperation {
  guard status.hasStarted else {
    return status.supply != .empty && status.isDue ? .normal : .wait
  }
  switch status.supply {
  case .empty:
    return status.senderPauses ? .comfortNoise : .expand
  case .gap, .gapWithRedundancy:
    if status.senderPauses { return .comfortNoise }
    return status.supply == .gap ? .expand : .recover
  case .present:
    if status.isConcealing { return .merge }
    if status.isQuiet {
      if status.excess >= limits.excessInPause { return .accelerate }
      if status.shortage >= limits.shortageInPause { return .decelerate }
      return .normal
    }
    guard status.samplesSinceDisturbance >= limits.pauseBetweenStretches else { return .normal }
    if status.excess >= limits.excessInSpeech { return .accelerate }
    if status.shortage >= limits.shortageInSpeech { return .decelerate }
    return .normal
  }
}
