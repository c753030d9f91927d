public import JitterBuffer
public import RealtimeCore

// The agent's voice: what it says over a socket, how it is interrupted, and what of it has been heard.
extension MediaEngine {
  /// Takes audio of an answer that came over a socket, faster than it is spoken; see `StreamPlayout.append`.
  /// - Parameter item: the answer's number, greater than those before.
  /// - Returns: how much was taken; the rest is the caller's to keep. Traps without `settings.agentStream`.
  @_noLocks
  public mutating func append(
    agentAudio bytes: borrowing ByteView, to item: Int, at now: MediaInstant
  ) -> StreamAppendOutcome {
    let comesByRTP = parts.value.renderPath.playout.stream == nil
    precondition(!comesByRTP, "MediaEngine: append needs settings.agentStream")
    return parts.value.renderPath.playout.stream!.append(bytes, to: item, at: now)
  }

  /// As `append` for views.
  @_noLocks
  public mutating func append(agentAudio bytes: Span<UInt8>, to item: Int, at now: MediaInstant) -> StreamAppendOutcome
  {
    append(agentAudio: ByteView(bytes), to: item, at: now)
  }

  /// Says that an answer of the stream is complete, so that its end is not taken for a slow agent.
  @_noLocks
  public mutating func finish(item: Int) { parts.value.renderPath.playout.stream?.finish(item) }

  /// Says that an answer that comes by RTP begins at `timestamp`, which ends the one before.
  @_noLocks
  public mutating func beginItem(_ id: Int, at timestamp: RTPTimestamp) {
    parts.value.renderPath.playout.jitterBuffer.beginItem(id, at: timestamp)
  }

  /// Silences the agent with a fade of 5 ms and forgets what waits: the user has interrupted. Of a stream, what still comes
  /// of its answers is dropped; by RTP, what is sent later is played.
  /// - Returns: the place up to which the agent was heard, the device's delay not counted; `nil` when it was silent.
  @_noLocks
  @discardableResult
  public mutating func flush() -> MediaPosition? { parts.value.renderPath.playout.flush() }

  /// As `flush`, but only the stream's answers up to `item`; the ones behind are played.
  @_noLocks
  @discardableResult
  public mutating func flush(upToItem item: Int) -> MediaPosition? {
    parts.value.renderPath.playout.stream?.flush(upTo: item)
  }

  /// As `flush`, but only what was and will be sent by RTP before `timestamp`; returns a timestamp for the place.
  @_noLocks
  @discardableResult
  public mutating func flush(upTo timestamp: RTPTimestamp) -> RTPTimestamp? {
    parts.value.renderPath.playout.jitterBuffer.flush(upTo: timestamp)
  }

  /// Turns the agent down by 18 dB: the user may be interrupting. `resume` or `hold` or `flush` follows.
  @_noLocks
  public mutating func duck() { parts.value.renderPath.playout.duck() }

  /// Silences the agent and keeps what it says, for 2 s by default: `resume` goes on from here, `flush` confirms.
  @_noLocks
  public mutating func hold() { parts.value.renderPath.playout.hold() }

  /// It was a false alarm: the agent goes on where it was held or ducked.
  @_noLocks
  public mutating func resume() { parts.value.renderPath.playout.resume() }

  /// Asks for `MediaEvent.markReached` when a place in an answer is rendered.
  /// - Returns: false when the answer is unknown or 64 marks wait already.
  @_noLocks
  public mutating func addMark(_ id: Int, at position: MediaPosition) -> Bool {
    parts.value.renderPath.playout.addMark(id, at: position)
  }

  /// What of the agent is heard, to 10 ms; `nil` when it is silent between answers.
  /// - Parameter latencyNanoseconds: how long the device takes from `render` to the ear.
  @_noLocks
  public func agentPosition(latencyNanoseconds: Int64 = 0) -> MediaPosition? {
    let rate = parts.value.renderPath.playout.sampleRate
    let device = max(0, min(latencyNanoseconds, 10_000_000_000)) / 1_000 &* Int64(rate.hertz) / 1_000_000
    return parts.value.renderPath.playout.position(before: parts.value.renderPath.pendingSampleCount() &+ device)
  }

  /// The sequence numbers that are worth asking the sender for again; see `JitterBuffer.retransmissionRequests`.
  @_noLocks
  public mutating func retransmissionRequests(
    into numbers: inout MutableSpan<UInt16>, roundTripNanoseconds: Int64, at now: MediaInstant
  ) -> Int {
    parts.value.renderPath.playout.jitterBuffer.retransmissionRequests(
      into: &numbers, roundTripNanoseconds: roundTripNanoseconds, at: now)
  }
}
