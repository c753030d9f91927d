internal import COpus

/// How an `OpusEncoder` trades bitrate, quality, delay, robustness and processor time; the default is a voice call.
public struct OpusEncoderSettings: Hashable, Sendable, BitwiseCopyable {
  /// Bits per second of the packets, without RTP and IP headers.
  public enum Bitrate: Hashable, Sendable, BitwiseCopyable {
    /// libopus chooses from sample rate, channels and frame duration.
    case automatic
    /// As much as fits into each packet: 1,275 bytes a frame.
    case maximum
    /// 500 to 512,000; libopus clamps what is outside.
    case bitsPerSecond(Int)
  }

  /// How strictly each packet keeps to the bitrate.
  public enum RateControl: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Size follows the difficulty of the signal; the bitrate is an average over long time.
    case variable
    /// As `variable`, but bounded so that one frame of extra buffering suffices on a link of the given bitrate.
    case constrainedVariable
    /// Each packet has the same size, so sizes tell an eavesdropper nothing about the speech (RFC 6562).
    case constant
  }

  /// What the encoder is optimised for; fixed for its life.
  public enum Application: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// Intelligible speech; the only one that pre-filters the input.
    case voip
    /// Closest to the input.
    case audio
    /// CELT only: 2.5 ms of lookahead instead of 6.5 ms, no in-band FEC.
    case lowDelay
  }

  /// What the encoder may take the signal for.
  public enum Signal: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// The encoder listens and decides.
    case automatic
    /// Speech: leans to SILK.
    case voice
    /// Anything else: leans to CELT.
    case music
  }

  /// How many bits to spend; 32 kbit/s is transparent enough for wideband speech.
  public var bitrate: Bitrate
  /// 0 (least processor time) to 10 (best quality).
  public var complexity: Int
  /// How strictly to keep to `bitrate`.
  public var rateControl: RateControl
  /// In-band FEC: a coarse copy of the frame before rides in each SILK packet once `expectedPacketLoss` is above 0.
  public var forwardErrorCorrection: Bool
  /// Percent of packets that get lost, 0 to 100; the encoder spends bits on FEC and on independence between frames.
  public var expectedPacketLoss: Int
  /// Send nothing while nobody speaks, but for one packet in 400 ms that keeps the comfort noise current.
  public var discontinuousTransmission: Bool
  /// The widest audio bandwidth that the encoder may choose.
  public var maximumBandwidth: OpusBandwidth
  /// This bandwidth always, or `nil` for the encoder's choice.
  public var bandwidth: OpusBandwidth?
  /// What to optimise for.
  public var application: Application
  /// What the signal is, where the caller knows it.
  public var signal: Signal

  /// Settings for a voice call at 32 kbit/s; name what shall differ.
  public init(
    bitrate: Bitrate = .bitsPerSecond(32_000), complexity: Int = 9, rateControl: RateControl = .variable,
    forwardErrorCorrection: Bool = false, expectedPacketLoss: Int = 0, discontinuousTransmission: Bool = false,
    maximumBandwidth: OpusBandwidth = .fullband, bandwidth: OpusBandwidth? = nil, application: Application = .voip,
    signal: Signal = .automatic
  ) {
    self.bitrate = bitrate
    self.complexity = complexity
    self.rateControl = rateControl
    self.forwardErrorCorrection = forwardErrorCorrection
    self.expectedPacketLoss = expectedPacketLoss
    self.discontinuousTransmission = discontinuousTransmission
    self.maximumBandwidth = maximumBandwidth
    self.bandwidth = bandwidth
    self.application = application
    self.signal = signal
  }
}

extension OpusEncoderSettings.Bitrate {
  var opusValue: Int32 {
    @_noLocks get {
      switch self {
      case .automatic: OPUS_AUTO
      case .maximum: OPUS_BITRATE_MAX
      case .bitsPerSecond(let bits): Int32(Swift.max(0, Swift.min(bits, 1_000_000)))
      }
    }
  }
}

extension OpusEncoderSettings.Application {
  var opusValue: Int32 {
    switch self {
    case .voip: OPUS_APPLICATION_VOIP
    case .audio: OPUS_APPLICATION_AUDIO
    case .lowDelay: OPUS_APPLICATION_RESTRICTED_LOWDELAY
    }
  }
}

extension OpusEncoderSettings.Signal {
  var opusValue: Int32 {
    switch self {
    case .automatic: OPUS_AUTO
    case .voice: OPUS_SIGNAL_VOICE
    case .music: OPUS_SIGNAL_MUSIC
    }
  }
}
