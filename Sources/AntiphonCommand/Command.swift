import Foundation

/// One verb of the program.
protocol Command {
  /// The word after `antiphon`.
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  static var syntax: ArgumentSyntax { get }
  /// A command line that works as it stands, for `--help`.
  static var example: String { get }
  /// What `--help` says below the options; may be empty.
  static var notes: String { get }

  init(_ arguments: Arguments) throws
  func run() throws
}

extension Command {
  static var notes: String { "" }

  /// The text that `antiphon NAME --help` prints.
  static var help: String {
    var lines = ["antiphon \(name): \(summary)", ""]
    let operands = syntax.operands.map { " " + $0 }.joined()
    let required = syntax.options.filter(\.isRequired).map { " \($0.name) \($0.placeholder ?? "")" }.joined()
    let optional = syntax.options.contains { !$0.isRequired } ? " [options]" : ""
    lines += ["usage: antiphon \(name)\(required)\(optional)\(operands)", ""]
    let left = syntax.options.map { $0.name + ($0.placeholder.map { " " + $0 } ?? "") }
    let width = min(30, (left.map(\.count).max() ?? 0) + 2)
    for (text, option) in zip(left, syntax.options) {
      let helpLines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
      let first = text.count < width ? text.padding(toLength: width, withPad: " ", startingAt: 0) : text + "  "
      lines.append("  " + first + (helpLines.first ?? ""))
      lines += helpLines.dropFirst().map { String(repeating: " ", count: width + 2) + $0 }
    }
    lines += ["", "example:", "  " + example]
    if !notes.isEmpty { lines += ["", notes] }
    return lines.joined(separator: "\n")
  }
}

/// Finds the command, runs it and turns errors into messages and exit codes: 0 done, 1 failed, 2 wrong use.
@main
struct AntiphonProgram {
  static let version = "0.1.0"
  static var commands: [any Command.Type] {
    [
      RunCommand.self, SimulateCommand.self, ReplayCommand.self, CaptureInfoCommand.self, ResampleCommand.self,
      CancelEchoCommand.self, EncodeCommand.self,
      DecodeCommand.self, LevelsCommand.self, InfoCommand.self, DevicesCommand.self, MonitorCommand.self,
      LoopbackCommand.self, TalkCommand.self, CallCommand.self, AnswerCommand.self, AgentCommand.self,
      ServeCallsCommand.self,
      BenchCommand.self,
    ]
  }

  static func main() {
    // A reader that goes away (`antiphon levels … | head`) is an error of one write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    exit(dispatch(Array(CommandLine.arguments.dropFirst())))
  }

  static func dispatch(_ words: [String]) -> Int32 {
    let verb = words.first ?? ""
    do {
      return try perform(verb, words)
    } catch let error as UsageError {
      Terminal.error("antiphon \(verb): \(error)\nSee 'antiphon \(verb) --help'.")
      return 2
    } catch is AlreadyTold {
      return 1
    } catch is OutputClosed {
      return 0  // whoever read our output has seen enough
    } catch {
      Terminal.error("antiphon \(verb): \(error)")
      return 1
    }
  }

  private static func perform(_ verb: String, _ words: [String]) throws -> Int32 {
    if words.isEmpty {
      Terminal.error(overview)
      return 2
    }
    if ["--help", "-h", "help"].contains(verb) {
      let topic = words.dropFirst().first
      guard let topic else {
        try Terminal.line(overview)
        return 0
      }
      guard let command = commands.first(where: { $0.name == topic }) else { return unknown(topic) }
      try Terminal.line(command.help)
      return 0
    }
    if ["--version", "-v", "-V"].contains(verb) {
      try Terminal.line("antiphon \(version)")
      return 0
    }
    guard let command = commands.first(where: { $0.name == verb }) else { return unknown(verb) }
    if let garbled = garbledWord {
      throw UsageError(
        "'\(garbled)' is not UTF-8 text; rename the file, or let the shell open it: give - as its name and < FILE")
    }
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      try Terminal.line(command.help)
      return 0
    }
    try command.init(Arguments(rest, syntax: command.syntax)).run()
    return 0
  }

  /// A word of the command line that is not UTF-8: its path would no longer lead to its file.
  private static var garbledWord: String? {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = unsafe CommandLine.unsafeArgv[index] else { continue }
      if unsafe String(validatingCString: word) == nil { return unsafe String(cString: word) }
    }
    return nil
  }

  static var overview: String {
    let width = (commands.map { $0.name.count }.max() ?? 0) + 2
    let list = commands.map {
      "  " + $0.name.padding(toLength: width, withPad: " ", startingAt: 0) + $0.summary
    }
    return """
      antiphon: real-time audio for voice agents, on files, simulated networks, sound devices and WebRTC calls

      usage: antiphon COMMAND [options]

      \(list.joined(separator: "\n"))

      'antiphon COMMAND --help' tells more, with an example. Files are any that libsndfile reads; - is standard
      input or output. Exit codes: 0 done, 1 failed, 2 wrong use.
      """
  }

  private static func unknown(_ verb: String) -> Int32 {
    let names = commands.map { $0.name }.joined(separator: ", ")
    Terminal.error("antiphon: there is no command '\(verb)'; there are \(names)\nSee 'antiphon --help'.")
    return 2
  }
}
