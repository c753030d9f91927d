import Antiphon
import Foundation

/// What a user may have to say about a capture that the capture does not say itself.
struct CaptureOptions {
  static let syntax = [
    ArgumentSyntax.value(
      "--payload-type", "PT=CODEC",
      "what a payload type is: 96=opus, 97=L24/48000/2, 101=telephone-event/48000;\nseveral with commas, or the option again",
      repeats: true),
    ArgumentSyntax.value(
      "--srtp-key", "KEY",
      "opens SRTP: [SUITE:]KEY, master key and salt in base64 (as a=crypto has them) or\nhexadecimal; several with commas, or the option again; @FILE reads them from a file",
      repeats: true),
  ]

  /// Names of payload types, above all others.
  let names: [UInt8: PayloadName]
  /// Tried one after the other on each stream.
  let keys: [SRTPKey]

  init(_ arguments: Arguments) throws {
    names = try Self.names(arguments.text("--payload-type"))
    keys = try Self.keys(arguments.text("--srtp-key"))
  }

  /// The command line for a report, without keys.
  static var commandLine: String {
    var words: [String] = []
    for word in CommandLine.arguments.dropFirst() {
      let isKey = words.last == "--srtp-key" && !word.hasPrefix("@")
      words.append(isKey ? "…" : word.hasPrefix("--srtp-key=") && !word.contains("=@") ? "--srtp-key=…" : word)
    }
    return ShellText.line(words)
  }

  // MARK: Payload types

  private static func names(_ text: String?) throws(UsageError) -> [UInt8: PayloadName] {
    var names: [UInt8: PayloadName] = [:]
    for entry in (text ?? "").split(separator: ",") {
      let sides = entry.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let type = UInt8(sides[0]), type < 128 else {
        throw UsageError("--payload-type takes a number from 0 to 127 and a codec, like 96=opus, not '\(entry)'")
      }
      let name = try name(sides[1])
      if let before = names[type], before != name {
        throw UsageError("--payload-type names \(type) twice: \(before) and \(name); a number has one meaning")
      }
      names[type] = name
    }
    return names
  }

  private static func name(_ text: Substring) throws(UsageError) -> PayloadName {
    let parts = text.split(separator: "/")
    let encoding = parts.first.map(String.init) ?? ""
    let codec = Codec(sdpName: encoding)
    let known = codec != nil || ["telephone-event", "cn"].contains(encoding.lowercased())
    guard known else {
      let list = Codec.allCases.map(\.sdpName).joined(separator: ", ")
      throw UsageError(
        "--payload-type: '\(encoding)' cannot be decoded here; there are \(list), telephone-event and CN")
    }
    let rate = parts.count > 1 ? Int(parts[1]) : codec.map(defaultRate) ?? 8_000
    guard let rate, (1_000...768_000).contains(rate) else {
      throw UsageError("--payload-type: \(encoding) needs its clock rate, like \(encoding)/48000")
    }
    guard let channels = parts.count > 2 ? Int(parts[2]) : 1, (1...64).contains(channels) else {
      throw UsageError("--payload-type: '\(text)' has no number of channels from 1 to 64 in it")
    }
    return PayloadName(encoding: codec?.sdpName ?? encoding, clockRate: rate, channelCount: channels)
  }

  private static func defaultRate(_ codec: Codec) -> Int? {
    switch codec {
    case .opus: 48_000
    case .pcmu, .pcma, .g722: 8_000
    case .l16, .l24: nil
    }
  }

  // MARK: Keys

  private static func keys(_ text: String?) throws -> [SRTPKey] {
    guard var text else { return [] }
    if text.hasPrefix("@") {
      let path = String(text.dropFirst())
      guard let contents = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw CommandFailure("\(path): the file with SRTP keys cannot be read")
      }
      text = contents
    }
    let keys = try text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(key)
    if keys.isEmpty { throw UsageError("--srtp-key names no key") }
    return keys
  }

  private static func key(_ entry: Substring) throws -> SRTPKey {
    var profile = SRTPProfile.aes128CounterModeSHA1x80
    var body = String(entry)
    if let colon = entry.firstIndex(of: ":"), entry[..<colon] != "inline" {
      guard let named = SRTPProfile(sdpName: entry[..<colon].uppercased()) else {
        let list = SRTPProfile.allCases.map(\.sdpName).joined(separator: ", ")
        throw UsageError("--srtp-key: there is no suite '\(entry[..<colon])'; there are \(list)")
      }
      profile = named
      body = String(entry[entry.index(after: colon)...])
    }
    let byteCount = profile.keyByteCount + profile.saltByteCount
    do throws(SRTPError) {
      // Base64 of as many bytes is shorter, so the length tells which it is.
      if body.count == 2 * byteCount, let bytes = hexadecimal(body) {
        return try SRTPKey(profile, keyAndSalt: bytes)
      }
      return try SRTPKey(profile, inline: body)
    } catch {
      throw UsageError(
        "--srtp-key: \(profile.sdpName) needs \(byteCount) bytes of key and salt in base64 or hexadecimal (\(error))")
    }
  }

  private static func hexadecimal(_ text: String) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
