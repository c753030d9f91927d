import Foundation

/// The tables, in the order in which they run.
enum BenchmarkGroup: String, CaseIterable {
  case rings, codecs, stages, own, path

  var title: String {
    switch self {
    case .rings: "Rings between two threads"
    case .codecs: "Codecs: one frame of speech a call"
    case .stages: "Stages on C libraries beside the same loop in C"
    case .own: "Stages of our own"
    case .path: "Paths of the engine"
    }
  }

  func rows(_ options: Options) throws -> [Row] {
    switch self {
    case .rings: return ringRows(options)
    case .codecs: return try codecRows(options)
    case .stages: return try stageRows(options)
    case .own: return try ownStageRows(options)
    case .path: return try capturePathRows(options)
    }
  }
}

/// Unlike `print`, shows a table as soon as it is ready, in a pipe too.
func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("Bench: \(error.text)\n\(Options.help)\n".utf8))
  exit(2)
}
if options.showsHelp {
  show(Options.help)
  exit(0)
}

var rows: [Row] = []
for group in BenchmarkGroup.allCases where options.includes(group) {
  show(group.title)
  let found = try group.rows(options)
  show(Table(found).text)
  rows += found
}
if let path = options.jsonPath { try Report(rows: rows).write(to: path) }
