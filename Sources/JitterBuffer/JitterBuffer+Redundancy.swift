public import RealtimeCore

extension JitterBuffer {
  /// Takes a copy of an earlier packet that a later one carried along (RED, RFC 2198). It is played when the packet itself
  /// does not come in time. Insert the copies before the packet that carried them.
  /// - Parameter sequenceNumber: the packet's own as far as the caller can tell: that of the carrier less the copy's place.
  /// - Parameter timestamp: the carrier's less the block's offset.
  /// - Returns: `duplicate` when the packet itself is there.
  @_noLocks
  public mutating func insertCopy(
    _ payload: borrowing ByteView, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> InsertOutcome {
    statistics.fecPacketsReceived &+= 1
    recovery.noteReceived(hasRedundancy: true)
    let outcome = enterCopy(payload, sequenceNumber, timestamp, at: arrival)
    if !outcome.isHeld { statistics.fecPacketsDiscarded &+= 1 }
    return outcome
  }

  @_noLocks
  private mutating func enterCopy(
    _ payload: borrowing ByteView, _ sequenceNumber: SequenceNumber, _ timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> InsertOutcome {
    guard payload.count <= store.slotSize, let samples = decoder.sampleCount(of: payload),
      samples > 0 && samples <= scratch.count
    else { return .malformed }
    // Before the first packet nothing says where a copy belongs, and nothing has been lost yet.
    guard clock.isSet && isPlausible(timestamp, at: arrival) else { return .implausible }
    var packet = StoredPacket()
    // The copies' numbers are guesses: they must not move what the unwrappers hold for newest.
    var (sequences, timestamps) = (self.sequences, self.timestamps)
    packet.sequence = sequences.unwrap(sequenceNumber)
    packet.timestamp = timestamps.unwrap(timestamp)
    packet.duration = Int64(samples) &* ticksPerSample
    packet.arrival = arrival
    packet.isCopy = true
    if log.contains(packet.sequence) { return .duplicate }
    guard packet.sequence > flushedSequence && packet.end > flushedTimestamp else { return .tooLate }
    if !phase.isIdle && packet.end <= playedEnd { return .tooLate }
    switch store.insert(packet, payload: payload) {
    case .inserted, .insertedInPlaceOfCopy: return .inserted
    case .insertedInPlaceOfOldest:
      statistics.packetsDiscarded &+= 1
      return .insertedInPlaceOfOldest
    case .duplicate: return .duplicate
    }
  }
}
