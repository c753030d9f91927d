public import AudioCodecs
public import EchoControl
public import JitterBuffer
public import RTPTransport
public import RealtimeCore
public import SignalProcessing

/// What an engine is made for: rates, codecs, processing, keys. Fixed for the engine's life; what may change in mid-call
/// are properties of `MediaEngine`.
public struct MediaEngineSettings: Sendable {
  /// The rate at which the microphone path works inside: 16, 24 or 48 kHz.
  public var engineRate = SampleRate.hz48000
  /// The rate of the samples that `capture` gets.
  public var captureRate = SampleRate.hz48000
  /// The rate of the samples that `render` gives.
  public var renderRate = SampleRate.hz48000

  /// What is sent.
  public var sendFormat = CodecFormat.opus()
  /// How Opus is sent, if it is.
  public var opus = OpusEncoderSettings()
  /// What is received.
  public var receiveFormat = CodecFormat.opus()
  /// What the far end may go over to in mid-call besides, as far as negotiated: up to 7, each with a payload type of its
  /// own. Their decoders are made with the engine.
  public var otherReceiveFormats: [CodecFormat] = []
  /// The payload type of pressed keys (RFC 4733), where it was negotiated.
  public var telephoneEventType: UInt8? = 101
  /// Sending packets more than once, and receiving such; `nil`: neither.
  public var redundancy: Redundancy?
  /// The agent's audio when it comes over a socket instead of by RTP: then `append` takes it and `receive` nothing.
  public var agentStream: StreamFormat?
  /// How that audio waits for its turn.
  public var streamPlayout = StreamPlayoutSettings()
  /// How received packets wait for their turn.
  public var jitterBuffer = JitterBufferSettings()

  /// Removal of the loudspeaker's sound from the microphone; `nil`: none, as with a headset.
  /// Its `noiseAttenuation` is set from the next.
  public var echoCanceller: EchoSettings? = EchoSettings()
  /// By how much steady noise is turned down in the microphone, in dB, 0...60; `nil`: not at all. The echo canceller does
  /// it, where there is one.
  public var noiseAttenuation: Int? = 15
  /// The level that the user's speech is brought to; `nil`: it is left as it is.
  public var automaticGain: AutomaticGain.Settings? = AutomaticGain.Settings()
  /// Bands of the two visualizers, of the user's and of the agent's voice; 0: none.
  public var bandCount = 10

  /// Reports, requests and feedback beside the sound; `nil`: none are sent, and those that come are counted only.
  public var control: ControlSettings?
  /// What each packet sent carries besides, and by which IDs arriving packets are read.
  public var headerExtension = HeaderExtensionSettings()
  /// Whether packets of silence go out while the microphone is muted. They keep the far end's buffer and the way through
  /// firewalls awake; without them nothing is sent until the mute ends.
  public var sendsSilenceWhenMuted = true

  /// Keys for what is sent and what is received; `nil`: plain RTP.
  public var security: Security?

  /// The sender's identity on the wire, drawn at random when the settings are made. Engines made with copies of one
  /// settings value share it: give each of them a `.random()` of its own.
  public var stream = StreamIdentity.random()
  /// The far end's SSRC, where signalling tells it: others are then refused, and its SRTP stream is made at set-up.
  /// `nil`: the engine follows whoever sends.
  public var remoteSSRC: UInt32?

  /// Whether the time spent in each stage is counted, in processor ticks.
  public var measuresStages = false

  /// SRTP keys of the two directions.
  public struct Security: Sendable {
    /// For what this end sends.
    public var send: SRTPKey
    /// For what the far end sends.
    public var receive: SRTPKey

    /// Both keys, each of its direction: the far end has them the other way round.
    public init(send: SRTPKey, receive: SRTPKey) {
      self.send = send
      self.receive = receive
    }
  }

  /// Redundant audio (RED, RFC 2198) as signalling agreed on it.
  public struct Redundancy: Sendable, Hashable {
    /// RED's payload type; the blocks inside have those of the formats.
    public var payloadType: UInt8
    /// How many earlier payloads each packet carries, 0...8; 0: RED is received, not sent.
    public var sendLevels: Int

    /// RED with `payloadType`, 63 in browsers.
    public init(payloadType: UInt8 = 63, sendLevels: Int = 1) {
      self.payloadType = payloadType
      self.sendLevels = sendLevels
    }
  }

  /// SSRC and first numbers of an RTP stream (RFC 3550 §5.1).
  public struct StreamIdentity: Sendable, Hashable {
    /// The synchronisation source.
    public var ssrc: UInt32
    /// With SRTP best below 32,768 (RFC 3711 §3.3.1).
    public var firstSequenceNumber: UInt16
    /// In ticks of the codec's RTP clock.
    public var firstTimestamp: UInt32

    /// Three random numbers, as RFC 3550 §5.1 wants them; the sequence number is below 32,768.
    public static func random() -> StreamIdentity {
      var generator = SystemRandomNumberGenerator()
      return random(using: &generator)
    }

    /// Three numbers of `generator`, for streams that are to be the same each time.
    public static func random(using generator: inout some RandomNumberGenerator) -> StreamIdentity {
      StreamIdentity(
        ssrc: generator.next(), firstSequenceNumber: .random(in: 0..<32_768, using: &generator),
        firstTimestamp: generator.next())
    }

    /// A stream that begins at these numbers.
    public init(ssrc: UInt32, firstSequenceNumber: UInt16, firstTimestamp: UInt32) {
      self.ssrc = ssrc
      self.firstSequenceNumber = firstSequenceNumber
      self.firstTimestamp = firstTimestamp
    }
  }

  /// The defaults: Opus at 48 kHz both ways, echo canceller, noise suppressor and gain on, plain RTP.
  public init() {}

  /// For the client of a voice agent: the defaults.
  public static var voiceAgent: MediaEngineSettings { MediaEngineSettings() }

  /// For the agent's own end, whose audio is already clean: no processing.
  public static var unprocessed: MediaEngineSettings {
    var settings = MediaEngineSettings()
    settings.echoCanceller = nil
    settings.noiseAttenuation = nil
    settings.automaticGain = nil
    settings.bandCount = 0
    return settings
  }
}

extension CodecFormat {
  /// The rate at which the codec codes best when its neighbour works at `rate`.
  func codingRate(near rate: SampleRate) -> SampleRate {
    switch codec {
    case .pcmu, .pcma: return .hz8000
    case .g722: return .hz16000
    case .l16, .l24: return (try? SampleRate(hertz: clockRate)) ?? .hz16000
    case .opus:
      // The least of Opus' rates that loses nothing of the neighbour's band.
      let rates: [SampleRate] = [.hz8000, .hz12000, .hz16000, .hz24000, .hz48000]
      return rates.first { $0 >= rate } ?? .hz48000
    }
  }
}
