import RealtimeCore

extension JitterBuffer {
  /// What the caller has asked for about an interruption.
  public var interruption: Interruption { @_noLocks get { interruptions.state } }

  /// Turns the agent down by 18 dB within 10 ms: the user may be interrupting. Playout goes on.
  @_noLocks
  public mutating func duck() { interruptions.duck() }

  /// Silences the agent within 10 ms and lets playout stand still; packets that come are kept. After
  /// `longestHoldMilliseconds` the hold becomes a flush; `flush` confirms it at once.
  @_noLocks
  public mutating func hold() { interruptions.hold() }

  /// It was a false alarm: the agent goes on from where it was held or ducked, faded in within 10 ms. What the hold has
  /// added to the delay is taken away in the pauses of the speech.
  @_noLocks
  public mutating func resume() {
    if interruption.isHeld && !phase.isIdle {
      heldDelay &+= sampleRate.nanoseconds(sampleCount: interruptions.heldSamples)
    }
    interruptions.resume()
  }

  @_noLocks
  mutating func endInterruption() {
    interruptions.end()
    heldDelay = 0
  }
}
