import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct TraceTests {
  let folder: TemporaryFolder
  private var network: URL { testdata.appendingPathComponent("network") }

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [("wifi", 551, 0), ("lte", 551, 4), ("lossy", 557, 45)])
  func ourTracesBelongToOurPackets(name: String, rows: Int, lost: Int) throws {
    let trace = try NetworkTrace(path: network.appendingPathComponent(name + ".csv").path)
    #expect(trace.rows.count == rows)
    #expect(trace.rows.count { $0.arrival == nil } == lost)
    #expect(trace.comments.count == 1)
    var file = try PacketFile(path: network.appendingPathComponent("packets.bin").path)
    var packets: [SequenceNumber: RTPTimestamp] = [:]
    while let packet = try file.next() { packets[packet.sequenceNumber] = packet.timestamp }
    #expect(file.packetCount == 551)
    #expect(trace.rows.allSatisfy { packets[$0.sequenceNumber] == $0.timestamp })
    #expect(trace.rows.allSatisfy { row in row.arrival.map { $0 > row.sent } ?? true })
  }

  @Test func aTraceSurvivesWritingAndReading() throws {
    var random = SeededRandom(seed: 5)
    var rows: [NetworkTrace.Row] = []
    for index in 0..<500 {
      let sent = MediaInstant(nanoseconds: Int64(index) * 20_000_000 - 50_000_000)
      let delay = Int64.random(in: 50_000_000...200_000_000, using: &random)
      rows.append(
        .init(
          sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: 65_400 + index)),
          timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: 4_294_900_000 + 960 * index)), sent: sent,
          arrival: index % 7 == 0 ? nil : sent.advanced(byNanoseconds: delay)))
    }
    let trace = NetworkTrace(rows: rows, comments: ["made by a test"])
    try trace.write(to: folder.path("t.csv"))
    #expect(try NetworkTrace(path: folder.path("t.csv")) == trace)
  }

  static let wrongRows: [(String, Int)] = [
    ("1,2,3", 3), ("1,2,3,4,5", 3), ("x,2,3,4", 3), ("-1,2,3,4", 3), ("65536,2,3,4", 3), ("1,4294967296,3,4", 3),
    ("1,2,nan,4", 3), ("1,2,3,inf", 3), ("1,2,,4", 3), ("1,2,1e300,4", 3), ("1,2,3,4\n1,2,3,four", 4),
    // Before zero, long before and long after the sending, sent long after the row before.
    ("1,2,3,-1", 3), ("1,2,20000,9000", 3), ("1,2,3,86000000", 3), ("1,2,400000,400020", 3),
    ("1,2,20,30\n2,2,360000,360020", 4), ("1,2,20,30\n2,2,-300000,30", 4),
  ]

  @Test func aTraceMayLastForHours() throws {
    let rows = (0..<100).map { "\($0),2,\($0 * 290_000),\($0 * 290_000 + 299_000)" }.joined(separator: "\n")
    let path = try folder.file("t.csv", Array("\(NetworkTrace.header)\n\(rows)\n".utf8))
    #expect(try NetworkTrace(path: path).rows.count == 100)
  }

  @Test(arguments: wrongRows)
  func aWrongRowIsNamedByItsLine(row: String, line: Int) throws {
    let path = try folder.file("t.csv", Array("# c\n\(NetworkTrace.header)\n\(row)\n".utf8))
    #expect {
      _ = try NetworkTrace(path: path)
    } throws: { error in
      guard case .badLine(path, line, _) = error as? AudioFileError else { return false }
      return true
    }
  }

  @Test func linesEndAsOnOtherSystemsToo() throws {
    let text = "\u{FEFF}# c\r\n\(NetworkTrace.header)\r\n\r\n1, 2, 3.5 ,\r\n2,3,4,5"
    let trace = try NetworkTrace(path: try folder.file("t.csv", Array(text.utf8)))
    #expect(trace.rows.map(\.arrival) == [nil, MediaInstant(milliseconds: 5)])
    #expect(trace.rows.first?.sent == MediaInstant(milliseconds: 3.5))
    #expect(throws: AudioFileError.self) { _ = try NetworkTrace(path: folder.file("b", Array("seq,when\n".utf8))) }
    #expect(throws: AudioFileError.self) { _ = try NetworkTrace(path: folder.file("c", [0, 1, 2, 3])) }
  }

  @Test func aCutPacketFileKeepsWhatCameBefore() throws {
    let packets = (0..<3).map {
      PacketFile.Packet(
        sequenceNumber: SequenceNumber(UInt16($0)), timestamp: RTPTimestamp(UInt32(960 * $0)),
        payload: [UInt8](repeating: UInt8($0), count: 5 * $0))
    }
    try PacketFile.write(packets, to: folder.path("p.bin"))
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("p.bin"))))
    #expect(bytes.count == 45)
    for cut in 1..<20 {
      var file = try PacketFile(path: folder.file("cut.bin", bytes.dropLast(cut)))
      #expect(try [file.next(), file.next()] == [packets[0], packets[1]])
      let error = AudioFileError.cutRecord(path: folder.path("cut.bin"), byte: Int64(45 - cut), recordsBefore: 2)
      #expect(throws: error) { _ = try file.next() }
    }
    var whole = try PacketFile(path: folder.path("p.bin"))
    var read: [PacketFile.Packet] = []
    while let packet = try whole.next() { read.append(packet) }
    #expect(read == packets)
    var lying = try PacketFile(path: folder.file("lie.bin", [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 1]))
    #expect(throws: AudioFileError.self) { _ = try lying.next() }
  }
}
