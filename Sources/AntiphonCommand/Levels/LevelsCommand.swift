import Antiphon
import Foundation

/// The levels that a visualizer shows, as numbers or as bars that move with the sound.
struct LevelsCommand: Command {
  static let name = "levels"
  static let summary = "show a recording's level and frequency bands as they move"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value("--bands", "N", "frequency bands, 1 to 100 (default: 10)"),
      ArgumentSyntax.value("--rate-hz", "N", "updates a second, 1 to 200 (default: 30)"),
      ArgumentSyntax.flag("--fast", "do not wait for the sound: as fast as it goes"),
      ArgumentSyntax.flag("--json", "JSON lines, also on a terminal"),
    ], operands: ["FILE"])
  static let example = "antiphon levels --bands 5 --json testdata/speech/agent.wav"
  static let notes = """
    On a terminal: bars in the time of the sound, until it ends or Ctrl-C. Anywhere else: one JSON object a line with the
    time in seconds, RMS and peak in dBFS (null: silence), and a level of 0 to 1 for each band.
    A live source can be piped in: parec --file-format=wav | antiphon levels -
    """

  private let path: String
  private let bandCount: Int
  private let updatesPerSecond: Int
  private let showsBars: Bool
  private let waits: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.operand(0, "FILE")
    bandCount = try arguments.number("--bands", in: 1...100) ?? 10
    updatesPerSecond = try arguments.number("--rate-hz", in: 1...200) ?? 30
    showsBars = Terminal.outputIsTerminal && !arguments.has("--json")
    waits = showsBars && !arguments.has("--fast")
  }

  func run() throws {
    if showsBars { try showBars() } else { try measure { try Terminal.line($0.json) } }
  }

  /// Reads to the end and hands over every reading; returns seconds of sound.
  @discardableResult
  func measure(_ show: (LevelReading) throws -> Void) throws -> Double {
    var source = try LevelSource(path: path, bandCount: bandCount, updatesPerSecond: updatesPerSecond)
    while let reading = try source.next() { try show(reading) }
    for warning in source.warnings { Terminal.error("antiphon \(Self.name): \(warning)") }
    return source.seconds
  }

  private func showBars() throws {
    var view = LevelView(bandCount: bandCount)
    let start = ContinuousClock.now
    view.begin()
    defer { view.end() }
    try measure { reading in
      // A live source may be behind; then there is nothing to wait for.
      let early = start + .seconds(reading.time) - ContinuousClock.now
      if waits, early > .zero { usleep(UInt32(early / .microseconds(1))) }
      try view.show(reading)
    }
  }
}
