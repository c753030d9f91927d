/// Words as a shell takes them.
enum ShellText {
  /// The command line, to be typed again.
  static var commandLine: String { line(Array(CommandLine.arguments.dropFirst())) }

  /// The program with these words.
  static func line(_ words: [String]) -> String { (["antiphon"] + words.map(quoted)).joined(separator: " ") }

  /// A word as it is where the shell leaves it so, else between quotes.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      // Letters and figures, what file names have, and the sign for a key that is not shown.
      byte >= 0x80 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_./:,=+@%".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
