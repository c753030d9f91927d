/// What a command line may contain: the options a command knows, declared once, for parsing and for `--help`.
struct ArgumentSyntax {
  struct Option {
    let name: String
    /// What stands for the value in `--help`; `nil` for an option without a value.
    let placeholder: String?
    let help: String
    /// Whether it may be given again; its values are then joined by commas.
    var repeats = false
    /// Whether the command cannot do without it.
    var isRequired = false
  }

  var options: [Option]
  /// Names of the arguments without a dash, in order, for `--help` and messages.
  var operands: [String] = []
  /// Whether the last operand may be given more than once.
  var takesMoreOperands = false

  static func value(_ name: String, _ placeholder: String, _ help: String, repeats: Bool = false) -> Option {
    Option(name: name, placeholder: placeholder, help: help, repeats: repeats)
  }

  /// An option that must be given.
  static func required(_ name: String, _ placeholder: String, _ help: String) -> Option {
    Option(name: name, placeholder: placeholder, help: help, isRequired: true)
  }

  static func flag(_ name: String, _ help: String) -> Option { Option(name: name, placeholder: nil, help: help) }
}

/// A command line that cannot be understood; ends the program with code 2.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Work that was understood and failed; ends the program with code 1.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Work that failed, of which standard error tells already; ends the program with code 1.
struct AlreadyTold: Error {}

/// A command line, sorted into options and operands by a syntax.
struct Arguments {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []
  private(set) var operands: [String] = []

  /// Sorts `words`; `--name value`, `--name=value` and a `--` before operands that begin with a dash are understood.
  init(_ words: [String], syntax: ArgumentSyntax) throws(UsageError) {
    var rest = words[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      if onlyOperands || word == "-" || !word.hasPrefix("-") {
        operands.append(word)
        continue
      }
      if word == "--" {
        onlyOperands = true
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = syntax.options.first(where: { $0.name == name }) else {
        throw UsageError("unknown option \(name)\(Self.suggestion(for: name, in: syntax))")
      }
      if let placeholder = option.placeholder {
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
          throw UsageError("\(name) needs a value: \(name) \(placeholder)")
        }
        if let before = values[name] {
          guard option.repeats else { throw UsageError("\(name) is given twice: '\(before)' and '\(value)'") }
          values[name] = before + "," + value
        } else {
          values[name] = value
        }
      } else if parts.count == 2 {
        throw UsageError("\(name) takes no value")
      } else {
        flags.insert(name)
      }
    }
    guard operands.count <= syntax.operands.count || syntax.takesMoreOperands else {
      throw UsageError("unexpected argument '\(operands[syntax.operands.count])'")
    }
  }

  /// The value of an option, if it was given.
  func text(_ name: String) -> String? { values[name] }

  /// Whether an option without a value was given.
  func has(_ name: String) -> Bool { flags.contains(name) }

  /// The value of an option that must be given.
  func required(_ name: String, _ placeholder: String) throws(UsageError) -> String {
    guard let value = values[name] else { throw UsageError("\(name) \(placeholder) is missing") }
    return value
  }

  /// An operand that must be given.
  func operand(_ index: Int, _ name: String) throws(UsageError) -> String {
    guard index < operands.count else { throw UsageError("\(name) is missing") }
    guard !operands[index].isEmpty else { throw UsageError("\(name) is empty: give a path, or - for a pipe") }
    return operands[index]
  }

  /// A whole number within `range`; `meaning` says more of its limits.
  func number(_ name: String, in range: ClosedRange<Int>, meaning: String? = nil) throws(UsageError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound)\(meaning.map { " (\($0))" } ?? ""), not '\(text)'"
      )
    }
    return number
  }

  /// A decimal number within `range`.
  func decimal(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw UsageError("\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }

  /// One of a few words.
  func choice<Choice>(_ name: String, _ choices: [(String, Choice)]) throws(UsageError) -> Choice? {
    guard let text = values[name] else { return nil }
    guard let found = choices.first(where: { $0.0 == text }) else {
      throw UsageError("\(name) takes \(choices.map(\.0).joined(separator: ", ")), not '\(text)'")
    }
    return found.1
  }

  private static func suggestion(for name: String, in syntax: ArgumentSyntax) -> String {
    let stem = name.prefix(5)
    let near = syntax.options.map(\.name).first { $0.hasPrefix(stem) && stem.count >= 4 }
    return near.map { "; did you mean \($0)?" } ?? ""
  }
}
