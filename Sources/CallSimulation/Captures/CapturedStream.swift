public import AudioCodecs
public import AudioFiles
internal import RealtimeCore

/// One RTP stream of a capture with what is needed to play it.
public struct CapturedStream: Sendable {
  /// One payload type of the stream.
  public struct Payload: Sendable {
    /// Who named the codec.
    public enum NameSource: String, Sendable {
      /// The caller.
      case choice
      /// RFC 3551's fixed number, or SDP in the capture.
      case standard
      /// Nobody: every packet has the shape of this codec.
      case shape
    }

    /// The counts.
    public let use: RTPStream.PayloadUse
    /// The codec; `nil` where nothing tells.
    public let name: PayloadName?
    /// Who named it.
    public let nameSource: NameSource?
    /// How it is decoded; `nil` for a codec that is not read here, and for what is no sound.
    public let format: CodecFormat?
    /// G.711 that is labelled with one law and sounds like a signal by the other.
    public let likelierLaw: G711.Law?
    /// How long the packets play, in seconds; `nil` where they cannot be decoded.
    public let soundSeconds: Double?
  }

  /// A payload type that came inside others (RED).
  public struct Carried: Sendable {
    /// The codec.
    public let name: PayloadName
    /// How it is decoded; `nil` for what is no sound.
    public let format: CodecFormat?

    init?(_ name: PayloadName, payloadType: UInt8) {
      self.name = name
      format = name.isSound ? CodecFormat(name, payloadType: payloadType) : nil
    }
  }

  /// Counts, losses, jitter, keys.
  public let stream: RTPStream
  /// In the order of their first packets.
  public let payloads: [Payload]
  /// What RED packets have inside, by number.
  public let carried: [Carried]
  /// RTP packets that no SRTP key opened; 0 without keys.
  public let closedCount: Int
  /// The stream's packets are encrypted, and no key opened them.
  public let isClosed: Bool

  /// What the stream is decoded with, each payload type once: its own, then those inside of RED.
  public var formats: [CodecFormat] {
    var formats = payloads.compactMap(\.format)
    guard payloads.contains(where: { $0.name?.isRedundant == true }) else { return formats }
    for format in carried.compactMap(\.format) where !formats.contains(where: { $0.payloadType == format.payloadType })
    {
      formats.append(format)
    }
    return formats
  }

  /// Whether there is sound that can be decoded.
  public var isPlayable: Bool { !isClosed && !formats.isEmpty }

  /// How long the decodable packets of the stream play, in seconds.
  public var soundSeconds: Double { payloads.compactMap(\.soundSeconds).reduce(0, +) }
}

extension CapturedStream.Payload {
  init(
    _ use: RTPStream.PayloadUse, in stream: RTPStream, evidence: PayloadEvidence?, isChosen: Bool
  ) {
    let guess = use.name == nil && use.isSound ? Self.shape(use, in: stream, evidence) : nil
    let name =
      use.name ?? guess
      ?? (use.isTelephoneEvent
        ? PayloadName(encoding: "telephone-event", clockRate: stream.telephoneEventClockRate) : nil)
    self.use = use
    self.name = name
    nameSource = isChosen ? .choice : use.name != nil ? .standard : name != nil ? .shape : nil
    format = name.flatMap { CodecFormat($0, payloadType: use.payloadType) }
    likelierLaw = evidence?.likelierLaw
    soundSeconds = format.flatMap { format in
      guard let bytes = format.bytesOfTwoSamples else { return evidence.map { Double($0.opusMicroseconds) * 1e-6 } }
      let samples = 2 * use.payloadByteCount / (bytes * max(1, name?.channelCount ?? 1))
      return Double(samples) / Double(format.clockRate * format.samplesPerTick)
    }
  }

  /// The codec that packets without a name have the shape of.
  ///
  /// Opus: each packet's first byte is a valid head whose duration is the step of the timestamps at 48 kHz. Uncompressed
  /// sound: all packets have the same length, 2 or 3 bytes for each tick; no compressed codec is so wasteful.
  private static func shape(
    _ use: RTPStream.PayloadUse, in stream: RTPStream, _ evidence: PayloadEvidence?
  ) -> PayloadName? {
    guard use.payloadType >= 96, use.packetCount >= 10, stream.packetTicks > 0, let rate = use.jitter.clockRate else {
      return nil
    }
    let ticks = stream.packetTicks
    if rate == 48_000, let evidence, evidence.otherCount == 0,
      evidence.opusPacketMicroseconds.map({ $0 * 48 == ticks * 1_000 }) == true
    {
      return PayloadName(encoding: "opus", clockRate: 48_000, channelCount: 2)
    }
    guard use.payloadByteCounts.lowerBound == use.payloadByteCounts.upperBound else { return nil }
    switch use.payloadByteCounts.lowerBound {
    case 3 * ticks: return PayloadName(encoding: "L24", clockRate: rate)
    case 2 * ticks: return PayloadName(encoding: "L16", clockRate: rate)
    default: return nil
    }
  }
}
