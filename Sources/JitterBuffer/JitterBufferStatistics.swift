/// Counters of one jitter buffer since it was made, named and defined as in W3C webrtc-stats where that has them.
public struct JitterBufferStatistics: Hashable, Sendable, BitwiseCopyable {
  // W3C webrtc-stats, RTCInboundRtpStreamStats.

  /// Seconds that all emitted samples together have waited, each from its packet's arrival to its playout. Divided by
  /// `jitterBufferEmittedCount`: the mean delay in the buffer.
  public var jitterBufferDelay = 0.0
  /// The target delay at each emitted sample, summed, in seconds.
  public var jitterBufferTargetDelay = 0.0
  /// As `jitterBufferTargetDelay`, without the limits that the settings impose.
  public var jitterBufferMinimumDelay = 0.0
  /// Samples that came out of the buffer: decoded from packets or from their low-rate copies.
  public var jitterBufferEmittedCount = 0
  /// All samples played since the first packet: emitted, concealed and comfort noise.
  public var totalSamplesReceived = 0
  /// Samples played in place of missing ones.
  public var concealedSamples = 0
  /// Those of the concealed samples that were silent because the concealment had faded out.
  public var silentConcealedSamples = 0
  /// Runs of concealed samples.
  public var concealmentEvents = 0
  /// Samples put in to slow playout down.
  public var insertedSamplesForDeceleration = 0
  /// Samples left out to speed playout up.
  public var removedSamplesForAcceleration = 0
  /// Packets that came, duplicates included.
  public var packetsReceived = 0
  /// Packets that came and were not played, being too late or too many; neither duplicates nor what a flush took.
  public var packetsDiscarded = 0
  /// Copies of packets that other packets carried along: Opus' in-band FEC and RED.
  public var fecPacketsReceived = 0
  /// Those of the copies that were not played: the packet itself came, or they were too late.
  public var fecPacketsDiscarded = 0

  // Beyond W3C.

  /// Samples of the decoder's noise in pauses of the sender; neither emitted nor concealed.
  public var comfortNoiseSamples = 0
  /// Packets that a flush took away, or that came after it and were sent before.
  public var flushedPackets = 0
  /// Packets asked for again (`retransmissionRequests`) that came.
  public var retransmittedPacketsReceived = 0
  /// Samples decoded from copies, which W3C does not count as concealed (they were sent, not made up here); contained in `jitterBufferEmittedCount`.
  public var recoveredSamples = 0
  /// Packets that came when their sound had been concealed or passed over; contained in `packetsDiscarded`.
  public var latePackets = 0
  /// Packets that never came in time, by their sequence numbers.
  public var missingPackets = 0
  /// Second copies of packets.
  public var duplicatePackets = 0
  /// Packets that the codec could not read, when they came or when they were decoded.
  public var malformedPackets = 0
  /// Packets dropped because their timestamp was seconds away from the stream's.
  public var implausiblePackets = 0
  /// How often the sender began a new time line.
  public var restarts = 0

  /// All zero.
  public init() {}

  /// Counts a packet whose turn has passed.
  @_noLocks
  mutating func countLate(_ packet: StoredPacket) {
    if packet.isCopy {
      fecPacketsDiscarded &+= 1
    } else {
      latePackets &+= 1
      packetsDiscarded &+= 1
    }
  }
}
