import AudioFiles
import Foundation
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct RTCPPacketTests {
  /// All packets of a datagram, or why it is refused.
  private func packets(_ bytes: [UInt8], allowsReducedSize: Bool = false) throws(RTCPError) -> [RTCPPacket] {
    var datagram = try RTCPDatagram(bytes.span, allowsReducedSize: allowsReducedSize)
    var found: [RTCPPacket] = []
    while let packet = datagram.next(in: bytes.span) { found.append(packet) }
    return found
  }

  /// FreeSWITCH's reports; the numbers are those of
  /// `tshark -T fields -e rtcp.ssrc.lsr -e rtcp.ssrc.dlsr …` for the first four packets.
  @Test func recordedReportsAreReadAsWiresharkReadsThem() throws {
    let path = testdata.appendingPathComponent("captures/lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap")
    var capture = try CaptureFile(path: path.path)
    var datagrams: [[UInt8]] = []
    while datagrams.count < 4, let datagram = try capture.next() { datagrams.append(datagram.payload) }
    for (index, bytes) in datagrams.enumerated() {
      let found = try packets(bytes)
      #expect(found.map(\.type) == [index % 2 == 0 ? 200 : 201, 202])
      let sender: UInt32 = index % 2 == 0 ? 0x5D93_1534 : 0x0193_2DB4
      let (said, name) = (found[0].sender(in: bytes.span), found[1].canonicalName(of: sender, in: bytes.span))
      #expect(said == sender)
      #expect(String(decoding: bytes[name ?? 0..<0], as: UTF8.self) == String(sender, radix: 16))
    }
    let (first, last) = (datagrams[0], datagrams[3])
    let info = try packets(first)[0].senderInfo(in: first.span)
    #expect(info?.packetCount == 200 && info?.octetCount == 32_000 && info?.timestamp.rawValue == 32_000)
    let report = try packets(last)[0]
    let blocks = (0..<2).map { report.reportBlock($0, in: last.span) }
    #expect(
      blocks[0]
        == RTCPReportBlock(
          ssrc: 0x5D93_1534, fractionLost: 0, packetsLost: 1, extendedHighestSequenceNumber: 49_035, jitter: 6,
          lastSenderReport: 3_245_362_529, delaySinceLastSenderReport: 263_452))
    #expect(blocks[1] == nil)
  }

  @Test func whatIsWrittenWiresharkReads() throws {
    var bytes = [UInt8](repeating: 0xAA, count: 500)
    var span = bytes.mutableSpan
    var writer = RTCPWriter()
    let ntp = NTPTimestamp(secondsSince1970: 1_700_000_000.25)
    try writer.addSenderReport(
      0x1122_3344,
      RTCPSenderInfo(ntp: ntp, timestamp: RTPTimestamp(4_000_000_000), packetCount: 77, octetCount: 12_320),
      into: &span)
    for ssrc in [UInt32(5), 6] {
      try writer.addBlock(
        RTCPReportBlock(
          ssrc: ssrc, fractionLost: 64, packetsLost: ssrc == 5 ? -3 : 9_000_000, extendedHighestSequenceNumber: 70_000,
          jitter: 33, lastSenderReport: 0xABCD_1234, delaySinceLastSenderReport: 65_536), into: &span)
    }
    let name = Array("a1b2".utf8)
    try writer.addCanonicalName(name.span, of: 0x1122_3344, into: &span)
    try writer.addMissingPacket(SequenceNumber(65_530), of: 5, from: 0x1122_3344, into: &span)
    for number in [65_531, 65_533, 2, 11, 40] as [UInt16] {
      try writer.addFurtherMissingPacket(SequenceNumber(number), into: &span)
    }
    let reason = Array("bye now".utf8)
    try writer.addGoodbye(0x1122_3344, reason: reason.span, into: &span)
    let written = Array(bytes[..<writer.byteCount])

    let row = try #require(
      try Wireshark.fields(
        [
          "rtcp.pt", "rtcp.timestamp.ntp.msw", "rtcp.timestamp.ntp.lsw", "rtcp.timestamp.rtp",
          "rtcp.sender.packetcount",
          "rtcp.sender.octetcount", "rtcp.ssrc.identifier", "rtcp.ssrc.fraction", "rtcp.ssrc.cum_nr",
          "rtcp.ssrc.ext_high", "rtcp.ssrc.jitter", "rtcp.ssrc.lsr", "rtcp.ssrc.dlsr", "rtcp.sdes.text",
          "rtcp.rtpfb.nack_pid", "rtcp.rtpfb.nack_blp", "rtcp.length_check", "_ws.malformed",
        ], of: [written], as: "rtcp"
      ).first)
    #expect(row["rtcp.pt"] == ["200", "202", "205", "203"])
    #expect(row["rtcp.timestamp.ntp.msw"] == ["3908988800"] && row["rtcp.timestamp.ntp.lsw"] == ["1073741824"])
    #expect(row["rtcp.timestamp.rtp"] == ["4000000000"] && row["rtcp.sender.packetcount"] == ["77"])
    #expect(row["rtcp.sender.octetcount"] == ["12320"])
    #expect(row["rtcp.ssrc.identifier"]?.prefix(2) == ["0x00000005", "0x00000006"])
    #expect(row["rtcp.ssrc.fraction"] == ["64", "64"])
    // Wireshark shows the 24 bits without their sign in this version or with it in others.
    #expect([["-3", "8388607"], ["16777213", "8388607"]].contains(row["rtcp.ssrc.cum_nr"]))
    #expect(row["rtcp.ssrc.ext_high"] == ["70000", "70000"] && row["rtcp.ssrc.jitter"] == ["33", "33"])
    #expect(row["rtcp.ssrc.lsr"]?.first == "2882343476" && row["rtcp.ssrc.dlsr"]?.first == "65536")
    #expect(row["rtcp.sdes.text"] == ["a1b2", "bye now"])
    // Wireshark adds up what the bits stand for, past the wrap.
    #expect(row["rtcp.rtpfb.nack_pid"] == ["65530", "65531", "65533", "65538", "11", "40"])
    #expect(row["_ws.malformed"] == [] && row["rtcp.length_check"] == ["1"])

    let found = try packets(written)
    let lost = (0..<2).map { found[0].reportBlock($0, in: written.span)?.packetsLost }
    #expect(lost == [-3, 0x7F_FFFF])
    let following = (0..<4).map { found[2].missingPackets($0, in: written.span)?.following }
    #expect(following == [0b1000_0101, 0, 0, nil])  // bits of 65,531, 65,533 and 2
    let (leaving, place) = (found[3].leavingSource(0, in: written.span), found[3].reasonForLeaving(in: written.span))
    #expect(leaving == 0x1122_3344 && Array(written[place ?? 0..<0]) == reason)
  }

  @Test func brokenDatagramsAreRefusedAsAWhole() {
    let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 7]
    let cases: [([UInt8], RTCPError)] = [
      ([], .tooShort(byteCount: 0)), ([0x80, 201, 0], .tooShort(byteCount: 3)),
      ([0x40, 201, 0, 1, 0, 0, 0, 7], .wrongVersion(1)), ([0x80, 100, 0, 1, 0, 0, 0, 7], .wrongType(100)),
      ([0x80, 201, 0, 2, 0, 0, 0, 7], .lengthOverrun(needed: 12, byteCount: 8)),
      ([0x81, 203, 0, 1, 0, 0, 0, 7], .noReportInFront(type: 203)),
      (report + [0x80, 202, 0, 9], .lengthOverrun(needed: 48, byteCount: 12)),
      (report + [1, 2], .tooShort(byteCount: 2)),
      ([0xA0, 201, 0, 1, 0, 0, 0, 4] + report, .wrongPadding(count: 4, available: 4)),
      ([0xA0, 201, 0, 1, 0, 0, 0, 8], .wrongPadding(count: 8, available: 4)),
      ([0xA0, 201, 0, 1, 0, 0, 0, 3], .wrongPadding(count: 3, available: 4)),
    ]
    for (bytes, error) in cases { #expect(throws: error) { _ = try packets(bytes) } }
    #expect(throws: Never.self) { _ = try packets([0x81, 203, 0, 1, 0, 0, 0, 7], allowsReducedSize: true) }
    // Cut off inside: the counts promise more than there is.
    let short: [UInt8] = [0x9F, 200, 0, 1, 0, 0, 0, 7]
    let packet = try? packets(short).first
    let (info, block) = (packet?.senderInfo(in: short.span), packet?.reportBlock(0, in: short.span))
    #expect(packet?.count == 31 && info == nil && block == nil)
  }

  @Test func whatDoesNotFitChangesNothing() throws {
    for room in 0..<60 {
      var bytes = [UInt8](repeating: 0x5A, count: room)
      var span = bytes.mutableSpan
      var writer = RTCPWriter()
      let name = Array("abc".utf8)
      do throws(RTCPError) {
        try writer.addReceiverReport(1, into: &span)
        try writer.addCanonicalName(name.span, of: 1, into: &span)
        try writer.addMissingPacket(SequenceNumber(1), of: 2, from: 1, into: &span)
        try writer.addFurtherMissingPacket(SequenceNumber(100), into: &span)
        #expect(writer.byteCount <= room)
      } catch {
        #expect(error == .noRoom(needed: max(room + 1, needed(error)), available: room))
      }
      #expect(bytes[min(room, writer.byteCount)...].allSatisfy { $0 == 0x5A })
      if writer.byteCount > 0 { #expect((try? packets(Array(bytes[..<writer.byteCount]))) != nil) }
    }
  }

  private func needed(_ error: RTCPError) -> Int { if case .noRoom(let needed, _) = error { needed } else { 0 } }

  @Test func wallClockTimeIsThatOfTheRFC() {
    // RFC 5905's era: 1970 is 2,208,988,800 s after 1900.
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300] {
      #expect(NTPTimestamp(secondsSince1970: seconds) == NTPTimestamp(secondsSince1970: 0), "\(seconds)")
    }
    let time = NTPTimestamp(secondsSince1970: 0.5)
    #expect(time.rawValue == UInt64(2_208_988_800) << 32 | 1 << 31)
    #expect(time.advanced(byNanoseconds: 250_000_000).rawValue == UInt64(2_208_988_800) << 32 | 3 << 30)
    #expect(time.advanced(byNanoseconds: -1_000_000_000).rawValue == UInt64(2_208_988_799) << 32 | 1 << 31)
    #expect(NTPTimestamp(rawValue: 0x0123_4567_89AB_CDEF).middle == 0x4567_89AB)
  }
}
