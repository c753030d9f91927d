import AudioCodecs
import RealtimeCore
import TestSupport
import Testing

@Suite struct OpusRateTests {
  private func bitrate(_ packets: [[UInt8]], seconds: Double) -> Double {
    Double(packets.reduce(0) { $0 + $1.count }) * 8 / seconds
  }

  @Test(arguments: [12_000, 24_000, 32_000, 64_000])
  func constantBitrateGivesConstantSizes(bits: Int) throws {
    var settings = OpusEncoderSettings(rateControl: .constant)
    settings.bitrate = .bitsPerSecond(bits)
    var encoder = try OpusEncoder(sampleRate: .hz16000, settings: settings)
    let sizes = Set(try encoder.packets(of: try speech()).map(\.count))
    #expect(sizes == [bits / 400])
  }

  @Test(arguments: OpusEncoderSettings.RateControl.allCases)
  func bitrateIsKept(control: OpusEncoderSettings.RateControl) throws {
    let signal = try speech()
    for bits in [16_000, 32_000, 64_000] {
      let settings = OpusEncoderSettings(bitrate: .bitsPerSecond(bits), rateControl: control)
      var encoder = try OpusEncoder(sampleRate: .hz16000, settings: settings)
      #expect(encoder.bitrate == bits)
      let measured = bitrate(try encoder.packets(of: signal), seconds: Double(signal.count) / 16_000)
      // With pauses in the speech a variable rate stays below its mark; it must never run away above it.
      #expect(measured < Double(bits) * 1.1, "\(control) \(bits): \(measured)")
      #expect(measured > Double(bits) * 0.5, "\(control) \(bits): \(measured)")
    }
  }

  @Test func bitrateChangesInMidStream() throws {
    let signal = vowel(sampleRate: .hz16000, seconds: 2)
    var encoder = try OpusEncoder(sampleRate: .hz16000, settings: OpusEncoderSettings(rateControl: .constant))
    #expect(try encoder.packets(of: signal).last?.count == 80)
    try encoder.setBitrate(.bitsPerSecond(16_000))
    #expect(try encoder.packets(of: signal).first?.count == 40)
    try encoder.setBitrate(.maximum)
    #expect(try encoder.packets(of: signal).last?.count == OpusEncoder.maximumPacketByteCount)
    try encoder.setBitrate(.automatic)
    #expect((10_000...80_000).contains(encoder.bitrate))
  }

  @Test func smallRoomLowersTheQuality() throws {
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    let frame = Array(vowel(sampleRate: .hz16000, seconds: 0.1).prefix(320))
    var packet = [UInt8](repeating: 0, count: 30)
    var span = packet.mutableSpan
    #expect(try encoder.encode(frame.span, into: &span) <= 30)
    var none = MutableSpan<UInt8>()
    #expect(throws: OpusError.bufferTooSmall) { try encoder.encode(frame.span, into: &none) }
  }

  @Test(arguments: OpusBandwidth.allCases)
  func bandwidthIsForcedOrLimited(bandwidth: OpusBandwidth) throws {
    let signal = vowel(sampleRate: .hz48000, seconds: 0.5)
    // As voice, because CELT has no mediumband.
    var settings = OpusEncoderSettings(bandwidth: bandwidth, signal: .voice)
    var encoder = try OpusEncoder(sampleRate: .hz48000, settings: settings)
    #expect(try encoder.packets(of: signal).dropFirst(5).allSatisfy { opusHeader($0)?.bandwidth == bandwidth })
    settings.bandwidth = nil
    settings.maximumBandwidth = bandwidth
    var limited = try OpusEncoder(sampleRate: .hz48000, settings: settings)
    let chosen = try limited.packets(of: signal).compactMap { opusHeader($0)?.bandwidth }
    #expect(chosen.count == 25 && chosen.allSatisfy { $0 <= bandwidth })
  }

  @Test func silenceIsHardlySent() throws {
    var random = SeededRandom(seed: 3)
    let noise = random.noise(count: 16_000 * 6, amplitude: 0.0005)
    for (name, silence) in [("digital silence", [Float](repeating: 0, count: 16_000 * 6)), ("room noise", noise)] {
      var encoder = try OpusEncoder(
        sampleRate: .hz16000, settings: OpusEncoderSettings(discontinuousTransmission: true))
      let talk = try encoder.packets(of: try speech().dropLast(0)).filter { !$0.isEmpty }.count
      let sizes = try encoder.packets(of: silence).dropFirst(100).map(\.count)
      let sent = sizes.count { $0 > 2 }
      print("DTX: \(talk) of 550 speech packets, \(sent) of 200 packets of \(name) sent")
      #expect(talk > 250)
      #expect(sent <= 20, "\(name)")
      #expect(sizes.count { $0 == 1 || $0 == 2 } <= sent + 1, "each of them, and the pause, is announced once")
      try encoder.setDiscontinuousTransmission(false)
      #expect(try encoder.packets(of: silence).allSatisfy { !$0.isEmpty })
    }
  }

  /// A receiver tells a pause from a loss by the packet that begins it.
  @Test func aPauseIsAnnouncedOnce() throws {
    var encoder = try OpusEncoder(sampleRate: .hz16000, settings: OpusEncoderSettings(discontinuousTransmission: true))
    let silence = [Float](repeating: 0, count: 16_000 * 2)
    let sizes = try encoder.packets(of: try speech() + silence).map(\.count)
    let first = try #require(sizes.firstIndex(of: 0))
    #expect((1...2).contains(sizes[first - 1]))
    #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 == 0 || $0 > 2 || $1 == 0 || $1 > 2 })
    encoder.reset()
    #expect(try encoder.packets(of: silence).first { $0.count < 3 }?.isEmpty == false)
  }

  @Test func decoderFillsDiscontinuousGaps() throws {
    var encoder = try OpusEncoder(sampleRate: .hz16000, settings: OpusEncoderSettings(discontinuousTransmission: true))
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    var random = SeededRandom(seed: 4)
    let signal = try speech() + random.noise(count: 16_000 * 3, amplitude: 0.001)
    var decoded: [Float] = []
    for packet in try encoder.packets(of: signal) {
      decoded += packet.isEmpty ? decoder.conceal(320) : try decoder.decode(packet)
    }
    #expect(decoded.count == signal.count / 320 * 320)
    let level = powerDecibels(decoded.suffix(16_000))
    print("comfort noise \(level) dBFS for \(powerDecibels(signal.suffix(16_000)))")
    #expect((-90 ... -50).contains(level))
  }
}
