internal import AudioCodecs
public import RealtimeCore

/// How sound lies in the messages of a WebSocket: one channel, without any header or time stamp.
@frozen
public struct FramedAudioFormat: Hashable, Sendable, BitwiseCopyable {
  /// How a sample is written.
  public enum Encoding: Hashable, Sendable, BitwiseCopyable, CaseIterable {
    /// 16 bits, signed, least significant byte first.
    case pcm16
    /// 8 bits, G.711 µ-law.
    case muLaw
  }

  /// How a sample is written.
  public let encoding: Encoding
  /// Samples per second.
  public let sampleRate: SampleRate

  /// Sound written so, at this rate.
  public init(_ encoding: Encoding, _ sampleRate: SampleRate) {
    self.encoding = encoding
    self.sampleRate = sampleRate
  }

  /// 2 or 1.
  public var bytesPerSample: Int {
    @_noLocks get {
      switch encoding {
      case .pcm16: 2
      case .muLaw: 1
      }
    }
  }

  /// Bytes of a packet of `milliseconds`, when it is a whole number of samples: at 20 ms and 16 kHz 640.
  public func packetByteCount(milliseconds: Int = 20) -> Int {
    sampleRate.sampleCount(milliseconds: milliseconds) * bytesPerSample
  }

  /// The byte of silence: 0, in µ-law 0xFF.
  var silence: UInt8 {
    @_noLocks get {
      switch encoding {
      case .pcm16: 0
      case .muLaw: 0xFF
      }
    }
  }
}

/// Why framed sound cannot be read or cut.
public enum FramedAudioError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sender does not keep to packets of one size; drop the packet.
  case wrongPacketSize(expected: Int, found: Int)
  /// The caller's buffer is too short for the message; give one of at least `needed` samples.
  case bufferTooSmall(needed: Int, found: Int)
  /// A byte that is none of base64's 64 characters, at this place; drop the message.
  case notBase64(offset: Int)
  /// The text ends within a character's bits; drop the message.
  case truncatedBase64(count: Int)
  /// A packet of this length is no whole number of samples at that rate.
  case unevenPacket(milliseconds: Int, hertz: Int)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .wrongPacketSize(let expected, let found):
      "a packet of \(found) bytes where each has \(expected); check that both sides agree on rate and packet time"
    case .bufferTooSmall(let needed, let found): "the message has \(needed) samples and the buffer room for \(found)"
    case .notBase64(let offset): "the byte at \(offset) is not base64"
    case .truncatedBase64(let count): "a base64 text cannot be \(count) characters long"
    case .unevenPacket(let milliseconds, let hertz):
      "\(milliseconds) ms at \(hertz) Hz are no whole number of samples; give another packet time"
    }
  }
}

/// The 16-bit value of a sample: times 32,768, to the nearest, clipped; NaN gives 0.
@_noLocks
func pcm16(_ sample: Float) -> Int {
  let scaled = sample * 32_768
  if scaled >= 32_767 { return 32_767 }
  if scaled > -32_768 { return Int(scaled + (scaled < 0 ? -0.5 : 0.5)) }
  return scaled.isNaN ? 0 : -32_768
}
