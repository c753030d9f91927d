import Antiphon

/// The packets of a packet file as a network trace lets them arrive, in that order and in bounded memory.
struct TraceArrivals: ~Copyable {
  /// Rows of the trace so far.
  private(set) var rowCount = 0
  /// Those of them that bring no packet: by the trace, or because the packet file does not have it.
  private(set) var lostCount = 0
  /// Those of the lost rows that tell an arrival: the packet is not in the packet file.
  private(set) var rowsWithoutPacket = 0
  /// Rows that tell another timestamp than their packet does.
  private(set) var timestampMismatches = 0
  /// Rows that tell an arrival before their sending.
  private(set) var arrivalsBeforeSending = 0
  /// The error in which the packet file ended, if it did; the packets before it were used.
  private(set) var packetFileFault: AudioFileError?
  private(set) var lastArrival: MediaInstant?

  private var rows: NetworkTraceReader
  private var isAtEndOfRows = false
  private var nextRow: NetworkTrace.Row?
  private var packets: PacketWindow
  /// Latest first, so that the next one is taken from the end.
  private var pending: [TraceReplay.Arrival] = []

  /// Rows stand in the order of sending. Should clocks disagree, a row may tell an arrival so much before its sending.
  private static let clockDisagreement = 10_000.0

  init(tracePath: String, packetPath: String) throws {
    let rows = try NetworkTraceReader(path: tracePath)
    let packets = PacketWindow(try PacketFile(path: packetPath))
    self.rows = rows
    self.packets = packets
  }

  /// Whether nothing will arrive any more.
  var isExhausted: Bool { isAtEndOfRows && pending.isEmpty }

  /// The next packet that came by `now`; `nil` when there is none yet.
  mutating func next(arrivedBy now: MediaInstant) throws -> TraceReplay.Arrival? {
    try readRows(sentBy: now.advanced(byMilliseconds: Self.clockDisagreement))
    guard let first = pending.last, first.instant <= now else { return nil }
    return pending.popLast()
  }

  private mutating func readRows(sentBy limit: MediaInstant) throws {
    while !isAtEndOfRows {
      guard let row = try nextRow ?? rows.next() else {
        isAtEndOfRows = true
        return
      }
      nextRow = row.sent <= limit ? nil : row
      if nextRow != nil { return }
      try take(row)
    }
  }

  private mutating func take(_ row: NetworkTrace.Row) throws {
    rowCount += 1
    // The packet is looked for even if its row is lost: so the file is read in step with the trace.
    let packet = try find(row.sequenceNumber)
    guard let arrival = row.arrival else {
      lostCount += 1
      return
    }
    if arrival < row.sent { arrivalsBeforeSending += 1 }
    guard let packet else {
      lostCount += 1
      rowsWithoutPacket += 1
      return
    }
    if packet.timestamp != row.timestamp { timestampMismatches += 1 }
    lastArrival = max(lastArrival ?? arrival, arrival)
    let entry = TraceReplay.Arrival(
      sequenceNumber: packet.sequenceNumber, timestamp: packet.timestamp, payload: packet.payload, instant: arrival)
    pending.insert(entry, at: place(of: arrival))
  }

  private mutating func find(_ number: SequenceNumber) throws -> PacketFile.Packet? {
    do throws(AudioFileError) {
      return try packets.packet(number)
    } catch {
      switch error {
      case .cutRecord, .damaged:
        packetFileFault = error
        return nil
      default: throw error
      }
    }
  }

  /// Before all that came at the same time, so that they keep their order.
  private func place(of instant: MediaInstant) -> Int {
    var (low, high) = (0, pending.count)
    while low < high {
      let middle = (low + high) / 2
      if pending[middle].instant <= instant { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The newest packets of a packet file, by number: as many as duplicates and reordered rows may ask for again.
private struct PacketWindow: ~Copyable {
  private var file: PacketFile
  private var isAtEnd = false
  private var newest: SequenceNumber?
  private var packets: [SequenceNumber: PacketFile.Packet] = [:]
  private var order: [SequenceNumber] = []

  private static let capacity = 1_024

  init(_ file: consuming PacketFile) { self.file = file }

  /// The packet of this number; `nil` when the file has none of it hereabouts.
  mutating func packet(_ number: SequenceNumber) throws(AudioFileError) -> PacketFile.Packet? {
    while packets[number] == nil, !isAtEnd, newest.map({ number.isNewer(than: $0) }) ?? true {
      do throws(AudioFileError) {
        guard let packet = try file.next() else {
          isAtEnd = true
          break
        }
        keep(packet)
      } catch {
        isAtEnd = true
        throw error
      }
    }
    return packets[number]
  }

  private mutating func keep(_ packet: PacketFile.Packet) {
    newest = packet.sequenceNumber
    packets[packet.sequenceNumber] = packet
    order.append(packet.sequenceNumber)
    if order.count == 2 * Self.capacity {
      for number in order.prefix(Self.capacity) { packets[number] = nil }
      order.removeFirst(Self.capacity)
    }
  }
}
