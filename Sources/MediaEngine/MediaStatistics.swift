internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore

/// What an engine has counted since it was made, by the names and units of the W3C's webrtc-stats
/// (https://www.w3.org/TR/webrtc-stats): seconds, bytes, linear levels. Counters only grow.
public struct MediaStatistics: Sendable, BitwiseCopyable, Codable, Equatable {
  /// The microphone, as it came and after the echo canceller.
  public var mediaSource = MediaSource()
  /// What was sent.
  public var outboundRTP = OutboundRTP()
  /// What was received, and how it was played.
  public var inboundRTP = InboundRTP()
  /// What the far end reports of what was sent (RTCP).
  public var remoteInboundRTP = RemoteInboundRTP()
  /// What the far end reports of what it sends (RTCP).
  public var remoteOutboundRTP = RemoteOutboundRTP()
  /// What could not be used; not part of webrtc-stats.
  public var faults = Faults()

  @_noLocks
  init() {}

  enum CodingKeys: String, CodingKey {
    case mediaSource = "media-source"
    case outboundRTP = "outbound-rtp"
    case inboundRTP = "inbound-rtp"
    case remoteInboundRTP = "remote-inbound-rtp"
    case remoteOutboundRTP = "remote-outbound-rtp"
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
    /// Packets sent again since the far end asked for them; not in `packetsSent`.
    public var retransmittedPacketsSent = 0
    /// Their bytes, headers and trailers included.
    public var retransmittedBytesSent = 0
    /// Packets that the far end asked for again.
    public var nackCount = 0
    /// The bitrate that Opus was told by the far end's reports, in bits per second; 0 where they do not count.
    public var targetBitrate = 0

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
    /// Packets of requests for lost ones that were sent (RTCP NACK).
    public var nackCount = 0
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

  /// RTCRemoteInboundRtpStreamStats.
  public struct RemoteInboundRTP: Sendable, BitwiseCopyable, Codable, Equatable {
    /// Packets that the far end has missed; negative when duplicates outnumber them.
    public var packetsLost = 0
    /// Share of packets lost in the newest report's time, 0...1; `nil` before the first report.
    public var fractionLost: Double?
    /// Jitter that the far end measures, in seconds; `nil` before the first report.
    public var jitter: Double?
    /// The way there and back in seconds; `nil` before the first measurement.
    public var roundTripTime: Double?
    /// Sum of all measurements, in seconds.
    public var totalRoundTripTime = 0.0
    /// How many measurements there were.
    public var roundTripTimeMeasurements = 0

    @_noLocks
    init() {}
  }

  /// RTCRemoteOutboundRtpStreamStats.
  public struct RemoteOutboundRTP: Sendable, BitwiseCopyable, Codable, Equatable {
    /// Packets that the far end says it has sent.
    public var packetsSent = 0
    /// Payload bytes in them.
    public var bytesSent = 0
    /// Sender reports that came.
    public var reportsSent = 0

    @_noLocks
    init() {}
  }

  /// Inputs that were refused or mended, by cause.
  public struct Faults: Sendable, BitwiseCopyable, Codable, Equatable {
    /// Samples that were not a number or infinite, and were silenced.
    public var nonFiniteSamples = 0
    /// Datagrams that are no RTP packet, and packets whose payload is none of the codec's.
    public var malformedPackets = 0
    /// Packets whose number and time do not belong to the stream; in `packetsDiscarded` too.
    public var implausiblePackets = 0
    /// Packets that failed authentication: tampered with, or under another key.
    public var unauthenticPackets = 0
    /// Packets that were seen before, or are older than the replay window.
    public var replayedPackets = 0
    /// Packets of a stream that is not the announced one.
    public var unexpectedStreams = 0
    /// Packets of a payload type that was not negotiated.
    public var unknownPayloadTypes = 0
    /// RTCP datagrams of a call without control, which nobody reads.
    public var ignoredControlPackets = 0
    /// RTCP datagrams whose shape is wrong.
    public var malformedControlPackets = 0
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

extension MediaEngineParts {
  /// Adds what is known by RTCP.
  @_noLocks
  func addControl(to statistics: inout MediaStatistics) {
    switch control {
    case .none: break
    case .some(let control):
      statistics.outboundRTP.retransmittedPacketsSent = control.retransmittedPacketsSent
      statistics.outboundRTP.retransmittedBytesSent = control.retransmittedBytesSent
      statistics.outboundRTP.nackCount = control.remoteInbound.requestedPackets
      statistics.outboundRTP.targetBitrate = control.targetBitrate
      statistics.inboundRTP.nackCount = control.nackCount
      statistics.remoteInboundRTP.add(control.remoteInbound)
      statistics.remoteOutboundRTP.add(control.remoteOutbound)
      statistics.faults.malformedControlPackets = control.malformedPackets
    }
  }
}

extension MediaStatistics.RemoteInboundRTP {
  @_noLocks
  mutating func add(_ remote: RemoteInboundStatistics) {
    packetsLost = remote.packetsLost
    if remote.reportsReceived > 0 {
      fractionLost = remote.fractionLost
      jitter = remote.jitter
    }
    roundTripTime = remote.roundTripTime
    totalRoundTripTime = remote.totalRoundTripTime
    roundTripTimeMeasurements = remote.roundTripTimeMeasurements
  }
}

extension MediaStatistics.RemoteOutboundRTP {
  @_noLocks
  mutating func add(_ remote: RemoteOutboundStatistics) {
    packetsSent = remote.packetsSent
    bytesSent = remote.bytesSent
    reportsSent = remote.reportsSent
  }
}
