public import RealtimeCore

/// The sound of a Voice WebSocket: 16 bits signed, least significant byte first, one channel, in packets of 20 ms each.
public enum VoiceSocketFormat: Int, Sendable, Hashable, CaseIterable {
  case l16At8kHz = 8_000
  case l16At16kHz = 16_000
  case l16At24kHz = 24_000

  /// What each packet lasts.
  public static let packetMilliseconds = 20

  /// Samples per second.
  public var sampleRate: SampleRate {
    switch self {
    case .l16At8kHz: .hz8000
    case .l16At16kHz: .hz16000
    case .l16At24kHz: .hz24000
    }
  }

  /// Bytes of each packet: 320, 640 or 960.
  public var packetByteCount: Int { rawValue / 1_000 * Self.packetMilliseconds * 2 }

  /// As the call control list and the first message write it.
  public var contentType: String { "audio/l16;rate=\(rawValue)" }

  /// From such a text; blanks and upper case are no matter. `nil`: not a format of a Voice WebSocket.
  public init?(contentType: String) {
    let parts = contentType.lowercased().filter { $0 != " " }.split(separator: ";")
    guard parts.first == "audio/l16", let rate = parts.first(where: { $0.hasPrefix("rate=") })?.dropFirst(5),
      let hertz = Int(rate), let format = Self(rawValue: hertz)
    else { return nil }
    self = format
  }
}
