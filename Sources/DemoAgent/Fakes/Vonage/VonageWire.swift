internal import Networking
internal import RealtimeCore

/// The Voice WebSocket's packets: 20 ms of s16le, mono.
enum VonageWire {
  static let packetMilliseconds = 20

  /// The format of a content type; `nil` unless it is `audio/l16` at 8000, 16000 or 24000 Hz.
  static func format(contentType: String) -> FramedAudioFormat? {
    let parts = contentType.split(separator: ";").map { String($0).filter { $0 != " " } }
    guard parts.count == 2, parts[0].lowercased() == "audio/l16", parts[1].hasPrefix("rate=") else { return nil }
    return Int(parts[1].dropFirst(5)).flatMap { format(hertz: $0) }
  }

  static func format(hertz: Int) -> FramedAudioFormat? {
    guard [8_000, 16_000, 24_000].contains(hertz), let rate = try? SampleRate(hertz: hertz) else { return nil }
    return FramedAudioFormat(.pcm16, rate)
  }

  static func contentType(_ format: FramedAudioFormat) -> String { "audio/l16;rate=\(format.sampleRate.hertz)" }
}
