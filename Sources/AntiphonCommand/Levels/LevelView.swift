import Foundation

/// Bars on a terminal, redrawn in place; the cursor is hidden meanwhile and comes back however it ends.
struct LevelView {
  private let bandCount: Int
  private var isDrawn = false

  private static let barRows = 8
  private static let eighths = Array(" ▁▂▃▄▅▆▇█")

  init(bandCount: Int) { self.bandCount = bandCount }

  /// Hides the cursor; Ctrl-C and a closed terminal bring it back and end the program.
  func begin() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        // Only calls that a signal handler may make.
        let show: StaticString = "\u{1B}[?25h\n"
        _ = unsafe write(STDOUT_FILENO, show.utf8Start, show.utf8CodeUnitCount)
        _exit(number == SIGINT ? 0 : 128 + number)
      }
    }
    try? Terminal.outputText("\u{1B}[?25l")
  }

  func end() { try? Terminal.outputText("\u{1B}[?25h") }

  mutating func show(_ reading: LevelReading) throws {
    let columns = Terminal.columns
    let width = max(1, min(6, (columns - 1) / max(1, bandCount) - 1))
    var lines = (0..<Self.barRows).map { row in
      String(reading.bands.map { Self.cell($0, row: row, width: width) }.joined().prefix(columns - 1))
    }
    let text = String(
      format: "%7.2f s  RMS %6.1f dBFS  peak %6.1f dBFS", reading.time, max(-99.9, reading.rms),
      max(-99.9, reading.peak))
    lines.append(String(text.prefix(columns - 1)))
    let up = isDrawn ? "\u{1B}[\(lines.count)A" : ""
    isDrawn = true
    try Terminal.outputText(up + lines.map { "\r\($0)\u{1B}[K\n" }.joined())
  }

  /// One row of one bar: full, empty, or the eighths of a block where the bar ends.
  private static func cell(_ level: Float, row: Int, width: Int) -> String {
    let height = Int((max(0, min(1, level)) * Float(barRows * 8)).rounded())
    let eighth = max(0, min(8, height - (barRows - 1 - row) * 8))
    return String(repeating: eighths[eighth], count: width) + " "
  }
}
