public import AudioCodecs
public import RealtimeCore

/// How an agent's audio comes over a socket.
public enum StreamFormat: Hashable, Sendable, BitwiseCopyable {
  /// Signed 16-bit samples, least significant byte first, in chunks of any number of bytes, odd ones included.
  case pcm16(SampleRate)
  /// A codec's payloads without RTP: whole packets of Opus, chunks of any size of the others.
  case coded(CodecFormat)
}

extension StreamFormat {
  /// The rate at which it is played.
  public var sampleRate: SampleRate {
    switch self {
    case .pcm16(let rate): rate
    case .coded(let format):
      format.codec == .opus ? .hz48000 : (try? SampleRate(hertz: format.clockRate)) ?? .hz8000
    }
  }
}
