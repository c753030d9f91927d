/// Encoding and clock of an RTP payload type.
public struct PayloadName: Hashable, Sendable, CustomStringConvertible {
  /// As in the registry of RTP media types, such as "PCMU" or "opus".
  public let encoding: String
  /// Ticks of the RTP timestamp in a second; for G.722 that is 8000 though the sound has 16 kHz.
  public let clockRate: Int

  /// "opus/48000".
  public var description: String { "\(encoding)/\(clockRate)" }

  /// Payload types with a fixed meaning (RFC 3551 §6), audio only.
  public static func fixed(_ payloadType: UInt8) -> PayloadName? {
    let names: [UInt8: (String, Int)] = [
      0: ("PCMU", 8_000), 3: ("GSM", 8_000), 4: ("G723", 8_000), 5: ("DVI4", 8_000), 6: ("DVI4", 16_000),
      7: ("LPC", 8_000), 8: ("PCMA", 8_000), 9: ("G722", 8_000), 10: ("L16", 44_100), 11: ("L16", 44_100),
      12: ("QCELP", 8_000), 13: ("CN", 8_000), 14: ("MPA", 90_000), 15: ("G728", 8_000), 16: ("DVI4", 11_025),
      17: ("DVI4", 22_050), 18: ("G729", 8_000),
    ]
    return names[payloadType].map { PayloadName(encoding: $0.0, clockRate: $0.1) }
  }

  /// What the "a=rtpmap:" lines of a SIP message with SDP say (RFC 8866 §6.6); empty for other datagrams.
  static func mappings(in payload: [UInt8]) -> [UInt8: PayloadName] {
    // SIP requests and responses begin with capital letters; RTP begins with 0x80 to 0xBF.
    guard let first = payload.first, (0x41...0x5A).contains(first) else { return [:] }
    var found: [UInt8: PayloadName] = [:]
    for line in payload.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.starts(with: "a=rtpmap:".utf8) {
      let words = String(decoding: line.dropFirst(9).prefix(128), as: UTF8.self).split(separator: " ")
      guard words.count >= 2, let type = UInt8(words[0]), type < 128 else { continue }
      let parts = words[1].split(separator: "/")
      guard parts.count >= 2, let rate = Int(parts[1]), (1_000...768_000).contains(rate) else { continue }
      found[type] = PayloadName(encoding: String(parts[0]), clockRate: rate)
    }
    return found
  }
}
