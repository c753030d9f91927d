import Foundation
import TestSupport
import Testing

struct CaptureInfoTests {
  private func streams(_ name: String, _ words: String...) throws -> [[String: Any]] {
    let result = try Program.shell(
      "antiphon capture-info --json \(words.joined(separator: " ")) \(data("captures/" + name))", in: Folder())
    #expect(result.code == 0, "\(result.error)")
    return try #require(try result.json()["streams"] as? [[String: Any]])
  }

  /// One stream of a capture; the right answers are those of testdata/README.md.
  struct Known: Sendable {
    let ssrc: String
    let packets: Int
    var lost = 0
    var duplicates = 0
    var bursts: [Int] = []
    let codec: String
    var seconds: Double?
    var sound: Double
    var keys = ""
    var jitterMaximum: Double?
  }

  static let captures: [(String, [Known])] = [
    (
      "gpl-2.0/sipp-g711a.pcap",
      [
        Known(
          ssrc: "0xDEE0EE8F", packets: 236, codec: "audio/PCMA", seconds: 7.08, sound: 7.08, jitterMaximum: 0.000_829)
      ]
    ),
    (
      "gpl-2.0/asterisk-40msalaw.pcap",
      [
        Known(
          ssrc: "0xD500CA81", packets: 826, codec: "audio/PCMA", seconds: 33.04, sound: 33.04, jitterMaximum: 0.000_191)
      ]
    ),
    (
      "gpl-2.0/asterisk-CARRIER_G711U.pcap",
      [
        Known(
          ssrc: "0x17CB308C", packets: 800, lost: 14, bursts: [12, 2], codec: "audio/PCMU", seconds: 16.28, sound: 16,
          jitterMaximum: 0.000_067)
      ]
    ),
    (
      "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap",
      [
        Known(
          ssrc: "0x1C2C77CA", packets: 765, codec: "audio/opus", sound: 14.5, keys: "2013785496",
          jitterMaximum: 0.006_340)
      ]
    ),
    (
      "gpl-2.0/asterisk-ulaw-dtmf-2013785496.pcap",
      [Known(ssrc: "0x34D01D16", packets: 974, codec: "audio/PCMU", sound: 17.08, keys: "2013785496")]
    ),
    (
      "gpl-2.0/sipp-dtmf_2833_pound.pcap",
      [Known(ssrc: "0x0E05384E", packets: 10, duplicates: 2, codec: "audio/telephone-event", sound: 0, keys: "#")]
    ),
    (
      "gpl-2.0/sipnab-codec-negotiation.pcap",
      [
        Known(ssrc: "0x0E330AF3", packets: 151, codec: "audio/PCMU", seconds: 3.02, sound: 3.02),
        Known(ssrc: "0x0E330AF3", packets: 151, codec: "audio/PCMU", seconds: 3.02, sound: 3.02),
        Known(ssrc: "0x2D374E76", packets: 151, codec: "audio/G722", seconds: 3.02, sound: 3.02),
        Known(ssrc: "0x2D374E76", packets: 151, codec: "audio/G722", seconds: 3.02, sound: 3.02),
      ]
    ),
    (
      "sipnab-register-invite-reinvite-bye.pcap",
      [
        Known(ssrc: "0x0A0A0002", packets: 77, codec: "audio/PCMU", seconds: 1.54, sound: 1.54),
        Known(ssrc: "0x0A0A0001", packets: 77, codec: "audio/PCMU", seconds: 1.54, sound: 1.54),
        Known(ssrc: "0x0EEF0002", packets: 32, codec: "audio/opus", seconds: 0.64, sound: 0.64),
        Known(ssrc: "0x0EEF0001", packets: 32, codec: "audio/opus", seconds: 0.64, sound: 0.64),
      ]
    ),
    (
      "rtptools-bark.rtp",
      [Known(ssrc: "0x00059C72", packets: 15, codec: "audio/PCMU", seconds: 0.3, sound: 0.3)]
    ),
    (
      "gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap",
      [
        Known(ssrc: "0x01020304", packets: 189, lost: 11, bursts: [6, 5], codec: "audio/L24", sound: 189 * 0.000_125),
        Known(ssrc: "0x01020304", packets: 185, lost: 5, bursts: [5], codec: "audio/L24", sound: 185 * 0.000_125),
      ]
    ),
    (
      "lgpl-3.0/ndpi-skinny.pcap",
      [
        Known(ssrc: "0xF6BF57E2", packets: 18, codec: "audio/PCMU", seconds: 0.36, sound: 0.36),
        Known(ssrc: "0xF6BF57DC", packets: 36, duplicates: 18, codec: "audio/PCMU", seconds: 0.36, sound: 0.36),
        Known(ssrc: "0x7C1071E8", packets: 17, codec: "audio/PCMU", seconds: 0.34, sound: 0.34),
        Known(ssrc: "0x7C1071E2", packets: 33, duplicates: 16, codec: "audio/PCMU", seconds: 0.34, sound: 0.34),
        Known(ssrc: "0x1E063B22", packets: 16, codec: "audio/PCMU", seconds: 0.32, sound: 0.32),
        Known(ssrc: "0x7C1071F3", packets: 15, codec: "audio/PCMU", seconds: 0.3, sound: 0.3),
      ]
    ),
  ]

  @Test(arguments: captures.indices)
  func everyRealCaptureIsToldRight(index: Int) throws {
    let (name, known) = Self.captures[index]
    let streams = try streams(name)
    #expect(streams.count == known.count)
    for (told, right) in zip(streams, known) {
      func number(_ key: String) -> Int? { told[key] as? Int }
      func seconds(_ key: String) -> Double { told[key] as? Double ?? -1 }
      #expect(told["ssrc"] as? String == right.ssrc)
      #expect(number("packetsReceived") == right.packets)
      #expect(number("packetsLost") == right.lost)
      #expect(number("packetsDuplicated") == right.duplicates)
      #expect(number("packetsReordered") == 0)
      #expect(number("packetsExpected") == right.packets - right.duplicates + right.lost)
      let bursts = try #require(told["lossBursts"] as? [[String: Any]])
      #expect(bursts.map { $0["packets"] as? Int } == right.bursts)
      let codecs = try #require(told["codecs"] as? [[String: Any]])
      #expect(codecs.first?["mimeType"] as? String == right.codec)
      #expect(told["keys"] as? String == right.keys)
      #expect(abs(seconds("soundSeconds") - right.sound) < 1e-6, "\(right.ssrc): \(seconds("soundSeconds"))")
      if let media = right.seconds { #expect(abs(seconds("mediaSeconds") - media) < 1e-6) }
      if let jitter = right.jitterMaximum { #expect(abs(seconds("jitterMaximum") - jitter) < 6e-6) }
    }
  }

  @Test func bothPathsOfOneSenderAreToldTogether() throws {
    let result = try Program.run(
      "capture-info", "--json", data("captures/gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap"), in: Folder())
    let joined = try #require((try result.json()["joinedPaths"] as? [[String: Any]])?.first)
    #expect(joined["packetsDistinct"] as? Int == 195)
    #expect(joined["packetsExpected"] as? Int == 200)
    #expect(joined["packetsLost"] as? Int == 5)
    let talk = try Program.run(
      "capture-info", "--json", data("captures/gpl-2.0/sipnab-codec-negotiation.pcap"), in: Folder())
    #expect((try talk.json()["joinedPaths"] as? [Any])?.isEmpty == true, "two directions are no two paths")
  }

  @Test func eventsOfA48KilohertzClockHaveTheirTrueLength() throws {
    let stream = try #require(try streams("gpl-2.0/asterisk-opus-dtmf-2013785496.pcap").first)
    let events = try #require(stream["telephoneEvents"] as? [[String: Any]])
    #expect(events.count == 10)
    for event in events {
      #expect(abs((event["durationSeconds"] as? Double ?? 0) - 1_600.0 / 48_000) < 1e-9)
      #expect(event["hasEnded"] as? Bool == true)
    }
    let choice = try #require(
      try streams("gpl-2.0/asterisk-opus-dtmf-2013785496.pcap", "--payload-type", "96=opus,101=telephone-event/8000")
        .first)
    let slow = try #require(choice["telephoneEvents"] as? [[String: Any]])
    #expect(slow.first?["durationSeconds"] as? Double == 0.2, "the user's word counts")
  }

  @Test func captureWithoutRTPIsAnErrorThatNamesTheControlSenders() throws {
    let control = "captures/lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap"
    for command in ["capture-info", "info"] {
      let result = try Program.run(command, data(control), in: Folder())
      #expect(result.code == 1)
      #expect(result.error.contains("only RTCP of SSRC 0x5D931534, 0x01932DB4 (5 datagrams)"))
    }
    let crafted = try Program.run("capture-info", data("captures/tcpdump-rtp-seg-fault-1.pcapng"), in: Folder())
    #expect(crafted.code == 1)
    #expect(crafted.error.contains("no RTP in this file"))
  }

  @Test func wrongUseIsToldAsSuch() throws {
    let file = data("captures/rtptools-bark.rtp")
    for words in [
      "", "--payload-type 300=opus \(file)", "--payload-type 96=G729 \(file)", "--payload-type 96=L24 \(file)",
      "--payload-type 96=L16/48000/0 \(file)", "--srtp-key xyz \(file)", "--srtp-key NO_SUITE:AAAA \(file)",
      "--srtp-key , \(file)", "\(file) \(file)",
    ] { #expect(try Program.shell("antiphon capture-info \(words)", in: Folder()).code == 2, "\(words)") }
    #expect(try Program.run("capture-info", data("speech/mic.wav"), in: Folder()).code == 1)
  }
}

/// Beside Wireshark's own figures. A machine without `tshark` fails (Debian: `apt-get install tshark`).
struct WiresharkTests {
  struct Row {
    let ssrc: String
    let port: String
    let packets: Int
    let lost: Int
    let jitter: (mean: Double, maximum: Double)
  }

  private func wireshark(_ name: String) throws -> [Row] {
    let result = try Program.shell(
      "tshark -r \(data("captures/" + name)) --enable-heuristic rtp_udp -q -z rtp,streams", in: Folder())
    #expect(result.code == 0, "tshark is not installed: apt-get install tshark (\(result.error))")
    let pattern = #/(\d+)\s+(0x[0-9A-F]{8})\s+\S.*?\s(\d+)\s+(-?\d+) \(-?[\d.]+%\)\s+(.+)/#
    return result.lines.compactMap { line in
      guard let match = line.firstMatch(of: pattern) else { return nil }
      // Minimum, mean and maximum of the distance, then of the jitter, in ms.
      let figures = match.5.split(separator: " ").compactMap { Double($0) }
      guard figures.count >= 6, let packets = Int(match.3), let lost = Int(match.4) else { return nil }
      return Row(
        ssrc: String(match.2), port: String(match.1), packets: packets, lost: lost, jitter: (figures[4], figures[5]))
    }
  }

  /// Where Wireshark is right: it takes copies for negative loss, and events for late sound.
  @Test(arguments: [
    ("gpl-2.0/sipp-g711a.pcap", 1), ("gpl-2.0/asterisk-40msalaw.pcap", 1), ("gpl-2.0/asterisk-CARRIER_G711U.pcap", 1),
    ("gpl-2.0/sipnab-codec-negotiation.pcap", 4), ("sipnab-register-invite-reinvite-bye.pcap", 4),
    ("lgpl-3.0/ndpi-skinny.pcap", 4),
  ])
  func jitterLossAndPacketsAreWiresharks(name: String, count: Int) throws {
    let rows = try wireshark(name).filter { $0.lost >= 0 }
    #expect(rows.count == count)
    let result = try Program.run("capture-info", "--json", data("captures/" + name), in: Folder())
    let streams = try #require(try result.json()["streams"] as? [[String: Any]])
    for row in rows {
      let stream = try #require(
        streams.first {
          $0["ssrc"] as? String == row.ssrc && ($0["destination"] as? String)?.hasSuffix(":" + row.port) == true
        })
      #expect(stream["packetsReceived"] as? Int == row.packets)
      #expect(stream["packetsLost"] as? Int == row.lost)
      // It prints three decimals of a millisecond.
      #expect(abs((stream["jitterMean"] as? Double ?? -1) * 1_000 - row.jitter.mean) < 0.000_51, "\(row)")
      #expect(abs((stream["jitterMaximum"] as? Double ?? -1) * 1_000 - row.jitter.maximum) < 0.000_51, "\(row)")
    }
  }

  @Test(arguments: ["gpl-2.0/asterisk-ulaw-dtmf-2013785496.pcap", "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap"])
  func packetsAndLossAreWiresharksWhereKeysSpoilItsJitter(name: String) throws {
    let row = try #require(try wireshark(name).first)
    let result = try Program.run("capture-info", "--json", data("captures/" + name), in: Folder())
    let stream = try #require((try result.json()["streams"] as? [[String: Any]])?.first)
    #expect(stream["packetsReceived"] as? Int == row.packets)
    #expect(stream["packetsLost"] as? Int == row.lost)
  }
}
