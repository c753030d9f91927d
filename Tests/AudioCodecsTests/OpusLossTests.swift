import AudioCodecs
import RealtimeCore
import TestSupport
import Testing

@Suite struct OpusLossTests {
  private func robustPackets(_ signal: [Float], fec: Bool = true) throws -> [[UInt8]] {
    let settings = OpusEncoderSettings(forwardErrorCorrection: fec, expectedPacketLoss: 20)
    var encoder = try OpusEncoder(sampleRate: .hz16000, settings: settings)
    return try encoder.packets(of: signal)
  }

  @Test func redundancyRestoresLostFrames() throws {
    let packets = try robustPackets(try speech())
    var intact = try OpusDecoder(sampleRate: .hz16000)
    let reference = try packets.flatMap { packet in try intact.decode(packet) }
    var random = SeededRandom(seed: 20)
    let lost = packets.indices.map { $0 > 0 && $0 + 1 < packets.count && Int.random(in: 0..<100, using: &random) < 10 }
    var quality: [Double] = []
    for usesRedundancy in [true, false] {
      var decoder = try OpusDecoder(sampleRate: .hz16000)
      var decoded: [Float] = []
      var recovered = 0
      for (index, packet) in packets.enumerated() {
        if !lost[index] {
          decoded += try decoder.decode(packet)
        } else if usesRedundancy, !lost[index + 1], opusHeader(packets[index + 1])?.hasRedundancy == true {
          decoded += try decoder.decodeRedundancy(packets[index + 1], count: 320)
          recovered += 1
        } else {
          decoded += decoder.conceal(320)
        }
      }
      #expect(decoded.count == reference.count)
      if usesRedundancy { #expect(recovered > 25, "of \(lost.filter { $0 }.count)") }
      let segments = packets.indices.filter { lost[$0] && powerDecibels(reference[$0 * 320..<$0 * 320 + 320]) > -50 }
      let each = segments.map { index in
        signalToNoise(
          Array(reference[index * 320..<index * 320 + 320]), Array(decoded[index * 320..<index * 320 + 320]))
      }
      quality.append(each.reduce(0, +) / Double(each.count))
    }
    print("10 % lost, SNR in the lost frames: FEC \(quality[0]) dB, concealment alone \(quality[1]) dB, seed 20")
    #expect(quality[0] > quality[1] + 3)
  }

  @Test func redundancyFlagFollowsTheSetting() throws {
    let signal = try speech()
    let with = try robustPackets(signal).filter { opusHeader($0)?.hasRedundancy == true }.count
    let without = try robustPackets(signal, fec: false).filter { opusHeader($0)?.hasRedundancy == true }.count
    print("LBRR in \(with) of 550 packets with FEC, \(without) without")
    #expect(with > 200)
    #expect(without == 0)
    // The second frame of a talker can be repaired only when the third says so.
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    let plain = try robustPackets(signal, fec: false)
    #expect(throws: OpusError.noRedundancy) { try decoder.decodeRedundancy(plain[100], count: 320) }
    #expect(throws: OpusError.invalidPacket) { try decoder.decodeRedundancy([], count: 320) }
    let robust = try #require(try robustPackets(signal).first { opusHeader($0)?.hasRedundancy == true })
    #expect(throws: OpusError.bufferTooSmall) { try decoder.decodeRedundancy(robust, count: 319) }
  }

  @Test func redundancyCanBeSwitchedInMidStream() throws {
    let signal = try speech()
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    #expect(try encoder.packets(of: signal).allSatisfy { opusHeader($0)?.hasRedundancy == false })
    try encoder.setForwardErrorCorrection(true)
    try encoder.setExpectedPacketLoss(20)
    #expect(try encoder.packets(of: signal).contains { opusHeader($0)?.hasRedundancy == true })
  }

  @Test(arguments: [OpusFrameDuration.ms10, .ms20, .ms40, .ms60])
  func redundancyWorksForEveryFrameOfSpeech(duration: OpusFrameDuration) throws {
    let settings = OpusEncoderSettings(
      bitrate: .bitsPerSecond(24_000), forwardErrorCorrection: true, expectedPacketLoss: 20, signal: .voice)
    var encoder = try OpusEncoder(sampleRate: .hz16000, frameDuration: duration, settings: settings)
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    var repaired = 0
    for packet in try encoder.packets(of: try speech()) {
      if try #require(opusHeader(packet)).hasRedundancy {
        #expect(try decoder.decodeRedundancy(packet, count: encoder.frameSampleCount).count == encoder.frameSampleCount)
        repaired += 1
      }
      _ = try decoder.decode(packet)
    }
    #expect(repaired > 50)
  }

  @Test(arguments: [SampleRate.hz8000, .hz16000, .hz48000])
  func concealmentFillsAnyMultipleOfTwoAndAHalfMilliseconds(rate: SampleRate) throws {
    var encoder = try OpusEncoder(sampleRate: rate)
    var decoder = try OpusDecoder(sampleRate: rate)
    for packet in try encoder.packets(of: vowel(sampleRate: rate, seconds: 0.3)) { _ = try decoder.decode(packet) }
    let step = rate.hertz / 400
    for steps in [1, 2, 3, 4, 7, 8, 16, 31, 48, 50, 100] {
      #expect(decoder.conceal(steps * step).count == steps * step)
      #expect(decoder.conceal(steps * step + step - 1).count == steps * step)
    }
    #expect(decoder.conceal(step - 1).isEmpty)
    #expect(decoder.conceal(0).isEmpty)
    // By now a second has been made up: it has faded to silence.
    #expect(powerDecibels(decoder.conceal(8 * step)) < -60)
  }
}
