import Antiphon
import Foundation
import RTPTransport
import TestSupport
import Testing

/// Streams made up packet by packet: what no capture at hand shows.
@Suite struct StreamReplayTests {
  typealias Build = CaptureBuilder

  /// Keeps all that a replay does.
  private final class Recorder: StreamReplayObserver {
    var samples: [Float] = []
    var packets: [StreamReplay.Packet] = []
    var points: [StreamReplay.Point] = []

    func received(_ packet: StreamReplay.Packet) { packets.append(packet) }

    func played(_ samples: Span<Float>, _ point: StreamReplay.Point) {
      for index in samples.indices { self.samples.append(samples[index]) }
      points.append(point)
    }
  }

  private struct Sent {
    var sequence: Int
    var timestamp: Int
    var type: UInt8 = 0
    var media: [UInt8]
    var milliseconds: Int
  }

  private func capture(of packets: [Sent]) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString).pcap")
    let frames = packets.map { packet in
      Build.ipv4(
        Build.udp(
          Build.rtp(
            sequence: UInt16(truncatingIfNeeded: packet.sequence),
            timestamp: UInt32(truncatingIfNeeded: packet.timestamp), payloadType: packet.type, media: packet.media)))
    }
    try Data(Build.pcap(linkType: 101, frames: frames, milliseconds: packets.map(\.milliseconds))).write(to: url)
    return url
  }

  private func survey(of packets: [Sent]) throws -> CaptureSurvey {
    let url = try capture(of: packets)
    defer { try? FileManager.default.removeItem(at: url) }
    return try CaptureSurvey(path: url.path)
  }

  /// Writes a capture of one stream, surveys and plays it.
  private func play(
    _ packets: [Sent], names: [UInt8: PayloadName] = [:], rate: SampleRate? = nil
  ) throws -> (replay: StreamReplay, heard: Recorder, stream: CapturedStream) {
    let url = try capture(of: packets)
    defer { try? FileManager.default.removeItem(at: url) }
    let survey = try CaptureSurvey(path: url.path, names: names)
    let stream = try #require(survey.streams.first)
    let replay = try StreamReplay(stream, sampleRate: rate)
    let recorder = Recorder()
    var capture = try OpenedCapture(path: url.path)
    while let datagram = try capture.next() { try replay.receive(datagram, observer: recorder) }
    try replay.finish(observer: recorder)
    return (replay, recorder, stream)
  }

  private func tone(_ hertz: Double, _ format: CodecFormat, _ rate: SampleRate, packets: Int) throws -> [[UInt8]] {
    var encoder = try AudioEncoder(format, sampleRate: rate)
    let size = encoder.frameSampleCount
    let signal = sine(hertz, sampleRate: rate, count: size * packets)
    return try (0..<packets).map { index in
      var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadByteCount)
      var bytes = payload.mutableSpan
      let count = try encoder.encode(signal[index * size..<(index + 1) * size].span, into: &bytes)
      return Array(payload.prefix(count))
    }
  }

  @Test func aChangeOfCodecWithinAStreamGoesOnWithoutAHole() throws {
    let narrow = try tone(400, .pcmu, .hz8000, packets: 50)
    let wide = try tone(400, .g722, .hz16000, packets: 50)
    let packets = (0..<100).map { index in
      Sent(
        sequence: index, timestamp: 160 * index, type: index < 50 ? 0 : 9,
        media: index < 50 ? narrow[index] : wide[index - 50], milliseconds: 20 * index)
    }
    let (replay, heard, _) = try play(packets)
    #expect(replay.sampleRate == .hz16000)
    #expect(replay.codecChangeCount == 1)
    #expect(replay.statistics.concealedSamples == 0)
    #expect(abs(Double(heard.samples.count) / 16_000 - 2.03) < 0.02)
    // The tone is there in every 20 ms but those of the change, where one stops before the other begins.
    let windows = stride(from: 640, to: 32_000, by: 320).map { powerDecibels(heard.samples[$0..<$0 + 320]) }
    #expect(windows.count { $0 < -12 } <= 2, "\(windows.filter { $0 < -12 })")
  }

  @Test func keysAndComfortNoiseArePausesAndNeitherLossNorConcealment() throws {
    let sound = try tone(400, .pcmu, .hz8000, packets: 30)
    var packets: [Sent] = []
    for index in 0..<10 {
      packets.append(Sent(sequence: index, timestamp: 160 * index, media: sound[index], milliseconds: 20 * index))
    }
    for index in 10..<20 {  // a key of 200 ms
      let end: UInt8 = index > 16 ? 0x8A : 0x0A
      let media = [5, end] + Build.big(UInt16(160 * (min(index, 17) - 9)))
      packets.append(Sent(sequence: index, timestamp: 1_600, type: 101, media: media, milliseconds: 20 * index))
    }
    for index in 20..<30 {
      packets.append(Sent(sequence: index, timestamp: 160 * index, media: sound[index - 10], milliseconds: 20 * index))
    }
    packets.append(Sent(sequence: 30, timestamp: 4_800, type: 13, media: [60], milliseconds: 600))
    for index in 80..<90 {  // a second of silence without packets
      packets.append(
        Sent(sequence: index - 49, timestamp: 160 * index, media: sound[index - 60], milliseconds: 20 * index))
    }
    let (replay, heard, stream) = try play(packets)
    #expect(stream.stream.lostCount == 0)
    #expect(stream.stream.telephoneEvents.map(\.key) == ["5"])
    #expect(replay.statistics.concealedSamples == 0)
    #expect(replay.statistics.missingPackets == 0)
    #expect(replay.outcomes[.event] == 11)
    // 20 ms in the buffer, 5 ms for the fade.
    #expect(heard.samples[(8 * 230)..<(8 * 415)].allSatisfy { $0 == 0 }, "silent while the key is pressed")
    // The noise that was told of: -60 dBov, and so in dBFS (a square wave's full scale).
    #expect(abs(powerDecibels(heard.samples[(8 * 700)..<(8 * 1_600)]) + 60) < 1, "the described noise in the pause")
    #expect(powerDecibels(heard.samples[(8 * 440)..<(8 * 600)]) > -12)
    #expect(powerDecibels(heard.samples[(8 * 1_630)..<(8 * 1_780)]) > -12)
  }

  /// Every packet carries the one before it: losses cost nothing once they are known, and µ-law is named by its number.
  @Test func copiesInsideOfPacketsReplaceLostOnes() throws {
    let sound = try tone(400, .pcmu, .hz8000, packets: 300)
    var packets: [Sent] = []
    for index in 0..<300 where index % 10 != 7 {
      var media: [UInt8] = []
      if index > 0 {
        // F, type 0; 14 bits of offset (160 ticks), 10 bits of length (160 bytes).
        let word = UInt32(160) << 10 | 160
        media += [0x80, UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)]
      }
      media += [0]
      if index > 0 { media += sound[index - 1] }
      media += sound[index]
      packets.append(
        Sent(sequence: index, timestamp: 160 * index, type: 98, media: media, milliseconds: 20 * index))
    }
    let name = PayloadName(encoding: "red", clockRate: 8_000)
    let (replay, heard, stream) = try play(packets, names: [98: name])
    #expect(stream.isPlayable && stream.formats.map(\.payloadType) == [0])
    #expect(stream.stream.lostCount == 30)
    let statistics = replay.statistics
    #expect(statistics.recoveredSamples >= 24 * 160, "\(statistics.recoveredSamples)")
    #expect(statistics.concealedSamples <= 6 * 160)
    #expect(statistics.fecPacketsReceived == 269)
    #expect(abs(Double(heard.samples.count) / 8_000 - 6.05) < 0.05)
  }

  /// Keys that SDP in the capture tells open its SRTP; the plain stream beside it stays plain.
  @Test func keysOfTheSessionDescriptionOpenTheStream() throws {
    let key = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0 + 1) })
    var sender = try SRTPSender(key: key, ssrc: 7)
    let sdp =
      "INVITE sip:a@b SIP/2.0\r\n\r\nv=0\r\nc=IN IP4 10.0.0.2\r\nm=audio 5000 RTP/SAVP 0\r\n"
      + "a=crypto:1 AES_CM_128_HMAC_SHA1_80 \(key.inline)|2^31\r\n"
    var frames = [Build.ipv4(Build.udp(Array(sdp.utf8), from: 5_060, to: 5_060))]
    for number in 0..<50 {
      var packet = Build.rtp(sequence: UInt16(number), timestamp: UInt32(160 * number))
      let count = packet.count
      packet += [UInt8](repeating: 0, count: 10)
      var bytes = packet.mutableSpan
      _ = try sender.protect(&bytes, byteCount: count)
      frames.append(Build.ipv4(Build.udp(packet)))
      var plain = Build.rtp(sequence: UInt16(number), timestamp: UInt32(160 * number))
      plain[11] = 9  // another SSRC, to another port
      frames.append(Build.ipv4(Build.udp(plain, from: 6_000, to: 6_002)))
    }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString).pcap")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(Build.pcap(linkType: 101, frames: frames)).write(to: url)
    let survey = try CaptureSurvey(path: url.path)
    #expect(survey.keys == [key])
    #expect(survey.streams.map(\.isClosed) == [false, false] && survey.streams.map(\.closedCount) == [0, 0])
    // The trailer of SRTP is no sound.
    #expect(survey.streams.map(\.soundSeconds) == [1, 1])
  }

  @Test func channelsAreMixedToTheirMean() throws {
    // Left 0.5, right -0.25 of full scale.
    let frame: [UInt8] = [0x40, 0, 0, 0xE0, 0, 0]
    let media = Array(repeatElement(frame, count: 96).joined())
    let packets = (0..<100).map { Sent(sequence: $0, timestamp: 96 * $0, type: 97, media: media, milliseconds: 2 * $0) }
    let name = PayloadName(encoding: "L24", clockRate: 48_000, channelCount: 2)
    let (replay, heard, stream) = try play(packets, names: [97: name])
    #expect(replay.sampleRate == .hz48000)
    #expect(stream.soundSeconds == 0.2)
    #expect(heard.samples.contains(0.125))
    #expect(heard.samples.dropFirst(1_200).dropLast(1_200).allSatisfy { $0 == 0.125 })
  }

  @Test(arguments: [3_600, -3_600])
  func aClockThatJumpsBeginsANewTimeLine(seconds: Int) throws {
    let sound = try tone(400, .pcma, .hz8000, packets: 100)
    let packets = (0..<100).map { index in
      Sent(
        sequence: index, timestamp: 160 * index, type: 8, media: sound[index],
        milliseconds: 10_000_000 + 20 * index + (index < 50 ? 0 : 1_000 * seconds))
    }
    let (replay, heard, _) = try play(packets)
    #expect(replay.clockJumpCount == 1)
    #expect(abs(Double(heard.samples.count) / 8_000 - 4.02) < 0.1, "\(heard.samples.count) samples")
    #expect(heard.samples.count { abs($0) > 0.1 } > 8_000 * 3 / 2, "both halves are heard")
    #expect(replay.outcomes[.inserted] == 100)
  }

  /// Captures of several interfaces that were put together are not always sorted.
  @Test func aPacketOlderThanTheFirstCountsAsComeWithIt() throws {
    let sound = try tone(400, .pcma, .hz8000, packets: 40)
    let packets = (0..<40).map { index in
      Sent(
        sequence: index, timestamp: 160 * index, type: 8, media: sound[index],
        milliseconds: 1_000 + 20 * index - (index == 1 ? 200 : 0))
    }
    let (replay, heard, _) = try play(packets)
    #expect(heard.packets.allSatisfy { $0.arrival >= .zero })
    #expect(replay.outcomes[.inserted] == 40)
    #expect(heard.samples.count { abs($0) > 0.1 } > 8_000 / 2)
  }

  @Test func theOrderOfPacketsIsRestoredAndTold() throws {
    let sound = try tone(400, .l16(.hz8000), .hz8000, packets: 60)
    var packets = (0..<60).map {
      Sent(sequence: $0, timestamp: 160 * $0, type: 96, media: sound[$0], milliseconds: 20 * $0 + 100)
    }
    // Two packets change places on the way, again and again, so that the buffer learns to wait for them.
    for index in stride(from: 4, to: 56, by: 4) {
      (packets[index].milliseconds, packets[index + 1].milliseconds) = (20 * index + 121, 20 * index + 120)
    }
    packets.sort { $0.milliseconds < $1.milliseconds }
    let (replay, heard, stream) = try play(packets, names: [96: PayloadName(encoding: "L16", clockRate: 8_000)])
    #expect(stream.stream.reorderedCount == 13)
    #expect(heard.packets.count { $0.isReordered } == 13)
    #expect(stream.stream.lossBursts.isEmpty)
    #expect(replay.statistics.packetsReceived == 60)
    let transits = heard.packets.compactMap(\.transitMilliseconds)
    #expect(transits.count == 60)
    #expect(transits.allSatisfy { abs($0) < 22 })
  }

  @Test func anUnknownCodecIsNamedAndNotPlayed() throws {
    let packets = (0..<20).map {
      Sent(sequence: $0, timestamp: 160 * $0, type: 18, media: [UInt8](repeating: 1, count: 20), milliseconds: 20 * $0)
    }
    let stream = try #require(try survey(of: packets).streams.first)
    #expect(!stream.isPlayable)
    #expect(stream.payloads.first?.name?.description == "G729/8000")
  }

  @Test func compressedBytesOfNoNameAreNotTakenForSound() throws {
    var random = SeededRandom(seed: 11)
    let packets = (0..<40).map {
      Sent(
        sequence: $0, timestamp: 960 * $0, type: 98,
        media: (0..<80).map { _ in UInt8.random(in: 0...255, using: &random) }, milliseconds: 20 * $0)
    }
    let survey = try survey(of: packets)
    #expect(survey.streams.first?.payloads.first?.name == nil)
    #expect(survey.streams.first?.isPlayable == false)
  }
}
