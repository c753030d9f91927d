import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// What one RTP stream of a capture must come out as.
struct KnownStream: Sendable {
  let ssrc: UInt32
  let received: Int
  var payloadTypes: [UInt8]
  var lost = 0
  /// Packets of each hole by the first missing number.
  var bursts: [Int: Int]?
  /// Keys pressed, and how long each, in ms.
  var keys = ""
  var keyMilliseconds = 0.0
  var duplicates = 0
  var sequence: ClosedRange<Int>?
  var seconds: Double?
  var largestJitter: Double?
}

/// What a capture must come out as; where the answers come from is told in testdata/README.md.
struct KnownCapture: Sendable, CustomTestStringConvertible {
  let path: String
  let format: CaptureFile.Format
  let packets: Int
  var control = 0
  let streams: [KnownStream]
  var testDescription: String { path }

  static let all: [KnownCapture] = [
    KnownCapture(
      path: "gpl-2.0/sipp-g711a.pcap", format: .pcap, packets: 236,
      streams: [
        KnownStream(
          ssrc: 0xDEE0_EE8F, received: 236, payloadTypes: [8], sequence: 59_133...59_368, seconds: 7.080,
          largestJitter: 0.829)
      ]),
    KnownCapture(
      path: "gpl-2.0/sipp-dtmf_2833_pound.pcap", format: .pcap, packets: 10,
      streams: [
        KnownStream(
          ssrc: 0x0E05_384E, received: 10, payloadTypes: [101], keys: "#", keyMilliseconds: 280, duplicates: 2,
          sequence: 8_436...8_443)
      ]),
    KnownCapture(
      path: "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap", format: .pcap, packets: 765,
      streams: [
        KnownStream(
          ssrc: 0x1C2C_77CA, received: 765, payloadTypes: [96, 101], keys: "2013785496",
          keyMilliseconds: 1_600 / 48.0, sequence: 6_869...7_633, largestJitter: 6.34)
      ]),
    KnownCapture(
      path: "gpl-2.0/asterisk-ulaw-dtmf-2013785496.pcap", format: .pcap, packets: 974,
      streams: [
        KnownStream(
          ssrc: 0x34D0_1D16, received: 974, payloadTypes: [0, 101], keys: "2013785496", keyMilliseconds: 200,
          sequence: 24_465...25_438)
      ]),
    KnownCapture(
      path: "gpl-2.0/asterisk-40msalaw.pcap", format: .pcap, packets: 826,
      streams: [
        KnownStream(
          ssrc: 0xD500_CA81, received: 826, payloadTypes: [8], sequence: 46_552...47_377, seconds: 33.040,
          largestJitter: 0.191)
      ]),
    KnownCapture(
      path: "gpl-2.0/asterisk-CARRIER_G711U.pcap", format: .pcap, packets: 800,
      streams: [
        KnownStream(
          ssrc: 0x17CB_308C, received: 800, payloadTypes: [0], lost: 14, bursts: [4_007: 12, 4_020: 2],
          sequence: 3_397...4_210, seconds: 16.280, largestJitter: 0.067)
      ]),
    KnownCapture(
      path: "gpl-2.0/sipnab-codec-negotiation.pcap", format: .pcap, packets: 614,
      streams: [
        KnownStream(ssrc: 0x0E33_0AF3, received: 151, payloadTypes: [0], seconds: 3.020),
        KnownStream(ssrc: 0x0E33_0AF3, received: 151, payloadTypes: [0], seconds: 3.020),
        KnownStream(ssrc: 0x2D37_4E76, received: 151, payloadTypes: [9], seconds: 3.020),
        KnownStream(ssrc: 0x2D37_4E76, received: 151, payloadTypes: [9], seconds: 3.020),
      ]),
    KnownCapture(
      path: "sipnab-register-invite-reinvite-bye.pcap", format: .pcap, packets: 230,
      streams: [
        KnownStream(ssrc: 0x0A0A_0002, received: 77, payloadTypes: [0], seconds: 1.540),
        KnownStream(ssrc: 0x0A0A_0001, received: 77, payloadTypes: [0], seconds: 1.540),
        KnownStream(ssrc: 0x0EEF_0002, received: 32, payloadTypes: [96], seconds: 0.640),
        KnownStream(ssrc: 0x0EEF_0001, received: 32, payloadTypes: [96], seconds: 0.640),
      ]),
    KnownCapture(
      path: "rtptools-bark.rtp", format: .rtpdump, packets: 16, control: 1,
      streams: [
        KnownStream(
          ssrc: 0x0005_9C72, received: 15, payloadTypes: [0], sequence: 54_553...54_567, seconds: 0.300)
      ]),
    KnownCapture(
      path: "gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap", format: .pcap, packets: 374,
      streams: [
        KnownStream(
          ssrc: 0, received: 189, payloadTypes: [96], lost: 11, bursts: [24_932: 6, 24_967: 5],
          sequence: 24_883...25_082),
        KnownStream(
          ssrc: 0, received: 185, payloadTypes: [96], lost: 5, bursts: [24_967: 5], sequence: 24_892...25_081),
      ]),
    KnownCapture(
      path: "lgpl-3.0/ndpi-skinny.pcap", format: .pcap, packets: 200,
      streams: [
        KnownStream(ssrc: 0xF6BF_57E2, received: 18, payloadTypes: [0], seconds: 0.36),
        KnownStream(ssrc: 0xF6BF_57DC, received: 36, payloadTypes: [0], duplicates: 18, seconds: 0.36),
        KnownStream(ssrc: 0x7C10_71E8, received: 17, payloadTypes: [0], seconds: 0.34),
        KnownStream(ssrc: 0x7C10_71E2, received: 33, payloadTypes: [0], duplicates: 16, seconds: 0.34),
        KnownStream(ssrc: 0x1E06_3B22, received: 16, payloadTypes: [0], seconds: 0.32),
        KnownStream(ssrc: 0x7C10_71F3, received: 15, payloadTypes: [0], seconds: 0.30),
      ]),
    KnownCapture(
      path: "lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap", format: .pcap, packets: 5, control: 5,
      streams: []),
    KnownCapture(path: "tcpdump-rtp-seg-fault-1.pcapng", format: .pcapng, packets: 1, streams: []),
  ]
}

/// Reads a whole capture and surveys it.
func survey(_ path: String) throws -> (
  survey: RTPStreamSurvey, packets: Int, format: CaptureFile.Format, warnings: [CaptureWarning]
) {
  var capture = try CaptureFile(path: path)
  var survey = RTPStreamSurvey()
  while let datagram = try capture.next() { survey.add(datagram) }
  return (survey, capture.packetCount, capture.format, capture.warnings)
}

@Suite struct CaptureFileTests {
  static let folder = testdata.appendingPathComponent("captures")

  @Test(arguments: KnownCapture.all)
  func holdsWhatOthersFound(capture: KnownCapture) throws {
    let (survey, packets, format, warnings) = try survey(Self.folder.appendingPathComponent(capture.path).path)
    #expect(format == capture.format)
    #expect(packets == capture.packets)
    #expect(survey.controlCount == capture.control)
    #expect(warnings.isEmpty)
    let streams = survey.streams
    #expect(streams.count == capture.streams.count)
    for (stream, known) in zip(streams, capture.streams) {
      if known.ssrc != 0 { #expect(stream.identity.ssrc == known.ssrc) }
      #expect(stream.receivedCount == known.received)
      #expect(stream.lostCount == known.lost)
      #expect(stream.duplicateCount == known.duplicates)
      #expect(stream.reorderedCount == 0)
      #expect(stream.payloads.map(\.payloadType).sorted() == known.payloadTypes)
      if let sequence = known.sequence {
        #expect(Int(stream.firstSequenceNumber.rawValue) == sequence.lowerBound)
        #expect(Int(stream.lastSequenceNumber.rawValue) == sequence.upperBound)
      }
      #expect(stream.lossBursts.map(\.packetCount).reduce(0, +) == known.lost)
      for burst in known.bursts ?? [:] {
        #expect(stream.lossBursts.first { Int($0.first.rawValue) == burst.key }?.packetCount == burst.value)
      }
      #expect(stream.telephoneEvents.map(\.key).joined() == known.keys)
      for event in stream.telephoneEvents {
        #expect(event.hasEnded)
        let milliseconds = Double(event.durationTicks) * 1_000 / Double(stream.telephoneEventClockRate)
        #expect(abs(milliseconds - known.keyMilliseconds) < 0.001)
      }
      if let seconds = known.seconds { #expect(abs((stream.mediaSeconds ?? -1) - seconds) < 1e-9) }
      if let jitter = known.largestJitter {
        #expect(abs(stream.mainPayload.jitter.largestMilliseconds - jitter) < 0.006)
      }
    }
  }
}
