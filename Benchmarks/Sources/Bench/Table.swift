/// Prints rows as a table of text, one line each, as wide as its widest cell.
struct Table {
  private var lines: [[String]]

  init(_ rows: [Row]) {
    let isPerCall = rows.contains { $0.p99 != nil }
    let hasDelay = rows.contains { $0.algorithmicDelayMilliseconds != nil }
    var header = ["task", "contender", "median"]
    header += isPerCall ? ["p99", "p99.9", "worst", "unit", "real time", "heap/call"] : ["lowest", "highest", "unit"]
    if hasDelay { header.append("delay ms") }
    header += ["ours/this", "range", "note"]
    lines = [header]
    for row in rows {
      var cells = [row.task, row.contender, Self.number(row.median)]
      if isPerCall {
        cells += [Self.number(row.p99), Self.number(row.p999), Self.number(row.worst), row.unit]
        cells += [row.shareOfRealTime.map { Self.fixed($0 * 100, digits: 3) + " %" } ?? ""]
        cells += [row.heapOperationsPerCall.map { Self.fixed($0, digits: $0 == $0.rounded() ? 0 : 3) } ?? ""]
      } else {
        cells += [Self.number(row.lowestRound), Self.number(row.highestRound), row.unit]
      }
      if hasDelay { cells.append(row.algorithmicDelayMilliseconds.map { Self.fixed($0, digits: 2) } ?? "") }
      if let ratio = row.oursOverThis {
        cells += [
          Self.fixed(ratio.median, digits: 3),
          "\(Self.fixed(ratio.lowest, digits: 3))…\(Self.fixed(ratio.highest, digits: 3))",
        ]
      } else {
        cells += ["", ""]
      }
      cells.append(row.note ?? "")
      lines.append(cells)
    }
  }

  /// The table, a line for each row.
  var text: String {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.reduce(into: "") { text, line in
      let cells = line.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        // Words to the left, figures to the right.
        return column < 2 || column == line.count - 1 ? cell + padding : padding + cell
      }
      text += "  " + cells.joined(separator: "  ") + "\n"
    }
  }

  /// Three digits that count.
  private static func number(_ value: Double?) -> String {
    guard let value else { return "" }
    return fixed(value, digits: value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3)
  }

  static func fixed(_ value: Double, digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 1e15 else { return "\(value)" }
    let whole = Int(scaled) / Int(scale)
    let rest = Int(scaled) % Int(scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let tail = "\(rest)"
    return "\(sign)\(whole)." + String(repeating: "0", count: digits - tail.count) + tail
  }
}
