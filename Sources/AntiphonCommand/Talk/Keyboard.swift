import Foundation

/// The keys of the terminal one by one, without waiting for a line's end. The terminal is as before when it is let go.
final class Keyboard: @unchecked Sendable {  // the source is held, and never touched again
  /// What was pressed.
  enum Key: Sendable {
    case character(Character)
    case enter
    case tab
    case backspace
  }

  let keys: AsyncStream<Key>
  private let source: any DispatchSourceRead
  private let before: termios

  /// `nil` when standard input is no terminal.
  init?() {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
    before = settings
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    let (stream, continuation) = AsyncStream.makeStream(of: Key.self)
    keys = stream
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = unsafe read(STDIN_FILENO, &bytes, 256)
      guard count > 0 else { return continuation.finish() }
      for character in String(decoding: bytes[..<count], as: UTF8.self) {
        switch character {
        case "\n", "\r": continuation.yield(.enter)
        case "\t": continuation.yield(.tab)
        case "\u{7F}", "\u{08}": continuation.yield(.backspace)
        default: if !character.isASCII || character >= " " { continuation.yield(.character(character)) }
        }
      }
    }
    source.resume()
  }

  /// Gives the terminal back.
  func end() {
    source.cancel()
    var settings = before
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }
}
