import CallReport
import Foundation
import RTPTransport
import RealtimeCore
import ReportProbe
import TestSupport
import Testing

struct ReplayTests {
  struct Known: Sendable {
    let path: String
    var words = ""
    /// Output, rate, seconds of sound, and RMS where it is known.
    let outputs: [(name: String, rate: Int, seconds: Double, rms: Double?)]
    var concealedSeconds = 0.0
    var error = ""
  }

  static let captures: [Known] = [
    Known(path: "gpl-2.0/sipp-g711a.pcap", outputs: [("o.wav", 8_000, 7.08, 0.0582)]),
    Known(path: "gpl-2.0/asterisk-40msalaw.pcap", outputs: [("o.wav", 8_000, 33.04, 0.0130)]),
    Known(path: "gpl-2.0/asterisk-CARRIER_G711U.pcap", outputs: [("o.wav", 8_000, 16.28, nil)], concealedSeconds: 0.28),
    Known(
      path: "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap", outputs: [("o.wav", 48_000, 15.233, nil)],
      concealedSeconds: 0.02, error: "payload type 96 is not named"),
    Known(
      path: "gpl-2.0/asterisk-opus-dtmf-2013785496.pcap", words: "--payload-type 96=opus --rate 16000",
      outputs: [("o.wav", 16_000, 15.233, nil)], concealedSeconds: 0.02, error: "have the shape of telephone events"),
    Known(
      path: "gpl-2.0/asterisk-ulaw-dtmf-2013785496.pcap", outputs: [("o.wav", 8_000, 19.48, nil)],
      error: "have the shape of telephone events"),
    Known(
      path: "gpl-2.0/sipnab-codec-negotiation.pcap",
      outputs: [
        ("o-0E330AF3.wav", 8_000, 3.02, 0.341), ("o-0E330AF3-2.wav", 8_000, 3.02, 0.341),
        ("o-2D374E76.wav", 16_000, 3.02, 0.0500), ("o-2D374E76-2.wav", 16_000, 3.02, 0.0500),
      ], error: "payload type 0 is PCMU/8000 by its label and sounds like PCMA; it is decoded by the label"),
    Known(
      path: "gpl-2.0/sipnab-codec-negotiation.pcap", words: "--stream 1 --payload-type 0=PCMA",
      outputs: [("o.wav", 8_000, 3.02, 0.075)]),
    Known(
      path: "sipnab-register-invite-reinvite-bye.pcap",
      outputs: [
        ("o-0A0A0002.wav", 8_000, 1.54, nil), ("o-0A0A0001.wav", 8_000, 1.54, nil),
        ("o-0EEF0002.wav", 48_000, 0.64, 0), ("o-0EEF0001.wav", 48_000, 0.64, 0),
      ]),
    Known(path: "rtptools-bark.rtp", outputs: [("o.wav", 8_000, 0.3, nil)]),
    Known(
      path: "gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap",
      outputs: [("o-01020304.wav", 48_000, 0.025, nil), ("o-01020304-2.wav", 48_000, 0.02375, nil)],
      error: "have the shape of L24/48000"),
    Known(
      path: "lgpl-3.0/ndpi-skinny.pcap", words: "--ssrc 0xF6BF57DC", outputs: [("o.wav", 8_000, 0.36, nil)]),
  ]

  @Test(arguments: captures.indices)
  func everyRealCaptureIsPlayed(index: Int) throws {
    let known = Self.captures[index]
    let folder = try Folder()
    let result = try Program.shell(
      "antiphon replay \(data("captures/" + known.path)) --out o.wav --json \(known.words)", in: folder)
    #expect(result.code == 0, "\(result.error)")
    #expect(known.error.isEmpty ? result.error.isEmpty : result.error.contains(known.error), "\(result.error)")
    let streams = try #require(try result.json()["streams"] as? [[String: Any]])
    #expect(streams.map { $0["output"] as? String } == known.outputs.map(\.name))
    for (told, right) in zip(streams, known.outputs) {
      let sound = try folder.read(right.name)
      #expect(sound.format.sampleRate.hertz == right.rate && sound.format.channelCount == 1)
      // The time in the buffer comes before the sound; the last 10 ms are filled up.
      let seconds = Double(sound.samples.count) / Double(right.rate)
      #expect(seconds >= right.seconds && seconds < right.seconds + 0.12, "\(right.name): \(seconds) s")
      if let rms = right.rms {
        let power = sound.samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(sound.samples.count)
        #expect(abs(power.squareRoot() - rms) <= 0.01 * rms, "\(right.name): RMS \(power.squareRoot())")
      }
      let concealed = try #require(told["concealedSeconds"] as? Double)
      #expect(abs(concealed - known.concealedSeconds) < 0.005, "\(right.name): \(concealed) s concealed")
      let counters = try #require(told["inboundRTP"] as? [String: Double])
      #expect(counters["latePackets"] == 0 && counters["malformedPackets"] == 0)
    }
  }

  @Test(arguments: [
    ("lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap", "only RTCP of SSRC 0x5D931534, 0x01932DB4"),
    ("tcpdump-rtp-seg-fault-1.pcapng", "no RTP in this file"),
    ("gpl-2.0/sipp-dtmf_2833_pound.pcap", "it has no sound, only telephone events: keys #"),
  ])
  func whatHasNoSoundIsAFailureWithItsReason(name: String, reason: String) throws {
    let folder = try Folder()
    let result = try Program.run("replay", data("captures/" + name), "--out", "o.wav", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains(reason), "\(result.error)")
    #expect(!folder.holds("o.wav"))
  }

  @Test func wrongUseAndAbsentStreamsAreToldApart() throws {
    let capture = data("captures/gpl-2.0/sipnab-codec-negotiation.pcap")
    for (words, code, text) in [
      (capture, 2, "--out FILE is missing"), ("--out o.wav", 2, "CAPTURE is missing"),
      ("\(capture) --out o.wav --ssrc xyz", 2, "--ssrc takes 32 bits"),
      ("\(capture) --out o.wav --ssrc 1", 1, "there is no stream with SSRC 0x00000001; there are"),
      ("\(capture) --out o.wav --stream 9", 1, "0x2D374E76, 127.0.0.1:5084 to 127.0.0.1:5094, G722"),
      ("\(capture) --out -", 1, "choose one with --stream"), ("missing.pcap --out o.wav", 1, "no such file"),
    ] {
      let folder = try Folder()
      let result = try Program.shell("antiphon replay \(words)", in: folder)
      #expect(result.code == Int32(code), "\(words)")
      #expect(result.error.contains(text), "\(words): \(result.error)")
      #expect(!folder.holds("o.wav"))
    }
  }

  @Test func aPipeIsReadAndASoundGoesOut() throws {
    let folder = try Folder()
    let capture = data("captures/rtptools-bark.rtp")
    let result = try Program.shell("cat \(capture) | antiphon replay - --out - > o.wav", in: folder)
    #expect(result.code == 0, "\(result.error)")
    #expect(try folder.read("o.wav").samples.count == 2_560)
  }

  @Test func theSameCaptureMakesTheSameSound() throws {
    let folder = try Folder()
    let capture = data("captures/gpl-2.0/asterisk-opus-dtmf-2013785496.pcap")
    for name in ["a.wav", "b.wav"] {
      #expect(try Program.run("replay", capture, "--out", name, in: folder).code == 0)
    }
    #expect(try folder.data("a.wav") == folder.data("b.wav"))
  }

  @Test func protectedStreamsOpenWithTheirKeyOnly() throws {
    let folder = try Folder()
    let key = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0) })
    var sender = try SRTPSender(key: key, ssrc: 7)
    var frames: [[UInt8]] = []
    for number in 0..<50 {
      var packet = CaptureBuilder.rtp(sequence: UInt16(number), timestamp: UInt32(160 * number))
      let count = packet.count
      packet += [UInt8](repeating: 0, count: 10)
      var bytes = packet.mutableSpan
      #expect(try sender.protect(&bytes, byteCount: count) == count + 10)
      let frame = CaptureBuilder.ipv4(CaptureBuilder.udp(packet))
      frames += number == 20 ? [frame, frame] : [frame]
    }
    try Data(CaptureBuilder.pcap(linkType: 101, frames: frames)).write(to: folder.url.appendingPathComponent("s.pcap"))
    let right = try Program.run(
      "replay", "s.pcap", "--out", "o.wav", "--json", "--srtp-key", key.inline, "--report", "r", in: folder)
    #expect(right.code == 0, "\(right.error)")
    let stream = try #require((try right.json()["streams"] as? [[String: Any]])?.first)
    let captured = try #require(stream["captured"] as? [String: Any])
    #expect(captured["packetsDuplicated"] as? Int == 1)
    #expect(captured["soundSeconds"] as? Double == 1)
    let sound = try folder.read("o.wav").samples
    // A-law's and µ-law's code 0x55 is a constant; encrypted bytes would be noise.
    #expect(Set(sound.dropFirst(800).prefix(4_000)).count == 1)
    let page = String(decoding: try folder.data("r/report.html"), as: UTF8.self)
    #expect(!page.contains(key.inline.dropFirst(7)), "the key stays out of the report")

    let wrong = try Program.run(
      "replay", "s.pcap", "--out", "w.wav", "--srtp-key", String(repeating: "00", count: 30), in: folder)
    #expect(wrong.code == 1)
    #expect(wrong.error.contains("none of the SRTP keys opens it"))
    #expect(!folder.holds("w.wav"))
  }

  @Test func aProtectedStreamWithoutAKeyIsNotPlayedAsNoise() throws {
    let folder = try Folder()
    let sdp = "INVITE sip:a@b SIP/2.0\r\n\r\nv=0\r\nc=IN IP4 10.0.0.2\r\nm=audio 5000 RTP/SAVP 0\r\n"
    var frames = [CaptureBuilder.ipv4(CaptureBuilder.udp(Array(sdp.utf8), from: 5_060, to: 5_060))]
    for number in 0..<20 {
      let packet = CaptureBuilder.rtp(sequence: UInt16(number), timestamp: UInt32(160 * number), payload: 170)
      frames.append(CaptureBuilder.ipv4(CaptureBuilder.udp(packet)))
    }
    try Data(CaptureBuilder.pcap(linkType: 101, frames: frames)).write(to: folder.url.appendingPathComponent("s.pcap"))
    let result = try Program.run("replay", "s.pcap", "--out", "o.wav", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("asks for SRTP; give its key with --srtp-key"))
  }

  /// A wrong codec is a failure that says so, not a minute of concealment.
  @Test func aCodecThatDoesNotFitIsTold() throws {
    let folder = try Folder()
    let capture = data("captures/gpl-2.0/asterisk-CARRIER_G711U.pcap")
    let wrong = try Program.run(
      "replay", capture, "--out", "o.wav", "--payload-type", "0=L24/8000", "--report", "r/a", in: folder)
    #expect(wrong.code == 1)
    #expect(wrong.error.contains("cannot be decoded (payload type 0 as L24/8000)"), "\(wrong.error)")
    #expect(wrong.error.contains("--payload-type"))
    #expect(!folder.holds("o.wav") && !folder.holds("r"))
    // L16 can be read, and plays half as long as the packets are apart.
    let odd = try Program.run("replay", capture, "--out", "o.wav", "--payload-type", "0=L16/8000", in: folder)
    #expect(odd.code == 0)
    #expect(odd.error.contains("packets that play 10.0 ms and are 20.0 ms apart"), "\(odd.error)")
    let twice = try Program.run("replay", capture, "--out", "o.wav", "--payload-type", "0=pcma,0=pcmu", in: folder)
    #expect(twice.code == 2)
    #expect(twice.error.contains("--payload-type names 0 twice: PCMA/8000 and PCMU/8000"), "\(twice.error)")
  }

  @Test func oddFilesTellWhyNothingWasFound() throws {
    let folder = try Folder()
    let frame = CaptureBuilder.ipv4(CaptureBuilder.udp(CaptureBuilder.rtp(sequence: 1, timestamp: 0)))
    try Data(CaptureBuilder.pcap(linkType: 105, frames: [frame, frame])).write(
      to: folder.url.appendingPathComponent("w.pcap"))
    let result = try Program.run("replay", "w.pcap", "--out", "o.wav", "--report", "r", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("no RTP in this file") && result.error.contains("link type 105"), "\(result.error)")
    #expect(!folder.holds("r"))
  }

  @Test func aNamedPipeIsReadAsAFileIs() throws {
    let folder = try Folder()
    let capture = data("captures/rtptools-bark.rtp")
    for command in ["replay p --out o.wav", "capture-info p", "info p"] {
      let result = try Program.shell(
        "rm -f p; mkfifo p; cat \(capture) > p & timeout 30 antiphon \(command); code=$?; wait; exit $code", in: folder)
      #expect(result.code == 0, "\(command): \(result.error)")
    }
    #expect(try folder.read("o.wav").samples.count == 2_560)
  }

  @Test func theReportShowsEveryPacketAndLaysOutInABrowser() throws {
    let folder = try Folder()
    let result = try Program.run(
      "replay", data("captures/gpl-2.0/asterisk-CARRIER_G711U.pcap"), "--out", "o.wav", "--report", "r", in: folder)
    #expect(result.code == 0)
    let page = try folder.data("r/report.html")
    let report = try CallReport(page: page)
    let transit = try #require(report.plots.first)
    #expect(transit.series.first?.values.count == 800)
    #expect(
      report.strips.first { $0.kind == .loss }?.intervals.map { [$0.start, $0.end] } == [
        [12.1798, 12.4198], [12.4398, 12.4798],
      ])
    #expect(report.strips.first { $0.kind == .concealment }?.intervals.isEmpty == false)
    #expect(report.statistics.map(\.name) == ["inbound-rtp", "in the capture"])
    #expect(folder.holds("r/result.json"))
    let check = try Browser.open(page, width: 1_280, isDark: false)
    #expect(check.errors.isEmpty)
    #expect(check.plots == report.expectedPlots)
    #expect(check.scrollWidth <= check.innerWidth)
  }

  @Test func damagedCapturesNeverCrash() throws {
    var random = SeededRandom(seed: 20)
    for name in ["rtptools-bark.rtp", "gpl-3.0/ebu-ST2022-7-Audio_dropped_in_both.pcap", "lgpl-3.0/ndpi-skinny.pcap"] {
      let whole = Array(try Data(contentsOf: testdata.appendingPathComponent("captures/" + name)))
      for round in 0..<8 {
        let folder = try Folder()
        var bytes = whole
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        if round % 4 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count - 24, using: &random)) }
        try Data(bytes).write(to: folder.url.appendingPathComponent("d"))
        let result = try Program.shell("timeout 60 antiphon replay d --out o.wav --report r", in: folder)
        #expect([0, 1].contains(result.code), "\(name), round \(round), seed \(random.seed): \(result.error)")
        #expect(!result.error.isEmpty || result.code == 0)
      }
    }
  }
}
