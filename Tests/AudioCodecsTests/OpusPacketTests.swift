import AudioCodecs
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct OpusPacketTests {
  // RFC 6716 table 2, by configuration number.
  @Test func tocIsReadAsInTable2() throws {
    let durations: [[Int]] = [[10, 20, 40, 60], [10, 20], [2, 5, 10, 20]]
    for config in 0..<32 {
      let header = try #require(opusHeader([UInt8(config << 3), 1, 2, 3]))
      switch config {
      case 0..<12:
        #expect(header.mode == .silk)
        #expect(header.frameMicroseconds == durations[0][config % 4] * 1_000)
        #expect(header.bandwidth == [.narrowband, .mediumband, .wideband][config / 4])
      case 12..<16:
        #expect(header.mode == .hybrid)
        #expect(header.frameMicroseconds == durations[1][config % 2] * 1_000)
        #expect(header.bandwidth == [.superwideband, .fullband][(config - 12) / 2])
      default:
        #expect(header.mode == .celt)
        #expect(header.frameMicroseconds / 1_000 == durations[2][config % 4])
        #expect(header.bandwidth == [.narrowband, .wideband, .superwideband, .fullband][(config - 16) / 4])
      }
      #expect(header.channelCount == 1 && header.frameCount == 1 && header.firstFrameByteCount == 3)
    }
  }

  @Test func framingRulesOfSection34() {
    let celt: UInt8 = 0xFC & 0xF8  // configuration 31: CELT fullband, 20 ms
    #expect(opusHeader([]) == nil)  // R1
    #expect(opusHeader([celt] + [UInt8](repeating: 0, count: 1_275)) != nil)
    #expect(opusHeader([celt] + [UInt8](repeating: 0, count: 1_276)) == nil)  // R2
    #expect(opusHeader([celt | 1, 0, 0])?.frameCount == 2)
    #expect(opusHeader([celt | 1, 0]) == nil)  // R3
    #expect(opusHeader([celt | 2, 1, 9, 9])?.firstFrameByteCount == 1)
    #expect(opusHeader([celt | 2]) == nil)  // R4
    #expect(opusHeader([celt | 2, 252]) == nil)
    #expect(opusHeader([celt | 2, 3, 9, 9]) == nil)
    #expect(opusHeader([celt | 3]) == nil)  // R6
    #expect(opusHeader([celt | 3, 0]) == nil)  // R5: no frames
    #expect(opusHeader([celt | 3, 7]) == nil)  // R5: 140 ms
    #expect(opusHeader([celt | 3, 6])?.frameCount == 6)
    #expect(opusHeader([celt | 3, 2, 1, 2, 3]) == nil)  // R6: not a multiple
    #expect(opusHeader([celt | 3, 0x42, 2, 1, 1, 0, 0])?.firstFrameByteCount == 1)  // two bytes of padding
    #expect(opusHeader([celt | 3, 0x42, 255, 0]) == nil)  // padding longer than the packet
    #expect(opusHeader([celt | 3, 0x82, 1, 7, 8])?.firstFrameByteCount == 1)  // R7
    #expect(opusHeader([celt | 3, 0x82, 4, 7, 8]) == nil)
    #expect(opusHeader([celt])?.isDiscontinuous == true)
  }

  // RFC 6716 §4.2.3: one voice-activity bit for each 20 ms, then the LBRR flag, for mid and then for side.
  @Test func redundancyFlagIsWhereTheRFCPutsIt() {
    let cases: [(toc: UInt8, first: UInt8, expected: Bool)] = [
      (1 << 3, 0b0100_0000, true), (1 << 3, 0b1011_1111, false),  // SILK mono 20 ms
      (0 << 3, 0b0100_0000, true),  // 10 ms
      (2 << 3, 0b0010_0000, true), (2 << 3, 0b1101_1111, false),  // 40 ms
      (3 << 3, 0b0001_0000, true), (3 << 3, 0b1110_1111, false),  // 60 ms
      (1 << 3 | 4, 0b0001_0000, true), (1 << 3 | 4, 0b0100_0000, true), (1 << 3 | 4, 0b1010_1111, false),  // stereo
      (3 << 3 | 4, 0b0000_0001, true), (3 << 3 | 4, 0b1110_1110, false),
      (13 << 3, 0b0100_0000, true),  // hybrid
      (31 << 3, 0xFF, false),  // CELT has none
    ]
    for (toc, first, expected) in cases {
      #expect(opusHeader([toc, first, 0, 0])?.hasRedundancy == expected, "\(toc) \(first)")
    }
    #expect(opusHeader([1 << 3, 0xFF])?.hasRedundancy == false)  // a frame of one byte is not coded
  }

  @Test func capturedStreamsAreReadAsOthersReadThem() throws {
    // Recorded by the Asterisk and sipnab projects; the counts were checked with tshark and by hand.
    let mono = try opusPayloads(in: "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap")
    #expect(mono.count == 725)
    let stereo = try opusPayloads(in: "sipnab-register-invite-reinvite-bye.pcap")
    #expect(stereo.count == 64)
    var decoder = try OpusDecoder(sampleRate: .hz48000)
    var count = 0
    for payload in mono {
      let header = try #require(opusHeader(payload))
      #expect(header.mode == .hybrid && header.bandwidth == .superwideband)
      #expect(header.channelCount == 1 && header.durationMicroseconds == 20_000)
      count += try decoder.decode(payload).count
    }
    #expect(count == 696_000)  // 14.5 s
    decoder.reset()
    var peak: Float = 0
    for payload in stereo {
      let header = try #require(opusHeader(payload))
      #expect(header.mode == .celt && header.bandwidth == .fullband)
      #expect(header.channelCount == 2 && header.durationMicroseconds == 20_000)
      peak = max(peak, try decoder.decode(payload).map { abs($0) }.max() ?? 0)
    }
    #expect(peak < 0.5 / 32_768)  // silence at 16 bits
  }

  @Test func levelsAgreeWithAnIndependentDecoder() throws {
    // What FFmpeg's own decoder makes of the same packets; see testdata/opus/README.md.
    let file = testdata.appendingPathComponent("opus/asterisk-frame-levels.txt")
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { Double($0) }
    #expect(expected.count == 725)
    var decoder = try OpusDecoder(sampleRate: .hz48000)
    let levels = try opusPayloads(in: "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap").map { payload in
      powerDecibels(try decoder.decode(payload))
    }
    let differences = zip(expected, levels).filter { $0.0 > -60 }.map { abs($0 - $1) }.sorted()
    #expect(differences.count == 682)
    #expect(differences[differences.count / 2] < 0.05)
    #expect((differences.last ?? .infinity) < 1)
  }
}

/// The payloads of payload type 96 in a pcap file; whatever the link layer, RTP follows an 8-byte UDP header.
func opusPayloads(in name: String) throws -> [[UInt8]] {
  let file = [UInt8](try Data(contentsOf: testdata.appendingPathComponent("captures/\(name)")))
  func little(_ at: Int) -> Int {
    Int(file[at]) | Int(file[at + 1]) << 8 | Int(file[at + 2]) << 16 | Int(file[at + 3]) << 24
  }
  let linkHeader = little(20) == 113 ? 16 : 14  // Linux cooked capture, or Ethernet
  var payloads: [[UInt8]] = []
  var offset = 24
  while offset + 16 <= file.count {
    let packet = file[(offset + 16)..<(offset + 16 + little(offset + 8))]
    offset += 16 + packet.count
    let ip = packet.dropFirst(linkHeader)
    guard let first = ip.first, first >> 4 == 4, ip.count > 40, ip[ip.startIndex + 9] == 17 else { continue }
    let rtp = ip.dropFirst(Int(first & 15) * 4 + 8)
    guard rtp.count > 12, rtp[rtp.startIndex] >> 6 == 2, rtp[rtp.startIndex + 1] & 0x7F == 96 else { continue }
    payloads.append(Array(rtp.dropFirst(12)))
  }
  return payloads
}
