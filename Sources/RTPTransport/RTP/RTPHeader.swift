public import RealtimeCore

/// The fixed fields of an RTP packet (RFC 3550 §5.1) that a receiver acts on.
@frozen
public struct RTPHeader: Hashable, Sendable, BitwiseCopyable {
  /// The bytes that `write(into:)` makes: a header without contributing sources or extension.
  @inlinable public static var byteCount: Int { @_noLocks get { 12 } }

  /// For audio: the first packet of a talkspurt (RFC 3551 §4.1).
  public var marker: Bool
  /// 0 to 127; which codec it names is agreed outside RTP.
  public var payloadType: UInt8
  /// One more with each packet sent.
  public var sequenceNumber: SequenceNumber
  /// When the payload's first sample was taken, in ticks of the codec's RTP clock.
  public var timestamp: RTPTimestamp
  /// The synchronisation source: who sent this stream.
  public var ssrc: UInt32

  /// A header with these fields; of `payloadType` the lower 7 bits count.
  @inlinable
  @_noLocks
  public init(
    marker: Bool = false, payloadType: UInt8, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, ssrc: UInt32
  ) {
    self.marker = marker
    self.payloadType = payloadType & 0x7F
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
  }

  /// Writes the 12 bytes of the fixed header to the front of `packet`; throws `noRoom` when it is shorter.
  @_noLocks
  public func write(into packet: inout MutableSpan<UInt8>) throws(RTPError) {
    let room = packet.count
    guard room >= 12 else { throw .noRoom(needed: 12, available: room) }
    packet[0] = 0x80  // version 2, no padding, no extension, no contributing sources
    packet[1] = (marker ? 0x80 : 0) | (payloadType & 0x7F)
    packet.storeBigEndian(sequenceNumber.rawValue, at: 2)
    packet.storeBigEndian(timestamp.rawValue, at: 4)
    packet.storeBigEndian(ssrc, at: 8)
  }
}
