import AudioCodecs
import COpus
import RealtimeCore
import TestSupport
import Testing

@Suite struct OpusFuzzTests {
  /// Random bytes of 0 to 1,276; half of them short and with a count byte that makes framing likely to hold.
  private func randomPacket(_ random: inout SeededRandom) -> [UInt8] {
    let limit = Bool.random(using: &random) ? 12 : 1_276
    return (0..<Int.random(in: 0...limit, using: &random)).map { index in
      index == 1 && Bool.random(using: &random)
        ? UInt8.random(in: 0...6, using: &random) | UInt8.random(in: 0...3, using: &random) << 6
        : UInt8.random(in: 0...255, using: &random)
    }
  }

  @Test func framingAgreesWithLibopus() {
    var random = SeededRandom(seed: 6_716)
    var valid = 0
    for _ in 0..<100_000 {
      let packet = randomPacket(&random)
      guard !packet.isEmpty else { continue }
      var sizes = [Int16](repeating: 0, count: 48)
      var toc: UInt8 = 0
      let count = unsafe opus_packet_parse(packet, Int32(packet.count), &toc, nil, &sizes, nil)
      let header = opusHeader(packet)
      #expect((header?.frameCount ?? -1) == (count > 0 ? Int(count) : -1), "\(packet) seed 6716")
      guard let header, count > 0 else { continue }
      valid += 1
      #expect(header.firstFrameByteCount == Int(sizes[0]))
      #expect(header.channelCount == Int(unsafe opus_packet_get_nb_channels(packet)))
      #expect(header.bandwidth.rawValue == UInt8(unsafe opus_packet_get_bandwidth(packet) - OPUS_BANDWIDTH_NARROWBAND))
      #expect(
        header.sampleCount(at: .hz48000) == Int(unsafe opus_packet_get_nb_samples(packet, Int32(packet.count), 48_000)))
    }
    #expect(valid > 30_000)
  }

  @Test(arguments: [SampleRate.hz8000, .hz48000])
  func randomBytesGiveSamplesOrErrors(rate: SampleRate) throws {
    var random = SeededRandom(seed: 1_276)
    var decoder = try AudioDecoder(.opus(), sampleRate: rate)
    var frame = [Float](repeating: 0, count: rate.hertz * 12 / 100)
    var decoded = 0
    for _ in 0..<20_000 {
      let packet = randomPacket(&random)
      var span = frame.mutableSpan
      let expected = decoder.sampleCount(of: packet.span)
      if decoder.hasRedundancy(packet.span) { _ = try? decoder.decodeRedundancy(packet.span, into: &span) }
      do {
        let count = try decoder.decode(packet.span, into: &span)
        #expect(count == expected)
        decoded += 1
      } catch {
        // libopus rejects after parsing too, so an expected count is no promise of success.
        if expected == nil { #expect(error == .malformedPayload(byteCount: packet.count)) }
      }
      if Int.random(in: 0..<10, using: &random) == 0 { _ = decoder.conceal(into: &span) }
    }
    print("\(decoded) of 20000 random packets decode, seed 1276")
    #expect(decoded > 5_000)
  }

  @Test func damagedPacketsGiveSamplesOrErrors() throws {
    var random = SeededRandom(seed: 77)
    var encoder = try OpusEncoder(
      sampleRate: .hz16000, settings: OpusEncoderSettings(forwardErrorCorrection: true, expectedPacketLoss: 20))
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    for packet in try encoder.packets(of: try speech()) {
      for _ in 0..<10 {
        var damaged = packet
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          damaged[Int.random(in: 0..<damaged.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        damaged.removeLast(Int.random(in: 0..<damaged.count, using: &random))
        _ = try? decoder.decodeRedundancy(damaged, count: 960)
        let samples = (try? decoder.decode(damaged)) ?? []
        #expect(samples.allSatisfy { $0.isFinite })
      }
    }
  }
}
