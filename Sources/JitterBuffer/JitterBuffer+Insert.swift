public import RealtimeCore

extension JitterBuffer {
  /// Takes one packet of the stream, in whatever order the network delivers them.
  /// - Parameter payload: without RTP header and padding.
  /// - Parameter payloadType: as in the header: which of `formats` it is; `nil` is the first of them.
  /// - Parameter arrival: when it came, on the same axis as `playout`; as exact as the caller knows it.
  /// - Returns: what became of it; nothing that a network sends is an error.
  @_noLocks
  public mutating func insert(
    _ payload: borrowing ByteView, payloadType: UInt8? = nil, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    at arrival: MediaInstant
  ) -> InsertOutcome {
    statistics.packetsReceived &+= 1
    guard payload.count <= store.slotSize, let format = format(of: payloadType),
      let duration = decoders.duration(of: payload, format)
    else {
      statistics.malformedPackets &+= 1
      return .malformed
    }
    var packet = StoredPacket()
    packet.duration = duration
    packet.arrival = arrival
    packet.format = UInt8(truncatingIfNeeded: format)
    packet.hasRedundancy = decoders.hasRedundancy(payload, format)
    return enter(&packet, payload, sequenceNumber, timestamp)
  }

  /// Whether packets of this type are among `formats`.
  @_noLocks
  public func accepts(payloadType: UInt8) -> Bool { decoders.index(of: payloadType) != nil }

  @_noLocks
  func format(of payloadType: UInt8?) -> Int? {
    guard let payloadType else { return 0 }
    return decoders.index(of: payloadType)
  }

  /// Takes a packet of comfort noise parameters (RFC 3389): the sender pauses, and the noise until its next packet is to
  /// be as described. Its clock is that of the sound before it. See `insert(_:payloadType:sequenceNumber:timestamp:at:)`.
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
    packet.format = clock.isSet ? newest.format : 0
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
    let format = Int(packet.format)
    var outcome = InsertOutcome.inserted
    if clock.isSet && !belongs(packet, sequenceNumber, timestamp) {
      guard continuesSuspect(packet, sequenceNumber, timestamp) else {
        statistics.implausiblePackets &+= 1
        statistics.packetsDiscarded &+= 1
        suspect = Suspect(
          sequenceNumber: sequenceNumber, timestamp: timestamp, arrival: arrival, format: packet.format)
        return .implausible
      }
      statistics.restarts &+= 1
      startAnew(format: format)
      outcome = .restarted
    }
    suspect = nil
    packet.sequence = sequences.unwrap(sequenceNumber)
    if !clock.isSet {
      timestamps.reset(to: format)
    } else if timestamps.isOtherClock(format) && packet.sequence > newest.sequence {
      timestamps.place(timestamp, format, at: place(afterNewest: packet))
    }
    packet.timestamp = timestamps.note(timestamp, format)
    if clock.isSet && timestamps.isOtherClock(format) && !isPlausible(time: packet.timestamp, at: arrival) {
      // From before a change of clocks, and nothing of its clock has been placed.
      statistics.implausiblePackets &+= 1
      statistics.packetsDiscarded &+= 1
      return .implausible
    }
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

  /// Takes one packet; see `insert(_:payloadType:sequenceNumber:timestamp:at:)` for views.
  @_noLocks
  public mutating func insert(
    _ payload: Span<UInt8>, payloadType: UInt8? = nil, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    at arrival: MediaInstant
  ) -> InsertOutcome {
    insert(
      ByteView(payload), payloadType: payloadType, sequenceNumber: sequenceNumber, timestamp: timestamp, at: arrival)
  }

  /// Notes a packet of the stream that is no sound of these formats (a telephone event, RFC 4733): its sequence number does
  /// not count as a loss, and until sound comes again the sender is taken to pause.
  @_noLocks
  public mutating func noteForeignPacket(sequenceNumber: SequenceNumber) {
    guard clock.isSet && isNear(sequenceNumber) else { return }
    let number = sequences.unwrap(sequenceNumber)
    log.insertForeign(number)
    newestForeign = max(newestForeign, number)
  }

  @_noLocks
  private mutating func noteArrival(of packet: StoredPacket) {
    if !clock.isSet {
      clock.set(timestamp: packet.timestamp, arrival: packet.arrival)
      newest = packet
    }
    if packet.sequence > newest.sequence { newest = packet }
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

  /// Whether a packet goes on with the stream: by its number, and by its timestamp where the clock is the same.
  @_noLocks
  private func belongs(
    _ packet: StoredPacket, _ sequenceNumber: SequenceNumber, _ timestamp: RTPTimestamp
  ) -> Bool {
    guard isNear(sequenceNumber) else { return false }
    if timestamps.isOtherClock(Int(packet.format)) { return true }
    return isPlausible(timestamp, at: packet.arrival)
  }

  /// Whether the number is at most 3,000 ahead of the newest (RFC 3550 §A.1), and not farther behind than duplicates are
  /// known: a sender that begins anew chooses any number.
  @_noLocks
  private func isNear(_ number: SequenceNumber) -> Bool {
    let distance = SequenceNumber(UInt16(truncatingIfNeeded: newest.sequence)).distance(to: number)
    return distance <= 3_000 && distance >= -1_000
  }

  /// Whether the transit is within 3 s of the stream's; a call cannot bear more, and a sender that restarts or resumes
  /// chooses any number.
  @_noLocks
  func isPlausible(_ timestamp: RTPTimestamp, at arrival: MediaInstant) -> Bool {
    isPlausible(time: timestamps.time(of: timestamp), at: arrival)
  }

  @_noLocks
  private func isPlausible(time: Int64, at arrival: MediaInstant) -> Bool {
    let difference = clock.offset(of: time, at: arrival) &- history.base
    return difference > -3_000_000_000 && difference < 3_000_000_000
  }

  /// Where the first packet of another clock lies: right behind the newest one, with room for packets that are missing
  /// between the two; unless it came more than 200 ms away from there, for then the sender has paused or left out.
  @_noLocks
  private func place(afterNewest packet: StoredPacket) -> Int64 {
    let missing = packet.sequence &- newest.sequence &- 1
    let next = newest.end &+ missing &* newest.duration
    let byArrival = clock.timestamp(offset: history.base, at: packet.arrival)
    let difference = next &- byArrival
    let isFar = difference &* 5 > clock.rate || difference &* 5 < 0 &- clock.rate
    return isFar ? max(newest.end, byArrival) : next
  }

  /// Whether a packet agrees with the implausible one before it: its number is one of the next, its time fits within 1 s.
  @_noLocks
  private func continuesSuspect(
    _ packet: StoredPacket, _ sequenceNumber: SequenceNumber, _ timestamp: RTPTimestamp
  ) -> Bool {
    guard let suspect, suspect.format == packet.format else { return false }
    guard (1...10).contains(suspect.sequenceNumber.distance(to: sequenceNumber)) else { return false }
    let ticks = Int64(suspect.timestamp.distance(to: timestamp)) &* timestamps.scale(Int(packet.format))
    let difference = packet.arrival.nanoseconds(since: suspect.arrival) &- clock.nanoseconds(ticks: ticks)
    return difference > -1_000_000_000 && difference < 1_000_000_000
  }
}
