public import RealtimeCore

// RFC 3550 §6.4.1. Behind its SSRC a sender report has five words about the sender, then as a receiver report:
//
//  |              NTP timestamp, most significant word             |
//  |              NTP timestamp, least significant word            |
//  |                         RTP timestamp                         |
//  |                 sender's packet count                         |
//  |                 sender's octet count                          |
//  +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+  `count` times:
//  |                  SSRC of the source reported on               |
//  | fraction lost |       packets lost since the start, signed    |
//  |           extended highest sequence number received           |
//  |                      interarrival jitter                      |
//  |                   last SR, middle 32 bits of its NTP time     |
//  |               delay since last SR, in 1/65,536 s              |

/// What a sender says of its own stream.
@frozen
public struct RTCPSenderInfo: Hashable, Sendable, BitwiseCopyable {
  /// The sender's wall clock when it made the report.
  public var ntp: NTPTimestamp
  /// The same time on the stream's RTP clock.
  public var timestamp: RTPTimestamp
  /// Packets sent since the start; wraps.
  public var packetCount: UInt32
  /// Payload bytes in them; wraps.
  public var octetCount: UInt32

  /// Info with these fields.
  @_noLocks
  public init(ntp: NTPTimestamp, timestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32) {
    self.ntp = ntp
    self.timestamp = timestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }
}

/// What a receiver says of one source.
@frozen
public struct RTCPReportBlock: Hashable, Sendable, BitwiseCopyable {
  /// The source reported on.
  public var ssrc: UInt32
  /// Share of packets lost since the previous report, in 256ths.
  public var fractionLost: UInt8
  /// Packets lost since the start, -8,388,608...8,388,607; negative when duplicates outnumber losses.
  public var packetsLost: Int
  /// Highest sequence number received, with the count of wraps above it.
  public var extendedHighestSequenceNumber: UInt32
  /// Jitter in ticks of the stream's RTP clock.
  public var jitter: UInt32
  /// `NTPTimestamp.middle` of the last sender report that came from the source; 0 when none did.
  public var lastSenderReport: UInt32
  /// How long that was ago, in 1/65,536 s.
  public var delaySinceLastSenderReport: UInt32

  /// A block with these fields; `packetsLost` is held within its 24 bits.
  @_noLocks
  public init(
    ssrc: UInt32, fractionLost: UInt8, packetsLost: Int, extendedHighestSequenceNumber: UInt32, jitter: UInt32,
    lastSenderReport: UInt32, delaySinceLastSenderReport: UInt32
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.packetsLost = Swift.max(-0x80_0000, Swift.min(0x7F_FFFF, packetsLost))
    self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }

  /// Seconds from the sender report to the arrival of this block and back: what the way takes both ways together (§6.4.1,
  /// figure 2). `nil` before the peer has heard a report.
  /// - Parameter arrival: when the block came, on the clock of the sender reports.
  @_noLocks
  public func roundTripTime(at arrival: NTPTimestamp) -> Double? {
    guard lastSenderReport != 0 else { return nil }
    let ticks = Int32(bitPattern: arrival.middle &- lastSenderReport &- delaySinceLastSenderReport)
    // The peer's delay is rounded, and its clock may run faster: a very short way can seem negative.
    return Double(Swift.max(0, ticks)) / 65_536
  }
}

extension RTCPPacket {
  /// What the sender says of itself; `nil` unless this is a whole sender report.
  @_noLocks
  public func senderInfo(in datagram: borrowing ByteView) -> RTCPSenderInfo? {
    guard type == 200, let high = word(1, in: datagram), let low = word(2, in: datagram),
      let timestamp = word(3, in: datagram), let packets = word(4, in: datagram), let octets = word(5, in: datagram)
    else { return nil }
    return RTCPSenderInfo(
      ntp: NTPTimestamp(rawValue: UInt64(high) << 32 | UInt64(low)), timestamp: RTPTimestamp(timestamp),
      packetCount: packets, octetCount: octets)
  }

  /// A block of a report; `nil` outside the list, where the packet is cut off, and for other kinds.
  @_noLocks
  public func reportBlock(_ index: Int, in datagram: borrowing ByteView) -> RTCPReportBlock? {
    guard type == 200 || type == 201, index >= 0, index < count else { return nil }
    let start = (type == 200 ? 6 : 1) &+ 6 &* index
    guard let ssrc = word(start, in: datagram), let loss = word(start &+ 1, in: datagram),
      let highest = word(start &+ 2, in: datagram), let jitter = word(start &+ 3, in: datagram),
      let last = word(start &+ 4, in: datagram), let delay = word(start &+ 5, in: datagram)
    else { return nil }
    return RTCPReportBlock(
      ssrc: ssrc, fractionLost: UInt8(truncatingIfNeeded: loss >> 24),
      packetsLost: Int(Int32(bitPattern: loss << 8) >> 8), extendedHighestSequenceNumber: highest, jitter: jitter,
      lastSenderReport: last, delaySinceLastSenderReport: delay)
  }
}
