import RealtimeCore

extension JitterBuffer {
  /// Turns the agent down by 18 dB within 10 ms: the user may be interrupting. Playout goes on.
  @_noLocks
  public mutating func duck() {
    if interruption.isHeld { return }
    interruption = .ducked
    gain.move(to: PlayoutGain.ducked)
  }

  /// Silences the agent within 10 ms and lets playout stand still; packets that come are kept. After
  /// `longestHoldMilliseconds` the hold becomes a flush; `flush` confirms it at once.
  @_noLocks
  public mutating func hold() {
    if interruption.isHeld { return }
    interruption = .held
    heldSamples = 0
    gain.move(to: 0)
  }

  /// It was a false alarm: the agent goes on from where it was held or ducked, faded in within 10 ms. What the hold has
  /// added to the delay is taken away in the pauses of the speech.
  @_noLocks
  public mutating func resume() {
    if interruption.isHeld && !phase.isIdle {
      heldDelay &+= sampleRate.nanoseconds(sampleCount: heldSamples)
    }
    interruption = .none
    gain.move(to: 1)
  }

  @_noLocks
  mutating func endInterruption() {
    interruption = .none
    heldDelay = 0
    // What was silent until now and is silent for a while fades in without being heard.
    gain.move(to: 1)
  }
}
