internal import RealtimeCore

/// A first-in, first-out queue of events of fixed size. When nobody polls, the oldest are overwritten: late news about
/// the present beats news of the past.
struct EventQueue: ~Copyable {
  private var events = FixedBuffer<MediaEvent>(repeating: .speechEnded, count: 64)
  private var written = 0
  private var taken = 0

  @_noLocks
  mutating func append(_ event: MediaEvent) {
    events[written & 63] = event
    written &+= 1
    if written &- taken > 64 { taken = written &- 64 }
  }

  @_noLocks
  mutating func next() -> MediaEvent? {
    guard taken < written else { return nil }
    let event = events[taken & 63]
    taken &+= 1
    return event
  }
}
