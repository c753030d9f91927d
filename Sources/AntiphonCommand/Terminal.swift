import Foundation

/// Whoever read our standard output has closed it.
struct OutputClosed: Error {}

/// Standard output and error: results to one, messages and progress to the other.
enum Terminal {
  /// Writes a message and a line feed to standard error.
  static func error(_ message: String) { errorText(message + "\n") }

  /// Writes `text` to standard error. Where that is closed or full, there is nobody to tell.
  static func errorText(_ text: String) { _ = put(text, to: STDERR_FILENO) }

  /// Writes `text` and a line feed to standard output at once.
  static func line(_ text: String) throws { try outputText(text + "\n") }

  /// Writes `text` to standard output at once.
  static func outputText(_ text: String) throws {
    switch put(text, to: STDOUT_FILENO) {
    case 0: break
    case EPIPE: throw OutputClosed()
    case let code: throw CommandFailure("cannot write to standard output: \(systemMessage(code))")
    }
  }

  private static func put(_ text: String, to descriptor: Int32) -> Int32 {
    unsafe Array(text.utf8).withUnsafeBytes { unsafe put($0, to: descriptor) }
  }

  /// Writes all of `bytes`. - Returns: 0, or the number of what prevented it.
  static func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var done = 0
    while done < bytes.count {
      let count = unsafe write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count > 0 {
        done += count
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
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
    Terminal.errorText(text)
  }

  /// Removes the line.
  func finish() {
    guard shows else { return }
    Terminal.errorText("\r\u{1B}[K")
  }
}
