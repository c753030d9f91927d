internal import Networking

/// A JSON body read as FastAPI does: what is wrong is told field by field, with 422.
struct RequestForm {
  private let body: JSON
  private var problems: [JSON] = []

  /// - Throws: the answer, when the body is no JSON object.
  init(_ request: HTTPServerRequest) throws(Problem) {
    let body: JSON
    do { body = try JSONReader.read(request.body) } catch {
      throw Problem(
        response: .json(422, ["detail": [Self.problem("json_invalid", ["body"], "JSON decode error: \(error)")]]))
    }
    guard body.members != nil else {
      throw Problem(
        response: .json(
          422, ["detail": [Self.problem("model_attributes_type", ["body"], "Input should be a valid dictionary")]]))
    }
    self.body = body
  }

  struct Problem: Error { let response: HTTPServerResponse }

  /// A text that must be there.
  mutating func text(_ name: String) -> String {
    if body[name] == nil {
      problems.append(Self.problem("missing", ["body", .string(name)], "Field required"))
      return ""
    }
    return optionalText(name, nullable: false) ?? ""
  }

  /// A text that may be missing or null.
  mutating func optionalText(_ name: String, nullable: Bool = true) -> String? {
    guard let value = body[name], !(nullable && value.isNull) else { return nil }
    guard let text = value.string else {
      problems.append(Self.problem("string_type", ["body", .string(name)], "Input should be a valid string"))
      return nil
    }
    return text
  }

  /// A text out of a few.
  mutating func choice(_ name: String, _ choices: [String], default value: String? = nil) -> String {
    if body[name] == nil, let value { return value }
    let text = text(name)
    if !text.isEmpty, !choices.contains(text) {
      problems.append(
        Self.problem("literal_error", ["body", .string(name)], "Input should be \(choices.joined(separator: " or "))"))
    }
    return text
  }

  /// A telephone number: + and up to fifteen digits (E.164).
  mutating func number(_ name: String, isOptional: Bool = false) -> String? {
    guard let number = isOptional ? optionalText(name) : text(name) else { return nil }
    if !number.isEmpty, !Self.isNumber(number) {
      problems.append(
        Self.problem(
          "string_pattern_mismatch", ["body", .string(name)], "String should match pattern '^\\+[1-9]\\d{1,14}$'"))
    }
    return number
  }

  static func isNumber(_ text: String) -> Bool {
    let digits = text.dropFirst()
    return text.first == "+" && (2...15).contains(digits.count) && digits.first != "0"
      && digits.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }

  /// - Throws: the answer, when a field was wrong.
  func check() throws(Problem) {
    guard problems.isEmpty else { throw Problem(response: .json(422, ["detail": .array(problems)])) }
  }

  private static func problem(_ type: String, _ place: [JSON], _ words: String) -> JSON {
    ["type": .string(type), "loc": .array(place), "msg": .string(words)]
  }
}
