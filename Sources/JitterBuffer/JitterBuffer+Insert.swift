public import RealtimeCore

extension JitterBuffer {
  /// Takes one packet of the stream, in whatever order the network delivers them.
  /// - Parameter payload: without RTP header and padding.
  /// - Parameter arrival: when it came, on the same axis as `playout`; as exact as the caller knows it.
  /// - Returns: what became of it; nothing that a network sends is an error.
  @_noLocks
  public mutating func insert(
    _ payload: borrowing ByteView, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> InsertOutcome {
    statistics.packetsReceived &+= 1
    guard payload.count <= store.slotSize, let samples = decoder.sampleCount(of: payload),
      samples > 0 && samples <= scratch.count
    else {
      statistics.malformedPackets &+= 1
      return .malformed
    }
    var packet = StoredPacket()
    packet.duration = Int64(samples) &* ticksPerSample
    packet.arrival = arrival
    packet.hasRedundancy = decoder.hasRedundancy(payload)
    return enter(&packet, payload, sequenceNumber, timestamp)
  }

  /// Takes a packet of comfort noise parameters (RFC 3389): the sender pauses, and the noise until its next packet is to
  /// be as described. See `insert(_:sequenceNumber:timestamp:at:)`.
  @_noLocks
  public mutating func insertComfortNoise(
    _ payload: borrowing ByteView, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> InsertOutcome {
    statistics.packetsReceived &+= 1
    guard payload.count > 0 && payload.count <= store.slotSize else {
      statistics.malformedPackets &+= 1
      return .malformed
    }
    var packet = StoredPacket()
    packet.duration = clock.rate / 100
    packet.arrival = arrival
    packet.isNoise = true
    return enter(&packet, payload, sequenceNumber, timestamp)
  }

  /// Finds out where a packet belongs and puts it there.
  @_noLocks
  private mutating func enter(
    _ packet: inout StoredPacket, _ payload: borrowing ByteView, _ sequenceNumber: SequenceNumber,
    _ timestamp: RTPTimestamp
  ) -> InsertOutcome {
    let arrival = packet.arrival
    var outcome = InsertOutcome.inserted
    if clock.isSet && !isPlausible(timestamp, at: arrival) {
      guard continuesSuspect(sequenceNumber, timestamp, at: arrival) else {
        statistics.implausiblePackets &+= 1
        suspect = Suspect(sequenceNumber: sequenceNumber, timestamp: timestamp, arrival: arrival)
        return .implausible
      }
      statistics.restarts &+= 1
      startAnew()
      outcome = .restarted
    }
    suspect = nil
    packet.sequence = sequences.unwrap(sequenceNumber)
    packet.timestamp = timestamps.unwrap(timestamp)
    guard packet.sequence > flushedSequence && packet.end > flushedTimestamp else {
      statistics.flushedPackets &+= 1
      return .tooLate
    }
    guard log.insert(packet.sequence) else {
      statistics.duplicatePackets &+= 1
      return .duplicate
    }
    if packet.hasRedundancy { statistics.fecPacketsReceived &+= 1 }
    noteArrival(of: packet)
    if !phase.isIdle && packet.end <= playedEnd {
      statistics.latePackets &+= 1
      statistics.packetsDiscarded &+= 1
      if packet.hasRedundancy { statistics.fecPacketsDiscarded &+= 1 }
      return .tooLate
    }
    switch store.insert(packet, payload: payload) {
    case .inserted: return outcome
    case .insertedInPlaceOfCopy:
      statistics.fecPacketsDiscarded &+= 1
      return outcome
    case .insertedInPlaceOfOldest:
      statistics.packetsDiscarded &+= 1
      return .insertedInPlaceOfOldest
    case .duplicate:
      statistics.duplicatePackets &+= 1
      return .duplicate
    }
  }

  /// Takes one packet; see `insert(_:sequenceNumber:timestamp:at:)` for views.
  @_noLocks
  public mutating func insert(
    _ payload: Span<UInt8>, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> InsertOutcome {
    insert(ByteView(payload), sequenceNumber: sequenceNumber, timestamp: timestamp, at: arrival)
  }

  /// Notes a packet of the stream that is not audio of this format (a telephone event, RFC 4733), so that its sequence
  /// number does not count as a loss.
  @_noLocks
  public mutating func noteForeignPacket(sequenceNumber: SequenceNumber) {
    guard clock.isSet else { return }
    log.insertForeign(sequences.unwrap(sequenceNumber))
  }

  @_noLocks
  private mutating func noteArrival(of packet: StoredPacket) {
    if !clock.isSet { clock.set(timestamp: packet.timestamp, arrival: packet.arrival) }
    recovery.noteReceived(hasRedundancy: packet.hasRedundancy)
    if retransmissions.contains(packet.sequence) {
      // It took a round trip more than the network does.
      statistics.retransmittedPacketsReceived &+= 1
      return
    }
    drift.note(transit: clock.offset(of: packet.timestamp, at: packet.arrival), at: packet.arrival)
    let lateness = history.note(
      transit: clock.offset(of: packet.timestamp, at: packet.arrival), at: packet.arrival)
    let reserve = recovery.pays ? clock.nanoseconds(ticks: packet.duration) : 0
    estimator.note(late: lateness, base: history.base, reserve: reserve, at: packet.arrival)
  }

  /// Whether the transit is within 3 s of the stream's; a call cannot bear more, and a sender that restarts or resumes
  /// chooses any number.
  @_noLocks
  func isPlausible(_ timestamp: RTPTimestamp, at arrival: MediaInstant) -> Bool {
    var unwrapper = timestamps
    let offset = clock.offset(of: unwrapper.unwrap(timestamp), at: arrival)
    let difference = offset &- history.base
    return difference > -3_000_000_000 && difference < 3_000_000_000
  }

  /// Whether a packet agrees with the implausible one before it: its number is one of the next, its time fits within 1 s.
  @_noLocks
  private func continuesSuspect(
    _ sequenceNumber: SequenceNumber, _ timestamp: RTPTimestamp, at arrival: MediaInstant
  ) -> Bool {
    guard let suspect else { return false }
    guard (1...10).contains(suspect.sequenceNumber.distance(to: sequenceNumber)) else { return false }
    let media = clock.nanoseconds(ticks: Int64(suspect.timestamp.distance(to: timestamp)))
    let difference = arrival.nanoseconds(since: suspect.arrival) &- media
    return difference > -1_000_000_000 && difference < 1_000_000_000
  }
}
