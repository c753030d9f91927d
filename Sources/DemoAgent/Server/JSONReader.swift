/// Reads JSON of any origin: strict in form, bounded in depth.
struct JSONReader {
  /// Why a text is no JSON.
  enum Failure: Error, Equatable, CustomStringConvertible {
    /// At this byte stands something else than what may.
    case unexpected(offset: Int)
    /// Arrays and objects lie too deep in one another.
    case tooDeep
    /// The bytes are not UTF-8.
    case notUTF8

    var description: String {
      switch self {
      case .unexpected(let offset): "it is no JSON at byte \(offset)"
      case .tooDeep: "it is more than \(JSONReader.deepest) deep"
      case .notUTF8: "it is not UTF-8"
      }
    }
  }

  /// Levels of arrays and objects; the vendors' messages have at most six.
  static let deepest = 64

  private let bytes: [UInt8]
  private var place = 0

  /// Reads a whole text.
  static func read(_ text: String) throws(Failure) -> JSON { try read(Array(text.utf8)) }

  /// Reads a whole text.
  static func read(_ bytes: [UInt8]) throws(Failure) -> JSON {
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == bytes.count else { throw .unexpected(offset: reader.place) }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ byte: UInt8) throws(Failure) {
    guard next == byte else { throw .unexpected(offset: place) }
    place += 1
  }

  private mutating func take(_ word: StaticString, as value: JSON) throws(Failure) -> JSON {
    for byte in word.description.utf8 { try take(byte) }
    return value
  }

  private mutating func value(depth: Int) throws(Failure) -> JSON {
    guard depth <= Self.deepest else { throw .tooDeep }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try take("true", as: .bool(true))
    case UInt8(ascii: "f"): return try take("false", as: .bool(false))
    case UInt8(ascii: "n"): return try take("null", as: .null)
    default: return try number()
    }
  }

  private mutating func object(depth: Int) throws(Failure) -> JSON {
    try take(UInt8(ascii: "{"))
    var members: [JSON.Member] = []
    skipSpace()
    if next == UInt8(ascii: "}") {
      place += 1
      return .object([])
    }
    while true {
      skipSpace()
      let key = try string()
      skipSpace()
      try take(UInt8(ascii: ":"))
      members.append(JSON.Member(key: key, value: try value(depth: depth + 1)))
      skipSpace()
      if next == UInt8(ascii: ",") {
        place += 1
        continue
      }
      try take(UInt8(ascii: "}"))
      return .object(members)
    }
  }

  private mutating func array(depth: Int) throws(Failure) -> JSON {
    try take(UInt8(ascii: "["))
    var values: [JSON] = []
    skipSpace()
    if next == UInt8(ascii: "]") {
      place += 1
      return .array([])
    }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if next == UInt8(ascii: ",") {
        place += 1
        continue
      }
      try take(UInt8(ascii: "]"))
      return .array(values)
    }
  }

  private mutating func number() throws(Failure) -> JSON {
    let start = place
    if next == UInt8(ascii: "-") { place += 1 }
    let whole = digits()
    guard whole > 0, whole == 1 || bytes[place - whole] != UInt8(ascii: "0") else { throw .unexpected(offset: start) }
    if next == UInt8(ascii: ".") {
      place += 1
      guard digits() > 0 else { throw .unexpected(offset: place) }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      guard digits() > 0 else { throw .unexpected(offset: place) }
    }
    guard let value = Double(String(decoding: bytes[start..<place], as: UTF8.self)) else {
      throw .unexpected(offset: start)
    }
    return .number(value)
  }

  private mutating func digits() -> Int {
    let start = place
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
    return place - start
  }

  private mutating func string() throws(Failure) -> String {
    try take(UInt8(ascii: "\""))
    var text = ""
    var start = place
    while true {
      guard let byte = next, byte >= 0x20 else { throw .unexpected(offset: place) }
      if byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        place += 1
        continue
      }
      guard let part = String(validating: bytes[start..<place], as: UTF8.self) else { throw .notUTF8 }
      text += part
      place += 1
      if byte == UInt8(ascii: "\"") { return text }
      text.unicodeScalars.append(try escape())
      start = place
    }
  }

  private mutating func escape() throws(Failure) -> Unicode.Scalar {
    guard let byte = next else { throw .unexpected(offset: place) }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try fourDigits()
      // A surrogate needs its other half; alone it is written as the replacement character.
      guard (0xD800..<0xDC00).contains(unit), next == UInt8(ascii: "\\"), place + 1 < bytes.count,
        bytes[place + 1] == UInt8(ascii: "u")
      else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
      place += 2
      let low = try fourDigits()
      guard (0xDC00..<0xE000).contains(low) else { return "\u{FFFD}" }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
    default: throw .unexpected(offset: place - 1)
    }
  }

  private mutating func fourDigits() throws(Failure) -> UInt32 {
    guard place + 4 <= bytes.count,
      let unit = UInt32(String(decoding: bytes[place..<(place + 4)], as: UTF8.self), radix: 16)
    else { throw .unexpected(offset: place) }
    place += 4
    return unit
  }
}
