extension SDPSession: CustomStringConvertible {
  /// The description's text, each line ended by CRLF, in the order that RFC 8866 §5 demands.
  ///
  /// Line ends and NULs inside a value are written as spaces, so that no value can smuggle in a line.
  public var text: String {
    var lines = [SDPLine("v", "0"), SDPLine("o", origin.text), SDPLine("s", name), SDPLine("t", timing)]
    if let connection { lines.append(SDPLine("c", connection.text)) }
    lines = SDPLine.sorted(lines + otherLines, inMedia: false)
    lines += attributes.map { SDPLine("a", $0.text) }
    for section in media {
      var sectionLines = [SDPLine("m", section.lineText)]
      if let connection = section.connection { sectionLines.append(SDPLine("c", connection.text)) }
      lines += SDPLine.sorted(sectionLines + section.otherLines, inMedia: true)
      lines += section.attributes.map { SDPLine("a", $0.text) }
    }
    return lines.map { "\($0.type)=\(Self.clean($0.value))\r\n" }.joined()
  }

  /// The description's text.
  public var description: String { text }

  private static func clean(_ value: String) -> String {
    guard value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else { return value }
    return String(decoding: value.utf8.map { $0 == 0 || $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
  }
}
