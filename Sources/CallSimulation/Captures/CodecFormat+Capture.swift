public import AudioCodecs
public import AudioFiles
internal import RealtimeCore

extension CodecFormat {
  /// The format that payloads of this name are decoded with; `nil` for a codec that is not read here.
  public init?(_ name: PayloadName, payloadType: UInt8) {
    guard name.media == .audio, let codec = Codec(sdpName: name.encoding) else { return nil }
    switch codec {
    case .opus: self = .opus(payloadType: payloadType)
    case .pcmu: self = .pcmu(payloadType: payloadType, packetDuration: 20_000)
    case .pcma: self = .pcma(payloadType: payloadType, packetDuration: 20_000)
    case .g722: self = .g722(payloadType: payloadType, packetDuration: 20_000)
    case .l16, .l24:
      guard let rate = try? SampleRate(hertz: name.clockRate) else { return nil }
      self = codec == .l16 ? .l16(rate, payloadType: payloadType) : .l24(rate, payloadType: payloadType)
    }
    // G.711 at another rate than its own is allowed by RFC 3551 §4.5.14, and nobody does it.
    if codec == .pcmu || codec == .pcma, name.clockRate != 8_000 { return nil }
  }

  /// Bytes of one sample of one channel, twice over, so that G.722's half a byte is whole; `nil` for Opus.
  var bytesOfTwoSamples: Int? {
    switch codec {
    case .opus: nil
    case .pcmu, .pcma: 2
    case .l16: 4
    case .l24: 6
    case .g722: 1
    }
  }
}
