/// Something the engine noticed, in the order in which it did.
public enum MediaEvent: Sendable, BitwiseCopyable, Equatable {
  /// The user began to speak.
  case speechStarted
  /// The user fell silent; the hangover has passed.
  case speechEnded
  /// The first packet of a stream was accepted, or another stream took over.
  case remoteStreamChanged(ssrc: UInt32)
  /// The far end has said goodbye for its stream (RTCP BYE).
  case remoteStreamEnded
  /// Another sender uses this end's SSRC (RFC 3550 §8.2): make an engine with another one, or the far end mixes both up.
  case sourceCollision
  /// A key went down at the far end (RFC 4733): 0 to 9, 10 for `*`, 11 for `#`.
  case keyPressed(code: UInt8)
  /// It was let go.
  case keyReleased(code: UInt8, milliseconds: Int)
  /// Playout came to a mark (`MediaEngine.addMark`), or a flush took away what it marks.
  case markReached(id: Int, wasHeard: Bool)
}

/// What `MediaEngine.poll` hands over.
public enum MediaOutput: Sendable, BitwiseCopyable, Equatable {
  /// A datagram for the wire: the first `byteCount` bytes of the buffer.
  case transmit(byteCount: Int)
  /// Something to know.
  case event(MediaEvent)
  /// Nothing more until the next `capture`, `render` or `receive`.
  case wait
}
