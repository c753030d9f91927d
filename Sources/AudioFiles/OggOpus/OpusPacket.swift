/// One Opus packet as it stands in an Ogg file, ready to be sent over RTP.
public struct OpusPacket: Sendable, Hashable {
  /// TOC byte and frames, RFC 6716 §3.
  public let bytes: [UInt8]
  /// How long it plays, in samples at 48 kHz, by its TOC byte; 0 when that breaks the rules.
  public let sampleCount: Int

  init(bytes: [UInt8]) {
    self.bytes = bytes
    sampleCount = Self.sampleCount(of: bytes)
  }

  /// Configuration and frame count of the TOC byte (RFC 6716 §3.1): 2.5 to 120 ms.
  private static func sampleCount(of bytes: [UInt8]) -> Int {
    guard let toc = bytes.first else { return 0 }
    let configuration = Int(toc >> 3)
    let frame =
      configuration < 12
      ? [480, 960, 1_920, 2_880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : [120, 240, 480, 960][configuration & 3]
    let frames =
      switch toc & 3 {
      case 0: 1
      case 1, 2: 2
      default: bytes.count > 1 ? Int(bytes[1] & 0x3F) : 0
      }
    return frame * frames <= 5_760 ? frame * frames : 0
  }
}
