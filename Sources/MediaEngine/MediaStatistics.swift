internal import JitterBuffer

/// What an engine has counted since it was made, by the names and units of the W3C's webrtc-stats
/// (https://www.w3.org/TR/webrtc-stats): seconds, bytes, linear levels. Counters only grow.
public struct MediaStatistics: Sendable, BitwiseCopyable, Codable, Equatable {
  /// The microphone, as it came and after the echo canceller.
  public var mediaSource = MediaSource()
  /// What was sent.
  public var outboundRTP = OutboundRTP()
  /// What was received, and how it was played.
  public var inboundRTP = InboundRTP()
  /// What could not be used; not part of webrtc-stats.
  public var faults = Faults()

  @_noLocks
  init() {}

  enum CodingKeys: String, CodingKey {
    case mediaSource = "media-source"
    case outboundRTP = "outbound-rtp"
    case inboundRTP = "inbound-rtp"
    case faults
  }

  /// RTCAudioSourceStats.
  public struct MediaSource: Sendable, BitwiseCopyable, Codable, Equatable {
    /// RMS of the newest 10 ms, 0...1.
    public var audioLevel = 0.0
    /// Sum over all frames of level² times duration, in seconds.
    public var totalAudioEnergy = 0.0
    /// Seconds of audio that were captured.
    public var totalSamplesDuration = 0.0
    /// Loudspeaker over echo at the microphone, dB.
    public var echoReturnLoss = 0.0
    /// Echo before over echo after the canceller, dB.
    public var echoReturnLossEnhancement = 0.0
    /// Whether the newest frame holds speech; not part of webrtc-stats.
    public var voiceActivity = false

    @_noLocks
    init() {}
  }

  /// RTCOutboundRtpStreamStats.
  public struct OutboundRTP: Sendable, BitwiseCopyable, Codable, Equatable {
    /// Packets that `poll` handed over.
    public var packetsSent = 0
    /// Bytes of payload, without headers and trailers.
    public var bytesSent = 0
    /// Bytes of RTP headers and SRTP trailers.
    public var headerBytesSent = 0

    @_noLocks
    init() {}
  }

  /// RTCInboundRtpStreamStats.
  public struct InboundRTP: Sendable, BitwiseCopyable, Codable, Equatable {
    /// RTP packets of the stream, duplicates included.
    public var packetsReceived = 0
    /// Bytes of payload, without headers and trailers.
    public var bytesReceived = 0
    /// Bytes of RTP headers and SRTP trailers.
    public var headerBytesReceived = 0
    /// Expected less received, by RFC 3550 A.3; duplicates can make it negative.
    public var packetsLost = 0
    /// Packets that came too late or too early and so were not played; neither duplicates nor what a flush took.
    public var packetsDiscarded = 0
    /// Copies of earlier packets that came with others: Opus' in-band FEC and RED.
    public var fecPacketsReceived = 0
    /// Those of them that were not played, being late or not needed.
    public var fecPacketsDiscarded = 0
    /// RFC 3550 A.8, in seconds.
    public var jitter = 0.0
    /// Seconds from the arrival of a sample's packet to its playout, summed over all emitted samples.
    public var jitterBufferDelay = 0.0
    /// The target delay at each emitted sample, summed, in seconds.
    public var jitterBufferTargetDelay = 0.0
    /// The same of the target that the network alone asks for, without the limits of the settings.
    public var jitterBufferMinimumDelay = 0.0
    /// Samples that came out of the jitter buffer; the sums above divided by it are means.
    public var jitterBufferEmittedCount = 0
    /// All samples played for the stream, made up ones included; at the rate of the decoder.
    public var totalSamplesReceived = 0
    /// Samples replaced by ones made here, since their packet was lost or came too late; not what a copy restored.
    public var concealedSamples = 0
    /// Those of them that were silent.
    public var silentConcealedSamples = 0
    /// Runs of concealed samples.
    public var concealmentEvents = 0
    /// Samples played more than received, where playout was slowed down.
    public var insertedSamplesForDeceleration = 0
    /// Samples received more than played, where playout was sped up.
    public var removedSamplesForAcceleration = 0
    /// RMS of the newest block that was played, 0...1.
    public var audioLevel = 0.0
    /// As in `MediaSource`.
    public var totalAudioEnergy = 0.0
    /// Seconds that the samples counted by `totalSamplesReceived` last.
    public var totalSamplesDuration = 0.0

    @_noLocks
    init() {}
  }

  /// Inputs that were refused or mended, by cause.
  public struct Faults: Sendable, BitwiseCopyable, Codable, Equatable {
    /// Samples that were not a number or infinite, and were silenced.
    public var nonFiniteSamples = 0
    /// Datagrams that are no RTP packet.
    public var malformedPackets = 0
    /// Packets that failed authentication: tampered with, or under another key.
    public var unauthenticPackets = 0
    /// Packets that were seen before, or are older than the replay window.
    public var replayedPackets = 0
    /// Packets of a stream that is not the announced one.
    public var unexpectedStreams = 0
    /// Packets of a payload type that was not negotiated.
    public var unknownPayloadTypes = 0
    /// RTCP packets, which nobody here reads yet.
    public var ignoredControlPackets = 0
    /// Packets that nobody took by `poll` in time, or that did not fit into the buffer it was given.
    public var unsentPackets = 0
    /// Frames that the encoder refused.
    public var encoderFailures = 0

    @_noLocks
    init() {}
  }
}

extension MediaStatistics.InboundRTP {
  @_noLocks
  mutating func add(_ buffer: JitterBufferStatistics) {
    packetsDiscarded = buffer.packetsDiscarded
    fecPacketsReceived = buffer.fecPacketsReceived
    fecPacketsDiscarded = buffer.fecPacketsDiscarded
    jitterBufferDelay = buffer.jitterBufferDelay
    jitterBufferTargetDelay = buffer.jitterBufferTargetDelay
    jitterBufferMinimumDelay = buffer.jitterBufferMinimumDelay
    jitterBufferEmittedCount = buffer.jitterBufferEmittedCount
    totalSamplesReceived = buffer.totalSamplesReceived
    concealedSamples = buffer.concealedSamples
    silentConcealedSamples = buffer.silentConcealedSamples
    concealmentEvents = buffer.concealmentEvents
    insertedSamplesForDeceleration = buffer.insertedSamplesForDeceleration
    removedSamplesForAcceleration = buffer.removedSamplesForAcceleration
  }

  @_noLocks
  mutating func add(_ stream: StreamPlayoutStatistics) {
    jitterBufferEmittedCount = stream.jitterBufferEmittedCount
    totalSamplesReceived = stream.totalSamplesReceived
    concealedSamples = stream.concealedSamples
    silentConcealedSamples = stream.silentConcealedSamples
    concealmentEvents = stream.concealmentEvents
    insertedSamplesForDeceleration = stream.insertedSamplesForDeceleration
  }

  /// Adds what was played at `hertz`, once `totalSamplesReceived` is known. Silence between streams adds no energy.
  @_noLocks
  mutating func add(_ level: LevelSum, hertz: Int) {
    audioLevel = level.level
    totalAudioEnergy = level.totalEnergy
    totalSamplesDuration = Double(totalSamplesReceived) / Double(hertz)
  }
}

extension MediaStatistics.MediaSource {
  @_noLocks
  mutating func add(_ level: LevelSum) {
    audioLevel = level.level
    totalAudioEnergy = level.totalEnergy
    totalSamplesDuration = level.totalDuration
  }
}
