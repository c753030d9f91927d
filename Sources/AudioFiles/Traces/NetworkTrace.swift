internal import Foundation
public import RealtimeCore

/// What a network did to a stream: when each packet was sent and when each copy of it arrived.
///
/// As text: comment lines that begin with "#", the header `seq,timestamp,send_ms,arrival_ms`, then one row for each copy
/// on the wire, in the order of sending. Times are milliseconds on one clock; an empty arrival means lost; a duplicate
/// is one more row with the same number.
public struct NetworkTrace: Hashable, Sendable {
  /// One copy of one packet.
  public struct Row: Hashable, Sendable {
    /// RTP sequence number, wrapping.
    public var sequenceNumber: SequenceNumber
    /// RTP timestamp, in ticks of the media clock, wrapping.
    public var timestamp: RTPTimestamp
    /// When the packet was sent.
    public var sent: MediaInstant
    /// When it arrived; `nil`: never.
    public var arrival: MediaInstant?

    /// A row of these fields.
    public init(
      sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, sent: MediaInstant, arrival: MediaInstant?
    ) {
      self.sequenceNumber = sequenceNumber
      self.timestamp = timestamp
      self.sent = sent
      self.arrival = arrival
    }
  }

  /// Copies in the order of sending.
  public var rows: [Row]
  /// Comment lines without their "#".
  public var comments: [String]

  /// The first line that is not a comment.
  public static let header = "seq,timestamp,send_ms,arrival_ms"

  /// A trace of these rows.
  public init(rows: [Row], comments: [String] = []) {
    self.rows = rows
    self.comments = comments
  }

  /// Reads a trace; "-" is standard input. Throws `.badLine`, with the number of the line, at the first that is wrong.
  public init(path: String) throws(AudioFileError) {
    var lines = TextLines(try FileBytes(path: path))
    self.init(rows: [])
    var hasHeader = false
    while let line = try lines.next() {
      if line.isEmpty { continue }
      if line.first == "#" {
        comments.append(line.dropFirst().trimmingCharacters(in: .whitespaces))
      } else if !hasHeader {
        guard line == Self.header else {
          throw .badLine(path: path, line: lines.number, reason: "the columns must be \"\(Self.header)\"")
        }
        hasHeader = true
      } else {
        do throws(RowFault) {
          rows.append(try Row(line))
        } catch {
          throw .badLine(path: path, line: lines.number, reason: error.reason)
        }
      }
    }
    guard hasHeader else {
      throw .badLine(path: path, line: max(1, lines.number), reason: "no header \"\(Self.header)\"")
    }
  }

  /// Writes the trace in the form that `init(path:)` reads, times to the nanosecond; "-" is standard output.
  public func write(to path: String) throws(AudioFileError) {
    let sink = try ByteSink(path: path)
    for comment in comments {
      for line in comment.split(separator: "\n", omittingEmptySubsequences: false) {
        try sink.append(Array("# \(line)\n".utf8))
      }
    }
    try sink.append(Array((Self.header + "\n").utf8))
    for row in rows {
      let arrival = row.arrival.map { Self.milliseconds($0) } ?? ""
      let line = "\(row.sequenceNumber),\(row.timestamp),\(Self.milliseconds(row.sent)),\(arrival)\n"
      try sink.append(Array(line.utf8))
    }
    try sink.finish()
  }

  /// Decimal milliseconds, exact, without trailing zeros.
  private static func milliseconds(_ instant: MediaInstant) -> String {
    let magnitude = instant.nanoseconds.magnitude
    var text = "\(instant.nanoseconds < 0 ? "-" : "")\(magnitude / 1_000_000)"
    var fraction = String(magnitude % 1_000_000 + 1_000_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    if !fraction.isEmpty { text += ".\(fraction)" }
    return text
  }
}

/// What is wrong with a row.
private struct RowFault: Error {
  let reason: String
}

extension NetworkTrace.Row {
  /// A day is far longer than any call, and far from the ends of the time axis.
  private static let timeLimit = 86_400_000.0

  fileprivate init(_ line: String) throws(RowFault) {
    let fields = line.split(separator: ",", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard fields.count == 4 else { throw RowFault(reason: "\(fields.count) columns in place of 4") }
    guard let sequence = UInt16(fields[0]) else {
      throw RowFault(reason: "seq \"\(fields[0].prefix(40))\" is not a whole number of 0 to 65535")
    }
    guard let timestamp = UInt32(fields[1]) else {
      throw RowFault(reason: "timestamp \"\(fields[1].prefix(40))\" is not a whole number of 0 to 4294967295")
    }
    sequenceNumber = SequenceNumber(sequence)
    self.timestamp = RTPTimestamp(timestamp)
    sent = try Self.time(fields[2], "send_ms")
    arrival = fields[3].isEmpty ? nil : try Self.time(fields[3], "arrival_ms")
  }

  private static func time(_ field: String, _ column: String) throws(RowFault) -> MediaInstant {
    guard let value = Double(field), value.isFinite else {
      throw RowFault(reason: "\(column) \"\(field.prefix(40))\" is not a number of milliseconds")
    }
    guard abs(value) <= timeLimit else {
      throw RowFault(reason: "\(column) \(field.prefix(40)) is more than a day (86400000 ms) away from 0")
    }
    return MediaInstant(milliseconds: value)
  }
}
