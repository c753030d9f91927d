extension SDPSession: CustomStringConvertible {
  /// The description's text, each line ended by CRLF, in the order that RFC 8866 §5 demands.
  ///
  /// Line ends and NULs inside a value are written as spaces, so that no value can smuggle in a line.
  public var text: String {
    var lines = [SDPLine("v", "0"), SDPLine("o", origin.text), SDPLine("s", name), SDPLine("t", timing)]
    if let connection { lines.append(SDPLine("c", connection.text)) }
    Self.sort(&lines, with: otherLines, inMedia: false)
    lines += attributes.map { SDPLine("a", $0.text) }
    for section in media {
      var sectionLines = [SDPLine("m", section.lineText)]
      if let connection = section.connection { sectionLines.append(SDPLine("c", connection.text)) }
      Self.sort(&sectionLines, with: section.otherLines, inMedia: true)
      lines += sectionLines
      lines += section.attributes.map { SDPLine("a", $0.text) }
    }
    return lines.map { "\($0.type)=\(Self.clean($0.value))\r\n" }.joined()
  }

  /// The description's text.
  public var description: String { text }

  /// Puts `others` among `lines`; lines of one type keep their order.
  private static func sort(_ lines: inout [SDPLine], with others: [SDPLine], inMedia: Bool) {
    let ranked = (lines + others).enumerated().map {
      (rank: SDPLine.rank($1.type, inMedia: inMedia), place: $0, line: $1)
    }
    lines = ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.line)
  }

  private static func clean(_ value: String) -> String {
    guard value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else { return value }
    return String(decoding: value.utf8.map { $0 == 0 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
  }
}
