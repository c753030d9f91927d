/// Encoding, clock and channels of an RTP payload type.
public struct PayloadName: Hashable, Sendable, CustomStringConvertible {
  /// What a stream carries, by the `m=` line of its SDP or by its fixed number.
  public enum Media: String, Hashable, Sendable {
    case audio, video, other
  }

  /// As in the registry of RTP media types, such as "PCMU" or "opus".
  public let encoding: String
  /// Ticks of the RTP timestamp in a second; for G.722 that is 8000 though the sound has 16 kHz.
  public let clockRate: Int
  /// Interleaved channels, 1 or more. Opus always says 2, whatever its packets hold (RFC 7587 §7).
  public let channelCount: Int
  /// What the payloads carry.
  public let media: Media

  /// A name; of G.722 the clock is always 8,000 Hz, also where somebody wrote the sound's rate (RFC 3551 §4.5.2).
  public init(encoding: String, clockRate: Int, channelCount: Int = 1, media: Media = .audio) {
    self.encoding = encoding
    self.clockRate = encoding.uppercased() == "G722" ? 8_000 : clockRate
    self.channelCount = channelCount
    self.media = media
  }

  /// Whether it is `name` in upper or lower case (RFC 4855 §3).
  public func isEncoding(_ name: String) -> Bool { encoding.lowercased() == name.lowercased() }

  /// Pressed keys (RFC 4733), which share a stream with sound.
  public var isTelephoneEvent: Bool { isEncoding("telephone-event") }
  /// Parameters of background noise (RFC 3389), sent once for a whole pause.
  public var isComfortNoise: Bool { isEncoding("CN") }
  /// Other payloads in one, newer and older (RED, RFC 2198).
  public var isRedundant: Bool { isEncoding("red") }
  /// Whether it is sound of its own.
  public var isSound: Bool { media == .audio && !isTelephoneEvent && !isComfortNoise }

  /// "opus/48000", "L16/44100/2".
  public var description: String {
    "\(encoding)/\(clockRate)" + (channelCount > 1 && !isEncoding("opus") ? "/\(channelCount)" : "")
  }

  /// Payload types with a fixed meaning (RFC 3551 §6).
  public static func fixed(_ payloadType: UInt8) -> PayloadName? {
    let sound: [UInt8: (String, Int)] = [
      0: ("PCMU", 8_000), 3: ("GSM", 8_000), 4: ("G723", 8_000), 5: ("DVI4", 8_000), 6: ("DVI4", 16_000),
      7: ("LPC", 8_000), 8: ("PCMA", 8_000), 9: ("G722", 8_000), 10: ("L16", 44_100), 11: ("L16", 44_100),
      12: ("QCELP", 8_000), 13: ("CN", 8_000), 14: ("MPA", 90_000), 15: ("G728", 8_000), 16: ("DVI4", 11_025),
      17: ("DVI4", 22_050), 18: ("G729", 8_000),
    ]
    let video: [UInt8: String] = [
      25: "CelB", 26: "JPEG", 28: "nv", 31: "H261", 32: "MPV", 33: "MP2T", 34: "H263",
    ]
    if let (encoding, clockRate) = sound[payloadType] {
      return PayloadName(encoding: encoding, clockRate: clockRate, channelCount: payloadType == 10 ? 2 : 1)
    }
    return video[payloadType].map { PayloadName(encoding: $0, clockRate: 90_000, media: .video) }
  }
}
