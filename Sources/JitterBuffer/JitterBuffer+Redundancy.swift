internal import RTPTransport
public import RealtimeCore

extension JitterBuffer {
  /// Takes a packet with earlier ones in it (RED, RFC 2198): the copies first, then the newest block as the packet itself.
  /// - Parameter noiseType: the payload type of comfort noise parameters, which may be the newest block; 255 for none.
  /// - Returns: what became of the newest block; `malformed` when the blocks do not fit, or it is of none of `formats`.
  @_noLocks
  public mutating func insertRedundant(
    _ payload: borrowing ByteView, noiseType: UInt8 = 255, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    at arrival: MediaInstant
  ) -> InsertOutcome {
    guard let blocks = RedundantPayload(payload) else {
      statistics.packetsReceived &+= 1
      statistics.malformedPackets &+= 1
      return .malformed
    }
    for index in 0..<blocks.redundantCount {
      guard let block = blocks.block(index, in: payload), accepts(payloadType: block.payloadType),
        block.start < block.end
      else { continue }
      _ = insertCopy(
        payload.extracting(block.start..<block.end), payloadType: block.payloadType,
        sequenceNumber: sequenceNumber.advanced(by: index &- blocks.redundantCount),
        timestamp: timestamp.advanced(by: 0 &- block.timestampOffset), at: arrival)
    }
    let primary = payload.extracting(blocks.primary.start..<blocks.primary.end)
    if blocks.primary.payloadType == noiseType {
      return insertComfortNoise(primary, sequenceNumber: sequenceNumber, timestamp: timestamp, at: arrival)
    }
    return insert(
      primary, payloadType: blocks.primary.payloadType, sequenceNumber: sequenceNumber, timestamp: timestamp,
      at: arrival)
  }

  /// Takes a copy of an earlier packet that a later one carried along (RED, RFC 2198). It is played when the packet itself
  /// does not come in time. Insert the copies before the packet that carried them.
  /// - Parameter payloadType: the block's; `nil` is the first of `formats`.
  /// - Parameter sequenceNumber: the packet's own as far as the caller can tell: that of the carrier less the copy's place.
  /// - Parameter timestamp: the carrier's less the block's offset.
  /// - Returns: `duplicate` when the packet itself is there.
  @_noLocks
  public mutating func insertCopy(
    _ payload: borrowing ByteView, payloadType: UInt8? = nil, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    at arrival: MediaInstant
  ) -> InsertOutcome {
    statistics.fecPacketsReceived &+= 1
    recovery.noteReceived(hasRedundancy: true)
    let outcome = enterCopy(payload, format(of: payloadType), sequenceNumber, timestamp, at: arrival)
    if !outcome.isHeld { statistics.fecPacketsDiscarded &+= 1 }
    return outcome
  }

  @_noLocks
  private mutating func enterCopy(
    _ payload: borrowing ByteView, _ format: Int?, _ sequenceNumber: SequenceNumber, _ timestamp: RTPTimestamp,
    at arrival: MediaInstant
  ) -> InsertOutcome {
    guard payload.count <= store.slotSize, let format, let duration = decoders.duration(of: payload, format) else {
      return .malformed
    }
    // Before the first packet nothing says where a copy belongs, and nothing has been lost yet.
    guard clock.isSet && !timestamps.isOtherClock(format) && isPlausible(timestamp, at: arrival) else {
      return .implausible
    }
    var packet = StoredPacket()
    // The copies' numbers are guesses: they must not move what is held for newest.
    var sequences = self.sequences
    packet.sequence = sequences.unwrap(sequenceNumber)
    packet.timestamp = timestamps.time(of: timestamp)
    packet.duration = duration
    packet.format = UInt8(truncatingIfNeeded: format)
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
