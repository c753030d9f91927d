/// What the command line asks for.
struct Options {
  /// Shorter loops and a part of the grid: a check that all runs, in well under a minute.
  var isQuick = false
  /// Where the results go as JSON.
  var jsonPath: String?
  /// The groups to run, in their own order; all when empty.
  var groups: [String] = []
  var showsHelp = false

  static let help = """
    usage: Bench [--quick] [--only GROUP[,GROUP…]] [--json FILE]
      --quick       shorter loops, part of the grid
      --only        of: \(BenchmarkGroup.allCases.map(\.rawValue).joined(separator: ", "))
      --json FILE   machine, date, toolchain, command and all rows
    Times are per call. "ours/this" is the ratio of medians of the same round, with its range over the rounds.
    """

  struct Mistake: Error {
    let text: String
  }

  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--help", "-h": showsHelp = true
      case "--json": jsonPath = try Self.value(of: argument, in: &rest)
      case "--only":
        groups += try Self.value(of: argument, in: &rest).split(separator: ",").map(String.init)
        for group in groups where BenchmarkGroup(rawValue: group) == nil {
          throw Mistake(text: "no group is called \(group)")
        }
      default: throw Mistake(text: "unknown option \(argument)")
      }
    }
  }

  private static func value(of option: String, in rest: inout ArraySlice<String>) throws(Mistake) -> String {
    guard let value = rest.popFirst() else { throw Mistake(text: "\(option) needs a value") }
    return value
  }

  func includes(_ group: BenchmarkGroup) -> Bool { groups.isEmpty || groups.contains(group.rawValue) }
}
