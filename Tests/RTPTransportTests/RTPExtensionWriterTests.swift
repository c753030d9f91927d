import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct RTPExtensionWriterTests {
  private func packets(_ writer: RTPExtensionWriter, count: Int = 3) throws -> [[UInt8]] {
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 111, ticksPerFrame: 960, firstSequenceNumber: SequenceNumber(65_535),
      firstTimestamp: RTPTimestamp(0), headerExtension: writer)
    return try (0..<count).map { index in
      packetizer.audioLevel = RTPPacket.AudioLevel(isVoice: index == 1, decibelsBelowOverload: 20 + index)
      var bytes = [UInt8](repeating: 0xAA, count: 200)
      var span = bytes.mutableSpan
      let byteCount = try packetizer.write([1, 2, 3, UInt8(index)].span, into: &span)
      return Array(bytes[..<byteCount])
    }
  }

  @Test func wiresharkReadsTheElementsThatWereWritten() throws {
    let sent = try packets(RTPExtensionWriter(audioLevel: 1, transportSequence: 3, mid: 4, name: "audio"))
    let fields = ["rtp.ext.rfc5285.id", "rtp.ext.rfc5285.data", "rtp.payload", "rtp.seq"]
    let rows = try Wireshark.fields(fields, of: sent, as: "rtp")
    for (index, row) in rows.enumerated() {
      #expect(row["rtp.ext.rfc5285.id"] == ["1", "3", "4"])
      let level = String(format(UInt8((index == 1 ? 0x80 : 0) | (20 + index))))
      #expect(row["rtp.ext.rfc5285.data"] == [level, format(0) + format(UInt8(index)), "617564696f"])
      #expect(row["rtp.payload"] == ["010203" + format(UInt8(index))])
      #expect(row["rtp.seq"] == ["\((65_535 + index) % 65_536)"])
    }
  }

  @Test func itIsReadBackByTheReceiver() throws {
    let sent = try packets(RTPExtensionWriter(audioLevel: 14, transportSequence: 1))
    for (index, bytes) in sent.enumerated() {
      let packet = try RTPPacket(bytes.span)
      let level = packet.audioLevel(14, in: bytes.span)
      #expect(level == RTPPacket.AudioLevel(isVoice: index == 1, decibelsBelowOverload: 20 + index))
      let number = packet.extensionElement(1, in: bytes.span)
      #expect(number.map { Array(bytes[$0]) } == [0, UInt8(index)])
      #expect(Array(bytes[packet.payloadRange]) == [1, 2, 3, UInt8(index)])
    }
  }

  @Test func whatTheOneByteFormCannotHoldIsLeftOut() throws {
    #expect(RTPExtensionWriter(audioLevel: 15, transportSequence: 0).byteCount == 0)
    #expect(RTPExtensionWriter(audioLevel: nil, transportSequence: nil, mid: 3, name: "").byteCount == 0)
    let long = String(repeating: "m", count: 17)
    #expect(RTPExtensionWriter(audioLevel: 1, transportSequence: nil, mid: 3, name: long).byteCount == 8)
    let bytes = try packets(RTPExtensionWriter(audioLevel: nil, transportSequence: nil), count: 1)[0]
    #expect(bytes.count == 16 && bytes[0] == 0x80)
  }

  private func format(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
