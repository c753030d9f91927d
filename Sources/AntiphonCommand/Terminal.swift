import Foundation

/// Whoever read our standard output has closed it.
struct OutputClosed: Error {}

/// Standard output and error: results to one, messages and progress to the other.
enum Terminal {
  /// Writes a message and a line feed to standard error.
  static func error(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }

  /// Writes `text` and a line feed to standard output at once.
  static func line(_ text: String) throws {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
    } catch {
      throw OutputClosed()
    }
  }

  static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
  static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Columns of the terminal on standard output; 80 where there is none.
  static var columns: Int {
    var size = winsize()
    let known = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return known && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}

/// A line on standard error that tells how far long work is, at most ten times a second; silent where standard error is
/// not a terminal.
struct Progress {
  private let label: String
  private let shows = Terminal.errorIsTerminal
  private let start = ContinuousClock.now
  private var shownAt: ContinuousClock.Instant

  init(_ label: String) {
    self.label = label
    shownAt = start
  }

  /// Shows `done` of `total` seconds of audio; `total` is `nil` where it is not known.
  mutating func update(done: Double, total: Double?) {
    guard shows else { return }
    let now = ContinuousClock.now
    guard now - shownAt > .milliseconds(100) else { return }
    shownAt = now
    let elapsed = (now - start) / .seconds(1)
    let speed = elapsed > 0 ? done / elapsed : 0
    var text = String(format: "\r\(label): %.1f s", done)
    if let total, total > 0 {
      text += String(format: " of %.1f s (%.0f %%)", total, min(100, 100 * done / total))
    }
    text += String(format: ", %.0f times real time\u{1B}[K", speed)
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// Removes the line.
  func finish() {
    guard shows else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
