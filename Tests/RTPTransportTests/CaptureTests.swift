import AudioFiles
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// Recordings of real calls; the right answers are those of `tshark -q -z rtp,streams -o rtp.heuristic_rtp:TRUE -r FILE`.
@Suite struct CaptureTests {
  private struct Stream: Hashable {
    let source: NetworkEndpoint
    let ssrc: UInt32
  }

  /// Statistics of each RTP stream in a capture whose packets carry `payloadType`.
  private func streams(_ name: String, payloadType: UInt8) throws -> [Stream: ReceptionStatistics] {
    var capture = try CaptureFile(path: testdata.appendingPathComponent("captures/\(name)").path)
    var streams: [Stream: ReceptionStatistics] = [:]
    while let datagram = try capture.next() {
      guard DatagramKind(datagram.payload.span) == .rtp else { continue }
      guard let packet = try? RTPPacket(datagram.payload.span), packet.header.payloadType == payloadType else {
        continue
      }
      let stream = Stream(source: datagram.source, ssrc: packet.header.ssrc)
      streams[stream, default: ReceptionStatistics(clockRate: 8_000, probation: 0)]
        .register(packet.header, payloadByteCount: packet.payloadRange.count, at: datagram.arrival)
    }
    return streams
  }

  @Test func countsLossAndJitterOfARealCallAreThoseOfWireshark() throws {
    let found = try streams("gpl-2.0/sipnab-codec-negotiation.pcap", payloadType: 0)
    #expect(found.count == 2)
    for (stream, statistics) in found {
      #expect(stream.ssrc == 0x0E33_0AF3)
      #expect(statistics.packetsReceived == 151 && statistics.packetsLost == 0)
      #expect(statistics.bytesReceived == 151 * 160)
      // Wireshark's jitter over the stream: 0.065 to 0.350 ms, 0.26 on the mean.
      #expect(statistics.jitter > 0.000_065 && statistics.jitter < 0.000_351, "\(statistics.jitter)")
    }
  }

  @Test(arguments: [
    "rtptools-bark.rtp", "gpl-2.0/sipnab-codec-negotiation.pcap", "sipnab-register-invite-reinvite-bye.pcap",
    "tcpdump-rtp-seg-fault-1.pcapng",
  ])
  func everyRecordedDatagramIsReadOrRefused(_ name: String) throws {
    var capture = try CaptureFile(path: testdata.appendingPathComponent("captures/\(name)").path)
    var count = 0
    while let datagram = try capture.next() {
      count += 1
      guard let packet = try? RTPPacket(datagram.payload.span) else { continue }
      #expect(packet.payloadEnd <= datagram.payload.count)
    }
    #expect(count > 0)
  }
}
