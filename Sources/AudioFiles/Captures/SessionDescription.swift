/// What a session description in a datagram says of the RTP that one side wants to get (RFC 8866): in the body of a SIP
/// message over UDP, or announced by SAP (RFC 2974).
///
///     c=IN IP4 192.0.2.1
///     m=audio 4000 RTP/AVP 0 96
///     a=rtpmap:96 opus/48000/2
///
/// Lines that are not understood are passed over, as the RFC demands; nothing in a datagram can be an error.
public struct SessionDescription: Hashable, Sendable {
  /// One `m=` line with what follows it.
  public struct Stream: Hashable, Sendable {
    /// "audio", "video".
    public let media: PayloadName.Media
    /// Where RTP is wanted: 4 or 16 bytes; empty when there is no address that says so (a call on hold tells 0.0.0.0).
    public let address: [UInt8]
    /// The UDP port; 0 when the stream is refused.
    public let port: UInt16
    /// Whether RTP is to be protected (RTP/SAVP, UDP/TLS/RTP/SAVPF).
    public let isProtected: Bool
    /// What `a=rtpmap` lines name.
    public internal(set) var names: [UInt8: PayloadName] = [:]
    /// Keys for SRTP that `a=crypto` lines tell (RFC 4568 §4), as far as understood: these are secrets.
    public internal(set) var keys: [Key] = []
  }

  /// What one `a=crypto` line tells.
  public struct Key: Hashable, Sendable, CustomStringConvertible {
    /// "AES_CM_128_HMAC_SHA1_80".
    public let suite: String
    /// The key parameter: "inline:" and base64.
    public let parameter: String

    /// The suite; never the key.
    public var description: String { "key for \(suite)" }
  }

  /// In the order of their `m=` lines.
  public private(set) var streams: [Stream] = []

  /// More than any real description has; a hostile one is 64 KiB of "m=" lines.
  private static let streamLimit = 64

  /// - Parameter payload: a whole datagram. `nil` when it is neither SIP nor SAP, or holds no description.
  public init?(_ payload: [UInt8]) {
    // SIP requests and responses begin with a capital letter, SAP announcements with version 1 and no other of the
    // higher bits; RTP begins with 0x80 to 0xBF.
    guard let first = payload.first, (0x41...0x5A).contains(first) || first & 0xE4 == 0x20 else { return nil }
    var sessionAddress: [UInt8] = []
    for line in payload.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      guard line.count > 2, line[line.startIndex + 1] == 0x3D else { continue }
      let value = String(decoding: line.dropFirst(2).prefix(512), as: UTF8.self)
      switch line[line.startIndex] {
      case UInt8(ascii: "c"):
        let address = Self.address(value)
        if streams.isEmpty { sessionAddress = address } else { setAddress(address) }
      case UInt8(ascii: "m"):
        guard streams.count < Self.streamLimit else { return }
        if let stream = Self.stream(value, address: sessionAddress) { streams.append(stream) }
      case UInt8(ascii: "a"): attribute(value)
      case UInt8(ascii: "v"): sessionAddress = []  // a second description in the same message
      default: break
      }
    }
    if streams.isEmpty { return nil }
  }

  /// "audio 4000/2 RTP/AVP 0 96"
  private static func stream(_ value: String, address: [UInt8]) -> Stream? {
    let words = value.split(separator: " ")
    guard words.count >= 3, let port = words[1].split(separator: "/").first.flatMap({ UInt16($0) }) else { return nil }
    let profile = words[2].uppercased()
    return Stream(
      media: PayloadName.Media(rawValue: words[0].lowercased()) ?? .other, address: address, port: port,
      isProtected: profile.contains("SAVP"))
  }

  private mutating func setAddress(_ address: [UInt8]) {
    let last = streams[streams.count - 1]
    streams[streams.count - 1] = Stream(
      media: last.media, address: address, port: last.port, isProtected: last.isProtected, names: last.names,
      keys: last.keys)
  }

  /// "rtpmap:96 opus/48000/2", "crypto:1 AES_CM_128_HMAC_SHA1_80 inline:…"
  private mutating func attribute(_ value: String) {
    guard !streams.isEmpty else { return }
    if value.hasPrefix("crypto:") {
      let words = value.split(separator: " ")
      guard words.count >= 3, words[2].hasPrefix("inline:"), streams[streams.count - 1].keys.count < 8 else { return }
      // Several keys in one line belong to master key identifiers, which are not read here.
      let parameter = words[2].split(separator: ";").first.map(String.init) ?? ""
      streams[streams.count - 1].keys.append(Key(suite: String(words[1]), parameter: parameter))
      return
    }
    guard value.hasPrefix("rtpmap:") else { return }
    let words = value.dropFirst(7).split(separator: " ")
    guard words.count >= 2, let type = UInt8(words[0]), type < 128 else { return }
    let parts = words[1].split(separator: "/")
    guard parts.count >= 2, let rate = Int(parts[1]), (1_000...768_000).contains(rate) else { return }
    let channels = parts.count >= 3 ? Int(parts[2]) ?? 1 : 1
    streams[streams.count - 1].names[type] = PayloadName(
      encoding: String(parts[0]), clockRate: rate, channelCount: min(max(1, channels), 64),
      media: streams[streams.count - 1].media)
  }

  /// "IN IP4 192.0.2.1/127": the bytes; empty for a name, for what is malformed, and for 0.0.0.0.
  private static func address(_ value: String) -> [UInt8] {
    let words = value.split(separator: " ")
    guard words.count >= 3, let text = words[2].split(separator: "/").first else { return [] }
    let bytes = words[1].uppercased() == "IP6" ? bytesOfIPv6(text) : bytesOfIPv4(text)
    return bytes.allSatisfy { $0 == 0 } ? [] : bytes
  }

  private static func bytesOfIPv4(_ text: Substring) -> [UInt8] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    return parts.count == 4 && bytes.count == 4 ? bytes : []
  }

  /// RFC 4291 §2.2: groups of four hexadecimal digits, one run of zeros left out at "::".
  private static func bytesOfIPv6(_ text: Substring) -> [UInt8] {
    func groups(_ text: Substring) -> [UInt16]? {
      if text.isEmpty { return [] }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      let numbers = parts.compactMap { UInt16($0, radix: 16) }
      return numbers.count == parts.count ? numbers : nil
    }
    let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    guard let before = halves.first.flatMap(groups), let after = halves.count == 2 ? groups(halves[1]) : [] else {
      return []
    }
    let missing = 8 - before.count - after.count
    guard halves.count == 2 ? missing >= 0 : missing == 0 else { return [] }
    return (before + [UInt16](repeating: 0, count: missing) + after).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }
}
