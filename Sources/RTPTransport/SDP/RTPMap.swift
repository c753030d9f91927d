/// Encoding and clock of a payload type, an `a=rtpmap` line: "111 opus/48000/2" (RFC 8866 §6.6).
public struct RTPMap: Hashable, Sendable {
  /// 0 to 127.
  public var payloadType: UInt8
  /// As in the registry of RTP media types, such as "PCMU" or "opus".
  public var encoding: String
  /// Ticks of the RTP timestamp in a second.
  public var clockRate: Int
  /// Interleaved channels, where they are told; Opus always says 2 (RFC 7587 §7).
  public var channelCount: Int?

  /// An encoding under a number.
  public init(payloadType: UInt8, encoding: String, clockRate: Int, channelCount: Int? = nil) {
    precondition(payloadType < 128, "RTPMap: payload type \(payloadType) is outside 0 to 127")
    self.payloadType = payloadType
    self.encoding = encoding
    self.clockRate = clockRate
    self.channelCount = channelCount
  }

  init?(_ value: String) {
    let words = value.split(separator: " ")
    guard words.count == 2, let payloadType = UInt8(words[0]), payloadType < 128 else { return nil }
    let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), !parts[0].isEmpty, let rate = Int(parts[1]), (1...768_000).contains(rate)
    else {
      return nil
    }
    var channels: Int?
    if parts.count == 3 {
      guard let count = Int(parts[2]), (1...255).contains(count) else { return nil }
      channels = count
    }
    self.init(payloadType: payloadType, encoding: String(parts[0]), clockRate: rate, channelCount: channels)
  }

  var text: String { "\(payloadType) \(encoding)/\(clockRate)" + (channelCount.map { "/\($0)" } ?? "") }

  /// Whether it is the same encoding, in upper or lower case, with the same clock and channels (one unless told).
  public func isSameFormat(as other: RTPMap) -> Bool {
    encoding.lowercased() == other.encoding.lowercased() && clockRate == other.clockRate
      && (channelCount ?? 1) == (other.channelCount ?? 1)
  }

  /// The payload types of one channel that need no `a=rtpmap` and that a call may carry (RFC 3551 §6).
  public static func fixed(_ payloadType: UInt8) -> RTPMap? {
    switch payloadType {
    case 0: RTPMap(payloadType: 0, encoding: "PCMU", clockRate: 8_000)
    case 8: RTPMap(payloadType: 8, encoding: "PCMA", clockRate: 8_000)
    case 9: RTPMap(payloadType: 9, encoding: "G722", clockRate: 8_000)
    case 11: RTPMap(payloadType: 11, encoding: "L16", clockRate: 44_100)
    case 13: RTPMap(payloadType: 13, encoding: "CN", clockRate: 8_000)
    default: nil
    }
  }
}
