/// Something the engine noticed, in the order in which it did.
public enum MediaEvent: Sendable, BitwiseCopyable, Equatable {
  /// The user began to speak.
  case speechStarted
  /// The user fell silent; the hangover has passed.
  case speechEnded
  /// The first packet of a stream was accepted, or another stream took over.
  case remoteStreamChanged(ssrc: UInt32)
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
