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
  /// Packets dropped: too late, in place of newer ones, or by a flush.
  public var packetsDiscarded = 0
  /// Packets whose low-rate copy (in-band FEC) was there when the packet itself was missing.
  public var fecPacketsReceived = 0
  /// Copies that were there and not needed, because the packet itself came.
  public var fecPacketsDiscarded = 0

  // Beyond W3C.

  /// Samples of the decoder's noise in pauses of the sender; neither emitted nor concealed.
  public var comfortNoiseSamples = 0
  /// Samples decoded from low-rate copies; contained in `jitterBufferEmittedCount`.
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
}
