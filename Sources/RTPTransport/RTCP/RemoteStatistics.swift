public import RealtimeCore

/// What the peer reports of the stream this end sends. Names and units are those of W3C's `remote-inbound-rtp`.
@frozen
public struct RemoteInboundStatistics: Hashable, Sendable, BitwiseCopyable {
  /// Packets that the peer has missed; negative when duplicates outnumber them.
  public private(set) var packetsLost = 0
  /// Share of packets lost since the report before, 0...1.
  public private(set) var fractionLost = 0.0
  /// Jitter that the peer measures, in seconds.
  public private(set) var jitter = 0.0
  /// The last measurement of the way there and back in seconds; `nil` before the first.
  public private(set) var roundTripTime: Double?
  /// Sum of all measurements, in seconds.
  public private(set) var totalRoundTripTime = 0.0
  /// How many measurements there were.
  public private(set) var roundTripTimeMeasurements = 0
  /// Reports that came on this end's stream.
  public private(set) var reportsReceived = 0
  /// The highest sequence number that the peer has, with its wraps.
  public private(set) var extendedHighestSequenceNumber: UInt32 = 0
  /// Packets that the peer asked for again.
  public internal(set) var requestedPackets = 0

  init() {}

  @_noLocks
  mutating func update(_ block: RTCPReportBlock, clockRate: Double, roundTripTime: Double?) {
    reportsReceived &+= 1
    packetsLost = block.packetsLost
    fractionLost = Double(block.fractionLost) / 256
    jitter = Double(block.jitter) / clockRate
    extendedHighestSequenceNumber = block.extendedHighestSequenceNumber
    guard let roundTripTime else { return }
    self.roundTripTime = roundTripTime
    totalRoundTripTime += roundTripTime
    roundTripTimeMeasurements &+= 1
  }
}

/// What the peer reports of its own stream. Names and units are those of W3C's `remote-outbound-rtp`.
@frozen
public struct RemoteOutboundStatistics: Hashable, Sendable, BitwiseCopyable {
  /// Packets that the peer has sent; wraps at 2³².
  public private(set) var packetsSent = 0
  /// Payload bytes in them; wraps at 2³².
  public private(set) var bytesSent = 0
  /// Sender reports that came.
  public private(set) var reportsSent = 0
  /// The newest report's time on the peer's wall clock.
  public private(set) var remoteTimestamp = NTPTimestamp(rawValue: 0)
  /// The same time on the stream's RTP clock.
  public private(set) var remoteRTPTimestamp = RTPTimestamp(0)
  /// When that report arrived; `nil` before the first.
  public private(set) var lastReportReceived: MediaInstant?

  init() {}

  @_noLocks
  mutating func update(_ info: RTCPSenderInfo, at now: MediaInstant) {
    reportsSent &+= 1
    packetsSent = Int(info.packetCount)
    bytesSent = Int(info.octetCount)
    remoteTimestamp = info.ntp
    remoteRTPTimestamp = info.timestamp
    lastReportReceived = now
  }
}
