internal import Foundation

/// A JSON value (RFC 8259), for messages of which any part may be missing or of another type than it should be.
package enum JSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Reads a text. Deeper nesting than 512 is refused, and of a key that comes twice one value counts.
  package init(parsing text: String) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
  }

  /// As a text, with the keys in order.
  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Of these cases none can fail but a number that is not finite, which a JSON text cannot bring.
    guard let data = try? encoder.encode(self) else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }

  /// A member; `null` where there is none, so that looking further is safe.
  package subscript(_ key: String) -> JSON {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// An element; `null` where there is none.
  package subscript(_ index: Int) -> JSON {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var number: Double? { if case .number(let value) = self { value } else { nil } }
  /// A number without a fraction.
  package var int: Int? { number.flatMap { Int(exactly: $0) } }
  package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  package var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
  package var isNull: Bool { self == .null }
}

extension JSON: Codable {
  package init(from decoder: any Decoder) throws {
    // Most values are strings, and the long ones are: each try that fails costs more than one that does not.
    let value = try decoder.singleValueContainer()
    if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let members = try? decoder.container(keyedBy: Name.self) {
      var object: [String: JSON] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSON.self, forKey: key) }
      self = .object(object)
    } else if var elements = try? decoder.unkeyedContainer() {
      var array: [JSON] = []
      while !elements.isAtEnd { array.append(try elements.decode(JSON.self)) }
      self = .array(array)
    } else if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else {
      self = .number(try value.decode(Double.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for (name, value) in members { try container.encode(value, forKey: Name(name)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for value in elements { try container.encode(value) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .string(let value):
      var container = encoder.singleValueContainer()
      try container.encode(value)
    case .number(let value):
      var container = encoder.singleValueContainer()
      if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    }
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(integerLiteral value: Int) { self = .number(Double(value)) }
  package init(floatLiteral value: Double) { self = .number(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }

  /// An object without the members that are missing.
  package static func object(compact members: [String: JSON?]) -> JSON { .object(members.compactMapValues { $0 }) }
}

extension HTTPResponse {
  /// The body as JSON; `null` when it is none.
  package var json: JSON { (try? JSONDecoder().decode(JSON.self, from: Data(body))) ?? .null }
}
