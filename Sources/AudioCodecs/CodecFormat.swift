public import RealtimeCore

/// A codec as an RTP stream uses it: payload type, clock rate and how much audio a packet carries. Always mono; a
/// received stereo Opus packet is mixed down.
///
/// The values are not checked here: `AudioEncoder` and `AudioDecoder` do that when they are made.
public struct CodecFormat: Hashable, Sendable, BitwiseCopyable {
  /// What the payloads are made with.
  public let codec: Codec
  /// The payload type in the RTP header, 0 to 127.
  public var payloadType: UInt8
  /// Ticks per second of the RTP timestamp: 48,000 for Opus at any bandwidth, 8,000 for G.711 and G.722, L16's
  /// and L24's own rate.
  public let clockRate: Int
  /// Audio in one packet, in microseconds: 2,500, 5,000, 10,000, 20,000, 40,000 or 60,000 for Opus, any whole number of
  /// samples within 2,500...60,000 for the others.
  public var packetDuration: Int

  /// Opus with the payload type that most agents offer.
  public static func opus(payloadType: UInt8 = 111, packetDuration: Int = 20_000) -> CodecFormat {
    CodecFormat(codec: .opus, payloadType: payloadType, clockRate: 48_000, packetDuration: packetDuration)
  }

  /// G.711 µ-law, 20 ms, with its static payload type (RFC 3551 §6).
  public static var pcmu: CodecFormat { pcmu(packetDuration: 20_000) }

  /// G.711 A-law, 20 ms, with its static payload type (RFC 3551 §6).
  public static var pcma: CodecFormat { pcma(packetDuration: 20_000) }

  /// G.711 µ-law.
  public static func pcmu(payloadType: UInt8 = 0, packetDuration: Int) -> CodecFormat {
    CodecFormat(codec: .pcmu, payloadType: payloadType, clockRate: 8_000, packetDuration: packetDuration)
  }

  /// G.711 A-law.
  public static func pcma(payloadType: UInt8 = 8, packetDuration: Int) -> CodecFormat {
    CodecFormat(codec: .pcma, payloadType: payloadType, clockRate: 8_000, packetDuration: packetDuration)
  }

  /// L16, one channel. Without a payload type: the static 11 at 44.1 kHz (RFC 3551 §6), else the dynamic 96.
  public static func l16(
    _ sampleRate: SampleRate, payloadType: UInt8? = nil, packetDuration: Int = 20_000
  ) -> CodecFormat {
    let standard: UInt8 = sampleRate == .hz44100 ? 11 : 96
    return CodecFormat(
      codec: .l16, payloadType: payloadType ?? standard, clockRate: sampleRate.hertz, packetDuration: packetDuration)
  }

  /// L24, one channel.
  public static func l24(
    _ sampleRate: SampleRate, payloadType: UInt8 = 96, packetDuration: Int = 20_000
  ) -> CodecFormat {
    CodecFormat(codec: .l24, payloadType: payloadType, clockRate: sampleRate.hertz, packetDuration: packetDuration)
  }

  /// G.722, 20 ms, with its static payload type (RFC 3551 §6).
  public static var g722: CodecFormat { g722(packetDuration: 20_000) }

  /// G.722.
  public static func g722(payloadType: UInt8 = 9, packetDuration: Int) -> CodecFormat {
    CodecFormat(codec: .g722, payloadType: payloadType, clockRate: 8_000, packetDuration: packetDuration)
  }

  /// Samples that one tick of the RTP timestamp stands for at most: 2 for G.722, whose clock stayed at half its sound's
  /// rate for the sake of old implementations (RFC 3551 §4.5.2), else 1.
  public var samplesPerTick: Int {
    @_noLocks get {
      switch codec {
      case .g722: clockRate == 8_000 ? 2 : 1
      case .opus, .pcmu, .pcma, .l16, .l24: 1
      }
    }
  }

  /// The same format on a clock that is not slower than its sound, for a stage that takes samples for whole ticks; give
  /// that stage timestamps times `samplesPerTick`, which may wrap.
  public var onSampleClock: CodecFormat {
    CodecFormat(
      codec: codec, payloadType: payloadType, clockRate: clockRate * samplesPerTick, packetDuration: packetDuration)
  }

  /// Ticks by which the RTP timestamp grows from packet to packet.
  public var timestampStep: UInt32 {
    @_noLocks get { UInt32(truncatingIfNeeded: clockRate &* packetDuration / 1_000_000) }
  }

  /// Bytes of the longest payload that a sender of this format may make: for Opus the 1,275 bytes that each 20 ms of
  /// `packetDuration` can take (RFC 6716 §3.2) and their table, for the others 60 ms, whatever `packetDuration` is.
  public var longestPayloadByteCount: Int {
    let milliseconds = clockRate.multipliedReportingOverflow(by: 60).partialValue / 1_000
    switch codec {
    case .opus: return (min(max(packetDuration, 1), 120_000) + 19_999) / 20_000 * 1_275 + 7
    case .pcmu, .pcma, .g722: return milliseconds
    case .l16: return 2 * milliseconds
    case .l24: return 3 * milliseconds
    }
  }

  /// The value of `a=rtpmap`: payload type, name, clock rate and for Opus the 2 channels that RFC 7587 §7 demands.
  public var rtpmap: String {
    "\(payloadType) \(codec.sdpName)/\(clockRate)\(codec == .opus ? "/2" : "")"
  }

  /// Samples of a packet at `sampleRate`; throws unless `codec` can have packets of this duration.
  func frameSampleCount(at sampleRate: SampleRate) throws(CodecError) -> Int {
    let sampleMicroseconds = sampleRate.hertz.multipliedReportingOverflow(by: packetDuration)
    guard (2_500...60_000).contains(packetDuration), sampleMicroseconds.partialValue % 1_000_000 == 0 else {
      throw .unsupportedPacketDuration(microseconds: packetDuration, codec)
    }
    return sampleMicroseconds.partialValue / 1_000_000
  }
}
