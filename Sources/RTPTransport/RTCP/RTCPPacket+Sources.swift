public import RealtimeCore

extension RTCPPacket {
  /// A source that leaves (RFC 3550 §6.6); `nil` outside the list, and for other kinds than `goodbye`.
  @_noLocks
  public func leavingSource(_ index: Int, in datagram: borrowing ByteView) -> UInt32? {
    guard type == 203, index >= 0, index < count else { return nil }
    return word(index, in: datagram)
  }

  /// Where the reason for leaving lies, UTF-8; `nil` when there is none.
  @_noLocks
  public func reasonForLeaving(in datagram: borrowing ByteView) -> Range<Int>? {
    let start = bodyStart &+ 4 &* count
    guard type == 203, start < bodyEnd, bodyEnd <= datagram.count else { return nil }
    let end = start &+ 1 &+ Int(datagram[start])
    guard end <= bodyEnd else { return nil }
    return start &+ 1..<end
  }

  /// Where the canonical name of `ssrc` lies, UTF-8 (RFC 3550 §6.5.1); `nil` when the packet does not tell it.
  @_noLocks
  public func canonicalName(of ssrc: UInt32, in datagram: borrowing ByteView) -> Range<Int>? {
    guard type == 202, bodyEnd <= datagram.count else { return nil }
    var offset = bodyStart
    for _ in 0..<count {
      guard offset &+ 4 <= bodyEnd else { return nil }
      let isWanted = datagram.bigEndian32(at: offset) == ssrc
      offset &+= 4
      // Items: type, length, text; a zero ends the list, which is then filled up to a whole word.
      while offset < bodyEnd, datagram[offset] != 0 {
        guard offset &+ 2 <= bodyEnd else { return nil }
        let start = offset &+ 2
        let end = start &+ Int(datagram[offset &+ 1])
        guard end <= bodyEnd else { return nil }
        if isWanted, datagram[offset] == 1 { return start..<end }
        offset = end
      }
      offset = bodyStart &+ ((offset &- bodyStart) &+ 4) & ~3
    }
    return nil
  }
}

// RFC 4585 §6.1: behind the sender's SSRC stands that of the media's source, then what the format says. §6.2.1:
//
//  |            PID                |             BLP               |      PID is missing; bit n of BLP: PID + n + 1 too

extension RTCPPacket {
  /// The stream that feedback is about; `nil` for other types than 205 and 206.
  @_noLocks
  public func mediaSource(in datagram: borrowing ByteView) -> UInt32? {
    type == 205 || type == 206 ? word(1, in: datagram) : nil
  }

  /// A missing packet with the 16 behind it: bit n of `following` tells that the packet n + 1 further on is missing too.
  /// `nil` outside the list, and for other kinds than `negativeAcknowledgement`.
  @_noLocks
  public func missingPackets(
    _ index: Int, in datagram: borrowing ByteView
  ) -> (first: SequenceNumber, following: UInt16)? {
    guard type == 205, count == 1, index >= 0, let word = word(2 &+ index, in: datagram) else { return nil }
    return (SequenceNumber(UInt16(truncatingIfNeeded: word >> 16)), UInt16(truncatingIfNeeded: word))
  }
}
