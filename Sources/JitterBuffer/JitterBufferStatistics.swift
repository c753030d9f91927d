/// Counters of one jitter buffer since it was made, named and defined as in W3C webrtc-stats where that has them.
///
/// A sample counts once, for what it was when it was played: `totalSamplesReceived` is the sum of emitted, concealed and
/// comfort-noise samples. Silence before the first packet, behind a flush and while held is none of them.
/// - Source: https://www.w3.org/TR/webrtc-stats, RTCInboundRtpStreamStats (§8.4).
public struct JitterBufferStatistics: Hashable, Sendable, BitwiseCopyable {
  /// Seconds from the arrival of a sample's packet (or of the copy it was decoded from) to the sample's playout, summed over
  /// all emitted samples. Divided by `jitterBufferEmittedCount`: the mean delay in the buffer.
  public var jitterBufferDelay = 0.0
  /// The target delay in seconds at the time each emitted sample was played, summed. Divided by
  /// `jitterBufferEmittedCount`: the mean target.
  public var jitterBufferTargetDelay = 0.0
  /// As `jitterBufferTargetDelay`, of the target that the network alone asks for, without the limits of the settings.
  public var jitterBufferMinimumDelay = 0.0
  /// Samples that came out of the buffer: decoded from packets, from their copies, or put in by a stretch.
  public var jitterBufferEmittedCount = 0
  /// All samples played for the stream; contains `concealedSamples`.
  public var totalSamplesReceived = 0
  /// Samples replaced by ones made here, since their packet was lost or came too late. What a copy restored (in-band FEC,
  /// RED) is not concealed, nor is the noise in a pause in which the sender sent nothing.
  public var concealedSamples = 0
  /// Those of the concealed samples that were silence or noise in place of it, the concealment having faded out.
  public var silentConcealedSamples = 0
  /// Runs of concealed samples: grows with each concealed sample behind one that was not.
  public var concealmentEvents = 0
  /// Samples played more than received, where playout was slowed down: by stretch, or by resampling to a slow sender's
  /// pace.
  public var insertedSamplesForDeceleration = 0
  /// Samples received more than played, where playout was sped up, by the same means.
  public var removedSamplesForAcceleration = 0
  /// Packets that came, duplicates included.
  public var packetsReceived = 0
  /// Packets that came too late or too early (or too many at once) and so were not played; not duplicates, which webrtc-stats
  /// leaves out, nor what a flush took.
  public var packetsDiscarded = 0
  /// Copies of earlier packets that came with others: Opus' in-band FEC and RED.
  public var fecPacketsReceived = 0
  /// Those of the copies that were not played: the packet itself came, another copy had restored it, or its time had
  /// passed.
  public var fecPacketsDiscarded = 0

  // Beyond W3C.

  /// Samples played in pauses of the sender: its noise, the decoder's, or silence; neither emitted nor concealed.
  public var comfortNoiseSamples = 0
  /// Packets that a flush took away, or that came after it and were sent before.
  public var flushedPackets = 0
  /// Packets asked for again (`retransmissionRequests`) that came.
  public var retransmittedPacketsReceived = 0
  /// Samples decoded from copies; contained in `jitterBufferEmittedCount`.
  public var recoveredSamples = 0
  /// Packets that came when their sound had been concealed or passed over; contained in `packetsDiscarded`.
  public var latePackets = 0
  /// Packets that never came in time, by their sequence numbers.
  public var missingPackets = 0
  /// Second copies of packets.
  public var duplicatePackets = 0
  /// Packets that the codec could not read, when they came or when they were decoded.
  public var malformedPackets = 0
  /// Packets dropped because their number or timestamp was far away from the stream's; contained in `packetsDiscarded`.
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
