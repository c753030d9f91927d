import Foundation
import RTPTransport
import TestSupport
import Testing

/// Descriptions of real shapes; testdata/sdp/README.md tells whose each is.
enum SDPFiles {
  static let folder = testdata.appendingPathComponent("sdp")
  static let names = [
    "aiortc-answer", "aiortc-offer", "chromium-answer", "chromium-hold-answer", "chromium-hold-offer", "chromium-offer",
    "chromium-offer-bare", "chromium-restart-av-offer", "firefox-shaped-offer", "freeswitch-shaped-offer",
    "janus-shaped-answer", "safari-shaped-offer", "telnyx-shaped-answer",
  ]

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name + ".sdp"), encoding: .utf8)
  }

  static func session(_ name: String) throws -> SDPSession { try SDPSession(text(name)) }
}

@Suite struct SDPTests {
  @Test(arguments: SDPFiles.names)
  func whatIsReadIsWrittenByteForByte(_ name: String) throws {
    let text = try SDPFiles.text(name)
    let session = try SDPSession(text)
    // The only thing that is changed: a fingerprint in lower case, which RFC 8122 does not allow.
    let expected = name.hasPrefix("telnyx") ? try upperCaseFingerprint(text) : text
    #expect(session.text == expected)
    #expect(try SDPSession(session.text) == session)
  }

  private func upperCaseFingerprint(_ text: String) throws -> String {
    let start = try #require(text.range(of: "a=fingerprint:sha-256 ")).upperBound
    let end = try #require(text.range(of: "\r\n", range: start..<text.endIndex)).lowerBound
    return text.replacingCharacters(in: start..<end, with: text[start..<end].uppercased())
  }

  @Test func whatABrowserOffersIsUnderstood() throws {
    let session = try SDPFiles.session("chromium-offer")
    #expect(session.origin.version == 2 && session.origin.username == "-" && session.name == "-")
    let audio = try #require(session.media.first)
    #expect(session.groups("BUNDLE") == [["0"]])
    #expect(audio.kind == "audio" && audio.mid == "0" && audio.isRTP && audio.direction == .sendReceive)
    #expect(audio.hasRTCPMultiplexing && audio.hasReducedSizeRTCP)
    #expect(audio.payloadTypes == [111, 63, 9, 0, 8, 13, 110, 126])
    #expect(
      audio.rtpMap(111) == RTPMap(payloadType: 111, encoding: "opus", clockRate: 48_000, channelCount: 2))
    let opus = OpusParameters(audio.formatParameters(111))
    #expect(opus.minimumPacketTime == 10 && opus.usesInbandFEC && !opus.usesDTX && !opus.isStereo)
    #expect(audio.formatParameters(63).text == "111/111")
    #expect(audio.headerExtensions.map(\.id) == [1, 2, 3, 4])
    #expect(audio.headerExtensions.first { $0.uri == HeaderExtension.audioLevel }?.id == 1)
    #expect(audio.headerExtensions.first { $0.uri == HeaderExtension.transportSequence }?.id == 3)
    #expect(audio.codecs.first?.feedback == ["transport-cc"])
    #expect(audio.sources.count == 1 && audio.canonicalName?.isEmpty == false)
    #expect(audio.candidates.count == 2 && audio.candidates.allSatisfy { $0.kind == .host && $0.isUDP })
    #expect(session.iceCredentials(ofMedia: 0)?.isValid == true)
    #expect(session.fingerprints(ofMedia: 0).map(\.algorithm) == [.sha256])
    #expect(session.setup(ofMedia: 0) == .either && session.iceOptions(ofMedia: 0) == ["trickle"])
  }

  @Test func linesOfTheSessionHoldForItsMedia() throws {
    let firefox = try SDPFiles.session("firefox-shaped-offer")
    #expect(firefox.fingerprints(ofMedia: 0).count == 1 && firefox.iceOptions(ofMedia: 0) == ["trickle"])
    #expect(firefox.media[0].candidates.map(\.kind) == [.host, .host, .serverReflexive])
    #expect(firefox.media[0].candidates[1].isUDP == false)
    #expect(firefox.media[0].candidates[1].extensions == [ICECandidate.Extension("tcptype", "active")])
    #expect(firefox.media[0].candidates[2].relatedAddress == "10.0.4.17")
    #expect(firefox.media[0].headerExtensions[1].direction == .receiveOnly)
    let telnyx = try SDPFiles.session("telnyx-shaped-answer")
    #expect(telnyx.connection(of: telnyx.media[0])?.address == "203.0.113.77")
    #expect(telnyx.media[0].otherLines == [SDPLine("b", "AS:64")])
    #expect(telnyx.media[0].packetTime == 20 && telnyx.media[0].isEndOfCandidates)
    #expect(telnyx.fingerprints(ofMedia: 0).first?.digest.first == 0x3B)
    let aiortc = try SDPFiles.session("aiortc-offer")
    #expect(aiortc.fingerprints(ofMedia: 0).map(\.algorithm) == [.sha256, .sha384, .sha512])
  }

  @Test(arguments: [
    "ptime:abc", "ptime:-1", "ptime:nan", "ptime:1e99", "rtpmap:200 opus/48000", "rtpmap:96", "rtpmap:96 opus",
    "fmtp:96", "candidate:1 1 udp", "candidate:1 1 udp 99999999999 1.2.3.4 9 typ host",
    "candidate:1 1 udp 1 1.2.3.4 9 typ quantum", "fingerprint:md5 00:11", "fingerprint:sha-256 00:11", "setup:later",
    "extmap:0 urn:x", "extmap:x urn:x", "ssrc:99999999999 cname:x", "ssrc:1", "mid:a b", "sendrecv:x", "rtcp-mux:x",
    "group:", "ice-ufrag:", ":", "", "x", "x:y:z", "=",
  ])
  func malformedAndUnknownAttributesAreKeptAndMeanNothing(_ text: String) throws {
    guard case .other = SDPAttribute(text) else {
      Issue.record("\(text) was understood as \(SDPAttribute(text))")
      return
    }
    #expect(SDPAttribute(text).text == text)
  }

  @Test func unknownLinesStayInTheirSection() throws {
    let text =
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nx=strange\r\na=first:1\r\n"
      + "m=audio 9 RTP/AVP 0\r\ni=title\r\nb=AS:64\r\nz=odd\r\na=second\r\nm=video 0 RTP/AVP 96\r\na=third:\r\n"
    let session = try SDPSession(text)
    #expect(session.text == text)
    #expect(session.otherLines == [SDPLine("x", "strange")] && session.media[0].otherLines.count == 3)
  }

  @Test func repeatedAndDisorderedLinesAreKeptInTheRFCsOrder() throws {
    let session = try SDPSession(
      "v=0\no=- 1 1 IN IP4 h\nt=1 2\ns=a\nt=3 4\ns=b\nb=X:1\nc=IN IP4 1.1.1.1\nc=IN IP4 2.2.2.2\n"
        + "m=audio 9 RTP/AVP 0\nk=clear:x\nc=IN IP4 3.3.3.3\nc=IN IP4 4.4.4.4\ni=title\n")
    #expect(
      session.text.split(separator: "\r\n").map(String.init) == [
        "v=0", "o=- 1 1 IN IP4 h", "s=a", "s=b", "c=IN IP4 1.1.1.1", "c=IN IP4 2.2.2.2", "b=X:1", "t=1 2", "t=3 4",
        "m=audio 9 RTP/AVP 0", "i=title", "c=IN IP4 3.3.3.3", "c=IN IP4 4.4.4.4", "k=clear:x",
      ])
    #expect(try SDPSession(session.text) == session)
    #expect(session.connection(of: session.media[0])?.address == "3.3.3.3")
  }

  @Test func lineFeedsAloneAndEmptyLinesAreRead() throws {
    let session = try SDPSession("v=0\n\no=- 1 1 IN IP4 127.0.0.1\ns=-\nt=0 0\nm=audio 9 RTP/AVP 0\n\n")
    #expect(session.media.count == 1)
    #expect(try SDPSession("v=0\no=- 1 1 IN IP6 ::1").name == "-")
  }

  @Test func noValueCanSmuggleInALine() throws {
    var session = SDPSession(origin: SDPSession.Origin(sessionID: "1", version: 1))
    session.attributes = [.mid("0\r\na=ice-lite"), .other(name: "x\ny", value: "\u{0}")]
    #expect(session.text.hasSuffix("a=mid:0  a=ice-lite\r\na=x y: \r\n"))
    #expect(try SDPSession(session.text).isICELite == false)
  }

  @Test func descriptionsThatCannotBeReadSayWhy() {
    let start = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\n"
    let cases: [(String, SDPError)] = [
      ("", .missingLine("v=")), ("o=- 1 1 IN IP4 127.0.0.1\r\n", .missingLine("v=")),
      ("v=1\r\n", .wrongVersion("1")), ("v=0\r\n", .missingLine("o=")),
      ("v=0\r\no=- 1 x IN IP4 h\r\n", .malformedLine(line: 2, text: "o=- 1 x IN IP4 h")),
      (start + "m=audio 70000 RTP/AVP 0\r\n", .malformedLine(line: 3, text: "m=audio 70000 RTP/AVP 0")),
      (start + "m=audio\r\n", .malformedLine(line: 3, text: "m=audio")),
      (start + "c=IN IP4\r\n", .malformedLine(line: 3, text: "c=IN IP4")),
      (start + "nonsense\r\n", .malformedLine(line: 3, text: "nonsense")),
      (start + "a=x\u{0}\r\n", .malformedLine(line: 3, text: "a=x\u{0}")),
      (start + String(repeating: "a", count: 70_000), .tooLong(byteCount: 70_031, limit: 65_536)),
      (start + "a=" + String(repeating: "a", count: 5_000), .lineTooLong(line: 3, byteCount: 5_002, limit: 4_096)),
      (start + String(repeating: "a=x\n", count: 2_100), .tooManyLines(limit: 2_048)),
      (start + String(repeating: "m=audio 9 RTP/AVP 0\n", count: 65), .tooManyMedia(limit: 64)),
    ]
    for (text, error) in cases {
      #expect(throws: error) { _ = try SDPSession(text) }
      #expect(!error.description.isEmpty)
    }
    #expect(throws: SDPError.notUTF8(line: 1)) { _ = try SDPSession(bytes: [0x76, 0x3D, 0xFF, 0x0A]) }
  }

  @Test func candidatesAreReadAsTheyTrickleIn() throws {
    let text =
      "candidate:842163049 1 tcp 1677729535 2001:db8::7 9 typ srflx raddr fd00::1 rport 46154 tcptype active ufrag aZ"
    let candidate = try #require(ICECandidate(text))
    #expect(candidate.text == text && ICECandidate("a=" + text) == candidate)
    #expect(candidate.relatedPort == 46_154 && candidate.extensions.count == 2 && candidate.address == "2001:db8::7")
    #expect(ICECandidate("") == nil && ICECandidate("candidate:") == nil)
  }

  @Test func opusParametersAreReadWithTheirBounds() {
    let wild = OpusParameters(FormatParameters("maxaveragebitrate=1; MINPTIME = 20 ;usedtx=1;stereo=x;cbr=1;;="))
    #expect(wild.maximumAverageBitrate == nil && wild.minimumPacketTime == 20)
    #expect(wild.usesDTX && !wild.isStereo && wild.isConstantBitrate)
    #expect(OpusParameters.voice.formatParameters.text == "minptime=10;useinbandfec=1")
    #expect(OpusParameters(wild.formatParameters) == wild)
  }

  @Test func seededDamageNeverTraps() throws {
    var random = SeededRandom(seed: 11)
    for name in SDPFiles.names {
      let text = Array(try SDPFiles.text(name).utf8)
      for _ in 0..<200 {
        var bytes = text
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard let session = try? SDPSession(bytes: bytes) else { continue }
        let again = try SDPSession(session.text)
        #expect(again == session, "\(name), seed \(random.seed)")
      }
    }
  }
}
