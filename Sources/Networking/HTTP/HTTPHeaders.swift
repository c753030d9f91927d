internal import CSoup

/// The header fields of a request or response, in their order; names are the same in upper and lower case.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
  /// Name and value, as they are on the wire.
  public private(set) var fields: [(name: String, value: String)] = []

  /// No fields.
  public init() {}

  /// These fields, in this order.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// The first value of that name; setting it removes the others, and `nil` removes all.
  public subscript(_ name: String) -> String? {
    get { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
    set {
      fields.removeAll { $0.name.lowercased() == name.lowercased() }
      if let newValue { append(name, newValue) }
    }
  }

  /// All values of that name.
  public func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// Adds a field behind the others.
  /// - Precondition: neither part has a line break or a zero byte, and the name is a token (RFC 9110 §5.1): whoever lets
  ///   a stranger write headers must check them first.
  public mutating func append(_ name: String, _ value: String) {
    precondition(
      !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") },
      "HTTPHeaders: \"\(name)\" is no name of a header field")
    precondition(
      value.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") },
      "HTTPHeaders: the value of \(name) has a line break or zero byte; encode it first")
    fields.append((name, value))
  }

  /// Whether names (in any case), values and order are the same.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields.count == right.fields.count
      && zip(left.fields, right.fields).allSatisfy {
        $0.name.lowercased() == $1.name.lowercased() && $0.value == $1.value
      }
  }

  /// One line a field.
  public var description: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }
}

extension HTTPHeaders {
  /// Copies the fields that came from the network.
  @safe init(_ headers: OpaquePointer?) {
    guard let headers = unsafe headers else { return }
    var iterator = SoupMessageHeadersIter()
    unsafe soup_message_headers_iter_init(&iterator, headers)
    var name: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    while unsafe soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
      guard let name = unsafe name, let value = unsafe value else { continue }
      fields.append((unsafe String(cString: name), unsafe String(cString: value)))
    }
  }

  /// Adds the fields to a message's.
  @safe func copy(to headers: OpaquePointer?) {
    for field in fields { unsafe soup_message_headers_append(headers, field.name, field.value) }
  }
}
