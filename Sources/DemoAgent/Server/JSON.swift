/// A JSON value (RFC 8259), for messages of strangers: reading it never traps, whatever the bytes are.
///
/// Of keys that come twice the last one counts, as in most readers. An object keeps its keys' order, so what is written
/// looks like the vendor's. The client's side has a type of its own, on Foundation's reader: what one side writes, another
/// reader than its own must understand.
enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  struct Member: Sendable, Hashable {
    let key: String
    let value: JSON
  }

  /// The last value of that key; `nil` for what is no object.
  subscript(_ key: String) -> JSON? {
    if case .object(let members) = self { members.last { $0.key == key }?.value } else { nil }
  }

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var array: [JSON]? { if case .array(let values) = self { values } else { nil } }
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  /// A number without fraction.
  var integer: Int? { number.flatMap { Int(exactly: $0) } }
  var isNull: Bool { self == .null }

  /// On one line.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value):
      if let whole = Int(exactly: value) { text += "\(whole)" } else { text += value.isFinite ? "\(value)" : "null" }
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      text += string
    } else {
      for scalar in string.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where scalar.value < 0x20:
          let digits = String(scalar.value, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(integerLiteral value: Int) { self = .number(Double(value)) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSON...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(key: $0.0, value: $0.1) })
  }
  init(nilLiteral: ()) { self = .null }

  /// A whole number.
  static func integer(_ value: Int) -> JSON { .number(Double(value)) }

  /// The object with one more member, or itself when there is no value.
  func with(_ key: String, _ value: JSON?) -> JSON {
    guard let value, case .object(let members) = self else { return self }
    return .object(members + [Member(key: key, value: value)])
  }
}
