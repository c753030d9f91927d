import AudioFiles
import RealtimeCore
import TestSupport
import Testing

@Suite struct RTPStreamSurveyTests {
  private func datagram(_ payload: [UInt8], milliseconds: Double) -> Datagram {
    Datagram(
      arrival: MediaInstant(milliseconds: milliseconds),
      source: NetworkEndpoint(address: [10, 0, 0, 1], port: 4_000),
      destination: NetworkEndpoint(address: [10, 0, 0, 2], port: 5_000), payload: payload)
  }

  /// A survey of packets of 20 ms; `numbers` are positions in the stream, in the order of arrival.
  private func survey(_ numbers: [Int], start: Int = 65_530, payloadType: UInt8 = 0, ticks: Int = 160)
    -> RTPStreamSurvey
  {
    var survey = RTPStreamSurvey()
    for (index, number) in numbers.enumerated() {
      let rtp = CaptureBuilder.rtp(
        sequence: UInt16(truncatingIfNeeded: start + number),
        timestamp: UInt32(truncatingIfNeeded: 0xFFFF_FF00 + number * ticks), payloadType: payloadType)
      survey.add(datagram(rtp, milliseconds: 20 * Double(index)))
    }
    return survey
  }

  @Test func numbersThatWrapAreNoLoss() throws {
    let stream = try #require(survey(Array(0..<100)).streams.first)
    #expect((stream.expectedCount, stream.lostCount, stream.restartCount) == (100, 0, 0))
    #expect(stream.mediaTicks == 16_000)
    #expect(stream.mainPayload.jitter.largestMilliseconds < 1e-9)
  }

  @Test func lossReorderingAndCopiesAreToldApart() throws {
    let numbers = Array(0..<10) + [12, 11, 13, 13, 14] + Array(20..<30)
    let stream = try #require(survey(numbers).streams.first)
    #expect(stream.expectedCount == 30)
    #expect(stream.lostCount == 6)
    #expect(stream.reorderedCount == 1)
    #expect(stream.duplicateCount == 1)
  }

  @Test func holesAreToldOnceTheirLatecomersAreIn() throws {
    let numbers = Array(0..<10) + [16, 12, 13] + Array(17..<30)
    let stream = try #require(survey(numbers).streams.first)
    #expect(stream.lossBursts.map { [Int($0.first.rawValue), $0.packetCount] } == [[4, 2], [8, 2]])
    #expect(stream.lossBursts.allSatisfy { $0.arrivals.upperBound.milliseconds(since: $0.arrivals.lowerBound) == 20 })
    #expect(stream.lostCount == 4)
  }

  @Test func aSenderThatStartsAnewIsNotLoss() throws {
    let stream = try #require(survey(Array(0..<50) + Array(20_000..<20_050)).streams.first)
    #expect(stream.restartCount == 1)
    #expect((stream.expectedCount, stream.receivedCount, stream.lostCount) == (100, 100, 0))
  }

  @Test func oneStrayNumberChangesNothing() throws {
    let stream = try #require(survey(Array(0..<50) + [30_000] + Array(50..<100)).streams.first)
    #expect((stream.expectedCount, stream.lostCount, stream.restartCount) == (100, 0, 0))
  }

  @Test func theClockOfAnUnknownPayloadTypeIsGuessed() throws {
    #expect(survey(Array(0..<100), payloadType: 97, ticks: 960).streams.first?.clockRate == 48_000)
    #expect(survey(Array(0..<20), payloadType: 97, ticks: 320).streams.first?.clockRate == 16_000)
  }

  @Test func sessionDescriptionsNamePayloadTypes() throws {
    var survey = RTPStreamSurvey()
    let invite = "INVITE sip:a@b SIP/2.0\r\n\r\nm=audio 4000 RTP/AVP 97\r\na=rtpmap:97 opus/48000/2\r\n"
    survey.add(datagram(Array(invite.utf8), milliseconds: 0))
    for number in 0..<5 {
      let rtp = CaptureBuilder.rtp(sequence: UInt16(number), timestamp: UInt32(960 * number), payloadType: 97)
      survey.add(datagram(rtp, milliseconds: 20 * Double(number)))
    }
    #expect(survey.streams.first?.mainPayload.name?.description == "opus/48000")
  }

  @Test func aReceiversOwnDescriptionNamesWhatItGets() throws {
    var survey = RTPStreamSurvey()
    func sdp(_ address: String, _ port: Int, _ map: String) -> [UInt8] {
      Array(
        "SIP/2.0 200 OK\r\n\r\nv=0\r\nc=IN IP4 \(address)\r\nm=audio \(port) RTP/AVP 97\r\na=rtpmap:97 \(map)\r\n".utf8)
    }
    survey.add(datagram(sdp("10.0.0.2", 5_000, "L16/16000"), milliseconds: 0))
    survey.add(datagram(sdp("10.0.0.9", 7_000, "opus/48000/2"), milliseconds: 0))
    for number in 0..<5 {
      let rtp = CaptureBuilder.rtp(sequence: UInt16(number), timestamp: UInt32(320 * number), payloadType: 97)
      survey.add(datagram(rtp, milliseconds: 20 * Double(number)))
    }
    #expect(survey.streams.first?.mainPayload.name?.description == "L16/16000")
    #expect(survey.streams.first?.isProtected == false)
  }

  /// Keys as RFC 4733 sends them: packets of 4 bytes under one timestamp.
  private func keys(_ packets: [(sequence: Int, timestamp: UInt32, code: UInt8, end: Bool, duration: Int)]) throws
    -> RTPStream
  {
    var survey = RTPStreamSurvey()
    for (index, packet) in packets.enumerated() {
      var rtp = CaptureBuilder.rtp(
        sequence: UInt16(packet.sequence), timestamp: packet.timestamp, payloadType: 101, payload: 0)
      rtp += [packet.code, packet.end ? 0x8A : 0x0A, UInt8(packet.duration >> 8), UInt8(packet.duration & 0xFF)]
      survey.add(datagram(rtp, milliseconds: 20 * Double(index)))
    }
    return try #require(survey.streams.first)
  }

  @Test func aKeyIsOneWhateverItsEndIsRepeatedAndOvertaken() throws {
    let stream = try keys([
      (1, 800, 11, false, 160), (2, 800, 11, false, 320), (3, 800, 11, true, 480), (3, 800, 11, true, 480),
      (5, 2_400, 11, false, 160), (4, 800, 11, true, 480), (6, 2_400, 11, true, 400),
    ])
    #expect(stream.telephoneEvents.map(\.key) == ["#", "#"])
    #expect(stream.telephoneEvents.map(\.durationTicks) == [480, 400])
    #expect(stream.telephoneEvents.map(\.startTicks) == [0, 1_600])
    #expect((stream.duplicateCount, stream.reorderedCount, stream.lostCount) == (1, 1, 0))
  }

  @Test func aKeyHeldBeyondItsLongestDurationIsOne() throws {
    let stream = try keys([
      (1, 0, 5, false, 0xFFFF), (2, 0xFFFF, 5, false, 160), (3, 0xFFFF, 5, false, 320), (4, 0xFFFF, 5, true, 800),
    ])
    #expect(stream.telephoneEvents.map(\.durationTicks) == [0xFFFF + 800])
    #expect(stream.telephoneEvents.first?.hasEnded == true)
  }

  @Test func controlAloneTellsItsSenders() {
    var survey = RTPStreamSurvey()
    let report: [UInt8] = [0x80, 200, 0, 6, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 20)
    let endless: [UInt8] = [0x80, 201, 0xFF, 0xFF, 9, 9, 9, 9]
    for bytes in [report, report + report, endless] { survey.add(datagram(bytes, milliseconds: 0)) }
    #expect(survey.streams.isEmpty)
    #expect(survey.control.sources.map(\.ssrc) == [0x0102_0304, 0x0909_0909])
    #expect(survey.control.sources.map(\.senderReportCount) == [3, 0])
    #expect(survey.controlCount == 3)
  }

  @Test func randomBytesAreNoStream() throws {
    var random = SeededRandom(seed: 4)
    var survey = RTPStreamSurvey()
    for index in 0..<20_000 {
      var bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes[0] = bytes[0] & 0x0F | 0x80
      survey.add(datagram(bytes, milliseconds: Double(index)))
    }
    #expect(survey.streams.isEmpty)
  }
}
