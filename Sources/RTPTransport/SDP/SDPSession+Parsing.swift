extension SDPSession {
  /// Reads a description.
  ///
  /// Lines end in CRLF or in LF alone; empty ones are passed over. An attribute that is unknown, or known but malformed,
  /// is kept as `SDPAttribute.other` and means nothing. Never traps; takes at most 64 KiB.
  /// - Throws: the first line that the rest hangs on and that is missing or malformed, or the bound that was passed.
  public init(_ text: String) throws(SDPError) { try self.init(bytes: Array(text.utf8)) }

  /// Reads a description from the bytes of a message's body; see `init(_:)`.
  public init(bytes: [UInt8]) throws(SDPError) {
    let lines = try Self.lines(of: bytes)
    guard let version = lines.first, version.line.type == "v" else { throw .missingLine("v=") }
    guard version.line.value == "0" else { throw .wrongVersion(version.line.value) }
    guard let originLine = lines.first(where: { $0.line.type == "o" }) else { throw .missingLine("o=") }
    guard let origin = Origin(originLine.line.value) else { throw originLine.malformed }

    self.init(origin: origin)
    var hasName = false
    var hasTiming = false
    for numbered in lines.dropFirst() where numbered.number != originLine.number {
      let line = numbered.line
      if line.type == "m" {
        guard media.count < SDPLimit.mediaCount else { throw .tooManyMedia(limit: SDPLimit.mediaCount) }
        guard let section = SDPMedia(line: line.value) else { throw numbered.malformed }
        media.append(section)
        continue
      }
      switch (line.type, media.indices.last) {
      case ("a", let section?): media[section].attributes.append(SDPAttribute(line.value))
      case ("a", nil): attributes.append(SDPAttribute(line.value))
      case ("c", let section):
        guard let connection = SDPConnection(line.value) else { throw numbered.malformed }
        // A section may have several, for layers of multicast (RFC 8866 §5.7); the first is where to send to.
        if let section {
          if media[section].connection == nil {
            media[section].connection = connection
          } else {
            media[section].otherLines.append(line)
          }
        } else if self.connection == nil {
          self.connection = connection
        } else {
          otherLines.append(line)
        }
      case ("s", nil) where !hasName:
        name = line.value
        hasName = true
      case ("t", nil) where !hasTiming:
        timing = line.value
        hasTiming = true
      case (_, let section?): media[section].otherLines.append(line)
      case (_, nil): otherLines.append(line)
      }
    }
    // As they will be written, so that a description equals the one that is read from its text.
    otherLines = SDPLine.sorted(otherLines, inMedia: false)
    for section in media.indices {
      media[section].otherLines = SDPLine.sorted(media[section].otherLines, inMedia: true)
    }
  }

  /// A line with its number, the first being 1.
  private struct NumberedLine {
    let number: Int
    let line: SDPLine

    var malformed: SDPError { .malformedLine(line: number, text: "\(line.type)=\(line.value.prefix(80))") }
  }

  private static func lines(of bytes: [UInt8]) throws(SDPError) -> [NumberedLine] {
    guard bytes.count <= SDPLimit.byteCount else { throw .tooLong(byteCount: bytes.count, limit: SDPLimit.byteCount) }
    var found: [NumberedLine] = []
    var number = 0
    var start = bytes.startIndex
    while start < bytes.endIndex {
      let lineFeed = bytes[start...].firstIndex(of: 0x0A) ?? bytes.endIndex
      var end = lineFeed
      if end > start, bytes[end - 1] == 0x0D { end -= 1 }
      let line = bytes[start..<end]
      start = min(lineFeed + 1, bytes.endIndex)
      number += 1
      if line.isEmpty { continue }
      guard found.count < SDPLimit.lineCount else { throw .tooManyLines(limit: SDPLimit.lineCount) }
      guard line.count <= SDPLimit.lineByteCount else {
        throw .lineTooLong(line: number, byteCount: line.count, limit: SDPLimit.lineByteCount)
      }
      guard let text = String(validating: line, as: UTF8.self) else { throw .notUTF8(line: number) }
      let type = line[line.startIndex]
      guard line.count >= 2, type >= 0x21, type < 0x7F, line[line.startIndex + 1] == 0x3D, !line.contains(0),
        !line.contains(0x0D)
      else { throw .malformedLine(line: number, text: String(text.prefix(80))) }
      let value = String(text.unicodeScalars.dropFirst(2))
      found.append(NumberedLine(number: number, line: SDPLine(Character(Unicode.Scalar(type)), value)))
    }
    return found
  }
}
