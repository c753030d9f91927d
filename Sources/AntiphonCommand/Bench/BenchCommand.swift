import Antiphon
import Foundation

/// What the library costs on this machine.
struct BenchCommand: Command {
  static let name = "bench"
  static let summary = "measure what codecs, stages, the whole path and the commands cost on this machine"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.value("--seconds", "N", "audio for each row, 1 to 600 (default: 20)"),
    ArgumentSyntax.value(
      "--sessions", "N", "instead: N sessions on one core with a humming agent on another, 1 to 1000"),
    ArgumentSyntax.flag("--system", "instead: one call's share of a core and memory, the binary's size, the start"),
    ArgumentSyntax.flag("--json", "print the table as JSON"),
  ])
  static let example = "antiphon bench --seconds 5"
  static let notes = """
    One core, one thread, on a made-up voice. The share is of the frame's real time, by the mean of all frames; worst is
    the longest frame, interruptions by other programs included. Only a release build tells anything.
    With --sessions, pin this program to the first core: taskset -c 0 antiphon bench --sessions 200. Its agent takes the second.
    """

  private let seconds: Int
  private let sessionCount: Int?
  private let measuresSystem: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    seconds = try arguments.number("--seconds", in: 1...600) ?? 20
    measuresSystem = arguments.has("--system")
    sessionCount = try arguments.number("--sessions", in: 1...1_000)
    printsJSON = arguments.has("--json")
  }

  private struct Table: Encodable {
    var version = AntiphonProgram.version
    var build: String
    var secondsPerRow: Int
    var rows: [BenchRow]
  }

  func run() throws {
    if let sessionCount {
      let result = try SessionBench(count: sessionCount, seconds: seconds).run()
      return try Terminal.line(printsJSON ? JSONText.encode(result) : result.summary)
    }
    if measuresSystem {
      let result = try SystemBench(seconds: seconds).run()
      return try Terminal.line(printsJSON ? JSONText.encode(result) : result.summary)
    }
    let voice = MadeUpVoice(seconds: min(seconds, 20))
    var rows: [BenchRow] = []
    let groups: [(String, () throws -> [BenchRow])] = [
      ("codecs", { try CodecBench(voice, seconds: seconds).rows() }),
      ("path", { try PathBench(voice, seconds: seconds).rows() }),
      ("commands", { try CommandBench(voice, seconds: seconds).rows() }),
    ]
    var isFirst = true
    for (group, measure) in groups {
      if Terminal.errorIsTerminal { Terminal.error("measuring \(group) …") }
      let made = try measure()
      rows += made
      if printsJSON { continue }
      if isFirst { try Terminal.line(BenchRow.heading) }
      isFirst = false
      for row in made { try Terminal.line(row.line) }
    }
    if printsJSON { try Terminal.line(JSONText.encode(Table(build: Self.build, secondsPerRow: seconds, rows: rows))) }
    if Self.build == "debug" { Terminal.error("antiphon bench: this is a debug build; its figures say nothing") }
  }

  private static var build: String {
    #if DEBUG
      "debug"
    #else
      "release"
    #endif
  }
}
