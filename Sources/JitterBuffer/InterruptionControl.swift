import RealtimeCore

/// What is done about the user's interruption, the same for packets and for streams: the output's gain, and how long the
/// agent has been held.
struct InterruptionControl: Sendable, BitwiseCopyable {
  private(set) var state = Interruption.none
  /// Samples of silence since the hold began.
  private(set) var heldSamples = 0
  private var gain: PlayoutGain
  private let longestHold: Int

  /// - Parameter longestHoldMilliseconds: after that a hold is to become a flush.
  init(sampleRate: SampleRate, longestHoldMilliseconds: Int) {
    gain = PlayoutGain(sampleRate: sampleRate)
    longestHold = sampleRate.sampleCount(milliseconds: longestHoldMilliseconds)
  }

  @_noLocks
  mutating func duck() {
    if state.isHeld { return }
    state = .ducked
    gain.move(to: PlayoutGain.ducked)
  }

  @_noLocks
  mutating func hold() {
    if state.isHeld { return }
    state = .held
    heldSamples = 0
    gain.move(to: 0)
  }

  /// The sound goes on, faded in.
  @_noLocks
  mutating func resume() {
    state = .none
    gain.move(to: 1)
  }

  /// The sound was flushed: what comes next begins by itself, so a gain of 0 need not be left gently.
  @_noLocks
  mutating func end() {
    state = .none
    if gain.isSilent { gain.set(to: 1) } else { gain.move(to: 1) }
  }

  /// Nothing is heard, whatever is played.
  var isSilent: Bool { @_noLocks get { gain.isSilent } }

  /// Held, and the sound has faded: playout is to stand still.
  var standsStill: Bool { @_noLocks get { state.isHeld && gain.isSilent } }

  /// How many of the next `count` samples can be played before playout stands still; 1 at least.
  @_noLocks
  func samplesToPlay(of count: Int) -> Int { state.isHeld ? min(count, max(1, gain.samplesToGo)) : count }

  /// Counts `count` samples of standing still.
  /// - Returns: whether the hold has lasted too long.
  @_noLocks
  mutating func stand(_ count: Int) -> Bool {
    heldSamples &+= count
    return heldSamples >= longestHold
  }

  @_noLocks
  mutating func apply(to samples: inout MutableSpan<Float>, _ range: Range<Int>) { gain.apply(to: &samples, range) }
}
