internal import Foundation
internal import RealtimeCore

/// Reads the rows of a `NetworkTrace` one after the other, in constant memory.
/// - Threads: one at a time; blocks on the disk or pipe.
public struct NetworkTraceReader: ~Copyable {
  /// Comment lines so far, without their "#".
  public private(set) var comments: [String] = []
  /// Rows read so far.
  public private(set) var rowCount = 0

  private let path: String
  private var lines: TextLines
  private var hasHeader = false
  private var lastSent = MediaInstant.zero

  /// Opens a trace; "-" is standard input.
  public init(path: String) throws(AudioFileError) {
    self.path = path
    let file = try FileBytes(path: path)
    lines = TextLines(file)
  }

  /// The next row; `nil` after the last. Throws `.badLine`, with the number of the line, where one is wrong.
  public mutating func next() throws(AudioFileError) -> NetworkTrace.Row? {
    while let line = try lines.next() {
      if line.isEmpty { continue }
      if line.first == "#" {
        comments.append(line.dropFirst().trimmingCharacters(in: .whitespaces))
      } else if !hasHeader {
        guard line == NetworkTrace.header else {
          throw .badLine(path: path, line: lines.number, reason: "the columns must be \"\(NetworkTrace.header)\"")
        }
        hasHeader = true
      } else {
        do throws(RowFault) {
          let row = try NetworkTrace.Row(line, after: lastSent)
          lastSent = row.sent
          rowCount += 1
          return row
        } catch {
          throw .badLine(path: path, line: lines.number, reason: error.reason)
        }
      }
    }
    guard hasHeader else {
      throw .badLine(path: path, line: max(1, lines.number), reason: "no header \"\(NetworkTrace.header)\"")
    }
    return nil
  }
}

/// What is wrong with a row.
struct RowFault: Error {
  let reason: String
}

extension NetworkTrace.Row {
  /// Far from the ends of the time axis.
  private static let timeLimit = 86_400_000.0 * 365
  /// No call goes on over a silence of five minutes, and no network holds a packet back for so long: who plays the trace
  /// would have to make hours of silence of one wrong number.
  private static let longestGap = 300_000.0
  /// Clocks of sender and receiver that disagree by more are no one axis.
  private static let clockDisagreement = 10_000.0

  /// - Parameter before: when the packet of the row before was sent; 0 in the first row.
  init(_ line: String, after before: MediaInstant) throws(RowFault) {
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
    let arrival = fields[3].isEmpty ? nil : try Self.time(fields[3], "arrival_ms")
    self.arrival = arrival
    if abs(sent.milliseconds(since: before)) > Self.longestGap {
      throw RowFault(
        reason: "send_ms \(fields[2].prefix(40)) is more than 5 minutes away from the row before (the first: from 0); "
          + "let the trace begin near 0, or cut it in two")
    }
    guard let arrival else { return }
    if arrival < .zero {
      throw RowFault(
        reason: "arrival_ms \(fields[3].prefix(40)) is before the trace's zero, where playout begins; "
          + "add the same number to all times")
    }
    let transit = arrival.milliseconds(since: sent)
    if transit > Self.longestGap {
      throw RowFault(
        reason: "arrival_ms \(fields[3].prefix(40)) is more than 5 minutes after send_ms; "
          + "leave it empty if the packet was lost")
    }
    if transit < -Self.clockDisagreement {
      throw RowFault(
        reason: "arrival_ms \(fields[3].prefix(40)) is more than 10 s before send_ms; give both on the receiver's clock"
      )
    }
  }

  private static func time(_ field: String, _ column: String) throws(RowFault) -> MediaInstant {
    guard let value = Double(field), value.isFinite else {
      throw RowFault(reason: "\(column) \"\(field.prefix(40))\" is not a number of milliseconds")
    }
    guard abs(value) <= timeLimit else {
      throw RowFault(reason: "\(column) \(field.prefix(40)) is more than a year away from 0")
    }
    return MediaInstant(milliseconds: value)
  }
}
