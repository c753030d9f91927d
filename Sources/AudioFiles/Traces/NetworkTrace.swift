internal import Foundation
public import RealtimeCore

/// What a network did to a stream: when each packet was sent and when each copy of it arrived.
///
/// As text: comment lines that begin with "#", the header `seq,timestamp,send_ms,arrival_ms`, then one row for each copy
/// on the wire, in the order of sending. Times are milliseconds on one clock; an empty arrival means lost; a duplicate
/// is one more row with the same number. Times are within 5 minutes of the row before, an arrival is at 0 or later, at most
/// 10 s before its sending (clocks may disagree) and 5 minutes behind it: reading refuses others, by their line.
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
    var reader = try NetworkTraceReader(path: path)
    var rows: [Row] = []
    while let row = try reader.next() { rows.append(row) }
    self.init(rows: rows, comments: reader.comments)
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
