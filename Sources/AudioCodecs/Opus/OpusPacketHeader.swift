public import RealtimeCore

/// What an Opus packet says about itself before any decoding (RFC 6716 §3).
///
/// ```
///  0 1 2 3 4 5 6 7
/// +-+-+-+-+-+-+-+-+   config: mode, bandwidth and frame duration (table 2)
/// | config  |s| c |   s: stereo
/// +-+-+-+-+-+-+-+-+   c: 0 one frame; 1 two of equal size; 2 two of different size; 3 count in the next byte
/// ```
public struct OpusPacketHeader: Hashable, Sendable, BitwiseCopyable {
  /// The coding layers that a packet uses.
  public enum Mode: Hashable, Sendable, BitwiseCopyable {
    /// Linear prediction, for speech.
    case silk
    /// SILK up to 8 kHz with CELT above.
    case hybrid
    /// MDCT, for music and low delay.
    case celt
  }

  /// The layers of all frames of the packet.
  public let mode: Mode
  /// The audio bandwidth of all frames of the packet.
  public let bandwidth: OpusBandwidth
  /// 1 or 2; a mono decoder mixes 2 down.
  public let channelCount: Int
  /// 1 to 48.
  public let frameCount: Int
  /// Duration of each frame in microseconds: 2,500 to 60,000.
  public let frameMicroseconds: Int
  /// Bytes of the first frame; 0 or 1 says that it was not coded (discontinuous transmission, or a gap to conceal).
  public let firstFrameByteCount: Int
  /// The first frame carries a low-bitrate copy (LBRR) of the frame before this packet, which FEC decoding can use.
  public let hasRedundancy: Bool

  /// Duration of the whole packet in microseconds, at most 120,000.
  public var durationMicroseconds: Int { @_noLocks get { frameMicroseconds &* frameCount } }

  /// The packet stands for silence in discontinuous transmission: nothing in it to decode.
  public var isDiscontinuous: Bool { @_noLocks get { firstFrameByteCount <= 1 } }

  /// Samples per channel that the packet decodes to.
  @_noLocks
  public func sampleCount(at sampleRate: SampleRate) -> Int {
    sampleRate.hertz &* durationMicroseconds / 1_000_000
  }

  /// Samples per channel of one frame.
  @_noLocks
  public func frameSampleCount(at sampleRate: SampleRate) -> Int {
    sampleRate.hertz &* frameMicroseconds / 1_000_000
  }

  /// Reads the framing; `nil` for what RFC 6716 §3.4 calls malformed.
  @_noLocks
  public init?(_ packet: borrowing ByteView) {
    guard packet.count > 0 else { return nil }
    let toc = packet[0]
    let config = Int(toc >> 3)
    channelCount = toc & 0b100 == 0 ? 1 : 2
    // RFC 6716 table 2: durations of SILK, hybrid and CELT configurations, in groups of four, two and four.
    if config < 12 {
      mode = .silk
      bandwidth = config < 4 ? .narrowband : config < 8 ? .mediumband : .wideband
      frameMicroseconds = config & 3 == 3 ? 60_000 : 10_000 << (config & 3)
    } else if config < 16 {
      mode = .hybrid
      bandwidth = config < 14 ? .superwideband : .fullband
      frameMicroseconds = 10_000 << (config & 1)
    } else {
      mode = .celt
      bandwidth = config < 20 ? .narrowband : config < 24 ? .wideband : config < 28 ? .superwideband : .fullband
      frameMicroseconds = 2_500 << (config & 3)
    }
    guard let framing = OpusFraming(packet, frameMicroseconds: frameMicroseconds) else { return nil }
    frameCount = framing.frameCount
    firstFrameByteCount = framing.firstFrameByteCount
    hasRedundancy =
      mode != .celt && framing.firstFrameByteCount > 1
      && Self.lowBitrateFlag(
        in: packet[framing.firstFrameStart], silkFrames: frameMicroseconds > 20_000 ? frameMicroseconds / 20_000 : 1,
        channels: channelCount)
  }

  /// Reads the framing; see `init(_:)` for views.
  @_noLocks
  public init?(_ packet: borrowing Span<UInt8>) { self.init(ByteView(packet)) }

  /// Whether the LBRR flag of any channel is set.
  ///
  /// RFC 6716 §4.2.3: a SILK frame opens, for each channel (mid, then side), with one voice-activity bit for each 20 ms
  /// (one for 10 ms) and one LBRR flag. They are coded with even odds as the first symbols, so they are the upper
  /// bits of the first byte. A set flag means that at least one of the 20 ms has a copy (§4.2.4).
  @_noLocks
  private static func lowBitrateFlag(in first: UInt8, silkFrames: Int, channels: Int) -> Bool {
    let mid = first >> UInt8(truncatingIfNeeded: 7 &- silkFrames) & 1
    if channels == 1 { return mid != 0 }
    let side = first >> UInt8(truncatingIfNeeded: 6 &- 2 &* silkFrames) & 1
    return mid | side != 0
  }
}
