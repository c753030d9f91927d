public import RealtimeCore

extension JitterBuffer {
  /// The sequence numbers that are worth asking for again now (NACK, RFC 4585 §6.2.1), in ascending order.
  ///
  /// A number is worth it when it is missing although later packets have come, when it was not merely reordered (10 ms or
  /// three later packets have passed), when no copy of its sound is there, when it would arrive before its turn, and when
  /// it was not asked for within the last round trip. Calling it changes that last point only.
  /// - Parameter numbers: receives them; what does not fit comes next time.
  /// - Parameter roundTripNanoseconds: how long an answer takes, e.g. from RTCP; 0 or more.
  /// - Returns: how many there are.
  @_noLocks
  public mutating func retransmissionRequests(
    into numbers: inout MutableSpan<UInt16>, roundTripNanoseconds: Int64, at now: MediaInstant
  ) -> Int {
    let room = numbers.count
    var written = 0
    // Each hole between two waiting packets, and the one before the first of them.
    var position = 0
    while position < store.count {
      let next = store[position]
      defer { position &+= 1 }
      var before = playedSequence
      var beforeEnd = playedEnd
      if position > 0 {
        before = store[position &- 1].sequence
        beforeEnd = store[position &- 1].end
      } else if phase.isIdle {
        continue
      }
      let count = next.sequence &- before &- 1
      guard count > 0 && count <= 100 else { continue }
      let waited = now.nanoseconds(since: next.arrival)
      guard waited >= 10_000_000 || store.count &- position > 3 else { continue }
      var number = before &+ 1
      while number < next.sequence && written < room {
        // Packets of one duration share the hole evenly.
        let share = (next.timestamp &- beforeEnd) / count &* (number &- before &- 1)
        let turn = 0 &- clock.offset(of: beforeEnd &+ share, at: now) &+ estimator.target
        if turn > roundTripNanoseconds && !log.contains(number)
          && retransmissions.request(number, roundTrip: max(roundTripNanoseconds, 10_000_000), at: now)
        {
          numbers[written] = UInt16(truncatingIfNeeded: number)
          written &+= 1
        }
        number &+= 1
      }
    }
    return written
  }
}
