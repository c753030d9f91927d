import Foundation

/// What a reader needs to judge or repeat the figures.
struct Report: Encodable {
  let machine: String
  let coreCount: Int
  let system: String
  let toolchain: String
  let command: String
  let date: String
  let rows: [Row]

  init(rows: [Row]) {
    machine = Self.processorName
    coreCount = ProcessInfo.processInfo.activeProcessorCount
    system = ProcessInfo.processInfo.operatingSystemVersionString
    toolchain = Self.compilerVersion
    command = (["Scripts/bench"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
    date = Date().formatted(.iso8601)
    self.rows = rows
  }

  /// Pretty-printed, keys sorted, so that two reports can be compared line by line.
  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try encoder.encode(self).write(to: file)
  }

  private static var processorName: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
    let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return name.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
  }

  private static var compilerVersion: String {
    // Set by the script that built this program; a language version is all the program knows by itself.
    if let version = ProcessInfo.processInfo.environment["BENCH_TOOLCHAIN"] { return version }
    #if compiler(>=6.3)
      return "Swift 6.3 or later"
    #else
      return "Swift 6.2"
    #endif
  }
}
