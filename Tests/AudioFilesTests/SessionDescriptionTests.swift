import AudioFiles
import RealtimeCore
import TestSupport
import Testing

@Suite struct SessionDescriptionTests {
  private func parse(_ body: String, start: String = "INVITE sip:a@b SIP/2.0\r\n\r\n") -> SessionDescription? {
    SessionDescription(Array((start + body).utf8))
  }

  @Test func streamsHaveTheirAddressPortAndNames() throws {
    let description = try #require(
      parse(
        """
        v=0\r\no=- 1 1 IN IP4 192.0.2.9\r\nc=IN IP4 192.0.2.1\r\nm=audio 4000/2 RTP/AVP 0 96 101\r\n\
        a=rtpmap:96 opus/48000/2\r\na=rtpmap:101 telephone-event/48000\r\n\
        m=video 4002 RTP/AVP 97\r\nc=IN IP6 2001:db8::1:2\r\na=rtpmap:97 VP8/90000\r\n
        """))
    #expect(description.streams.map(\.port) == [4_000, 4_002])
    #expect(description.streams[0].address == [192, 0, 2, 1])
    #expect(description.streams[0].names[96]?.description == "opus/48000")
    #expect(description.streams[0].names[101]?.isTelephoneEvent == true)
    #expect(description.streams[1].address == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2])
    #expect(description.streams[1].names[97]?.isSound == false)
  }

  @Test func protectedStreamsSaySo() throws {
    let lines = "m=audio 4000 RTP/SAVP 0\nm=audio 4002 UDP/TLS/RTP/SAVPF 0\nm=audio 4004 RTP/AVP 0\n"
    #expect(parse(lines)?.streams.map(\.isProtected) == [true, true, false])
  }

  @Test func announcementsOfSAPAreReadToo() throws {
    let head = "\u{20}\u{0}ab\u{1}\u{2}\u{3}\u{4}application/sdp\u{0}"
    let description = try #require(
      parse("v=0\nc=IN IP4 239.1.2.1/32\nm=audio 6000 RTP/AVP 96\na=rtpmap:96 L24/48000/8\n", start: head))
    #expect(description.streams[0].address == [239, 1, 2, 1])
    #expect(description.streams[0].names[96]?.channelCount == 8)
  }

  @Test(arguments: [
    "m=audio", "m=audio 99999 RTP/AVP 0", "m=audio x RTP/AVP 0", "a=rtpmap:96 opus/48000", "c=IN IP4 1.2.3.4", "v=0",
    "m=\u{0}", "",
  ])
  func linesWithoutAStreamAreNoDescription(line: String) { #expect(parse(line + "\r\n") == nil) }

  @Test(arguments: [
    "a=rtpmap:", "a=rtpmap:96", "a=rtpmap:128 opus/48000", "a=rtpmap:-1 opus/48000", "a=rtpmap:96 opus",
    "a=rtpmap:96 opus/0", "a=rtpmap:96 opus/99999999999999999999", "a=rtpmap:96 /48000",
  ])
  func malformedMappingsAreLeftOut(line: String) {
    #expect(parse("m=audio 4000 RTP/AVP 96\r\n\(line)\r\n")?.streams.first?.names.isEmpty == true)
  }

  @Test(arguments: [
    "IN IP4 0.0.0.0", "IN IP4 example.org", "IN IP4 1.2.3", "IN IP4 1.2.3.256", "IN IP6 1::2::3", "IN IP6 1:2:3",
    "IN IP6 1:2:3:4:5:6:7:8:9", "IN IP6 :::::::::::", "IN", "",
  ])
  func addressesThatAreNoneLeaveThePort(address: String) {
    let stream = parse("c=\(address)\r\nm=audio 4000 RTP/AVP 0\r\n")?.streams.first
    #expect(stream?.address == [])
    #expect(stream?.port == 4_000)
  }

  @Test func descriptionsOfOnlyStreamsAreBounded() {
    #expect(parse(String(repeating: "m=audio 1 RTP/AVP 0\n", count: 3_000))?.streams.count == 64)
  }

  @Test func wrongClocksOfG722AreSetRight() {
    #expect(PayloadName(encoding: "G722", clockRate: 16_000).clockRate == 8_000)
  }

  @Test func seededDamageNeverTraps() {
    var random = SeededRandom(seed: 7)
    let text = Array(
      "INVITE s\r\nc=IN IP6 ::1\r\nm=audio 4000/2 RTP/SAVP 0 96\r\na=rtpmap:96 L16/44100/2\r\n".utf8)
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 1..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = SessionDescription(bytes)
    }
  }
}
