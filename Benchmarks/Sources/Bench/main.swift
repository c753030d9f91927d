import Foundation

/// The tables, in the order in which they run.
enum BenchmarkGroup: String, CaseIterable {
  case rings

  var title: String {
    switch self {
    case .rings: "Rings between two threads"
    }
  }

  func rows(_ options: Options) -> [Row] {
    switch self {
    case .rings: ringRows(options)
    }
  }
}

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("Bench: \(error.text)\n\(Options.help)\n".utf8))
  exit(2)
}
if options.showsHelp {
  print(Options.help)
  exit(0)
}

var rows: [Row] = []
for group in BenchmarkGroup.allCases where options.includes(group) {
  print(group.title)
  let found = group.rows(options)
  Table(found).print()
  rows += found
}
if let path = options.jsonPath { try Report(rows: rows).write(to: path) }
