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
