/// The lines of a text file, one after the other; ends of line are LF or CR LF.
struct TextLines: ~Copyable {
  /// The number of the line that `next` returned last; the first is 1.
  private(set) var number = 0
  private var input: SequentialBytes

  /// No line of ours is longer; a binary file given by mistake shows here.
  private static let lengthLimit = 65_536

  init(_ file: FileBytes) { input = SequentialBytes(file) }

  /// The next line without its end; `nil` after the last. Throws when it is no text.
  mutating func next() throws(AudioFileError) -> String? {
    var bytes: [UInt8] = []
    while let byte = try input.readByte(), byte != 0x0A {
      bytes.append(byte)
      if bytes.count > Self.lengthLimit || byte == 0 {
        throw .badLine(path: input.path, line: number + 1, reason: "this is not text; give a CSV file")
      }
    }
    if bytes.isEmpty, try input.isAtEnd() { return nil }
    number += 1
    if bytes.last == 0x0D { bytes.removeLast() }
    if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
