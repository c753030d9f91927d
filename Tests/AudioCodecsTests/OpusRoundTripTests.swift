import AudioCodecs
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct OpusRoundTripTests {
  static let rates: [SampleRate] = [.hz8000, .hz12000, .hz16000, .hz24000, .hz48000]

  @Test func speechAt32kSurvives() throws {
    let signal = try speech()
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    let decoded = try encoder.packets(of: signal).flatMap { packet in try decoder.decode(packet) }
    let lag = delay(of: decoded, behind: signal, atMost: 400)
    #expect(abs(lag - encoder.lookahead) <= 3, "measured \(lag), reported \(encoder.lookahead)")
    let aligned = Array(decoded.dropFirst(lag))
    let matching = Array(signal.prefix(aligned.count))
    let match = correlation(matching, aligned)
    let quality = segmentalSignalToNoise(matching, aligned, sampleRate: .hz16000)
    print("Opus 32 kbit/s speech: correlation \(match), segmental SNR \(quality) dB, delay \(lag) samples")
    #expect(match > 0.95)
    #expect(quality > 8)
    // Negative control: one frame out of place is no match.
    #expect(correlation(matching, Array(decoded.dropFirst(lag + 320))) < 0.5)
  }

  @Test(arguments: rates, OpusEncoderSettings.Application.allCases)
  func measuredDelayEqualsLookahead(rate: SampleRate, application: OpusEncoderSettings.Application) throws {
    var random = SeededRandom(seed: 11)
    let signal = vowel(sampleRate: rate, seconds: 0.6)
      .enumerated().map {
        $1 * ($0 / (rate.hertz / 10) % 2 == 0 ? 1 : 0.1) + Float.random(in: -0.02...0.02, using: &random)
      }
    let settings = OpusEncoderSettings(bitrate: .bitsPerSecond(64_000), application: application)
    var encoder = try OpusEncoder(sampleRate: rate, settings: settings)
    var decoder = try OpusDecoder(sampleRate: rate)
    let decoded = try encoder.packets(of: signal).flatMap { packet in try decoder.decode(packet) }
    let lag = delay(of: decoded, behind: signal, atMost: rate.hertz / 50)
    let milliseconds = Double(encoder.lookahead) * 1_000 / Double(rate.hertz)
    #expect(abs(milliseconds - (application == .lowDelay ? 2.5 : 6.5)) < 0.01)
    // A quarter of a millisecond covers SILK's resamplers, whose delay is not a whole number of samples.
    #expect(
      abs(lag - encoder.lookahead) <= max(1, rate.hertz / 4_000), "measured \(lag), \(encoder.lookahead) reported")
  }

  @Test(arguments: rates, OpusFrameDuration.allCases)
  func everyFrameDurationAndComplexityWorks(rate: SampleRate, duration: OpusFrameDuration) throws {
    let signal = vowel(sampleRate: rate, seconds: 0.6)
    for complexity in [0, 5, 10] {
      var settings = OpusEncoderSettings(complexity: complexity)
      settings.bitrate = .bitsPerSecond(duration.microseconds < 10_000 ? 96_000 : 32_000)
      var encoder = try OpusEncoder(sampleRate: rate, frameDuration: duration, settings: settings)
      var decoder = try OpusDecoder(sampleRate: rate)
      #expect(encoder.frameSampleCount * 1_000_000 == rate.hertz * duration.microseconds)
      var decoded: [Float] = []
      for packet in try encoder.packets(of: signal) {
        let header = try #require(opusHeader(packet))
        #expect(header.durationMicroseconds == duration.microseconds)
        #expect(header.sampleCount(at: rate) == encoder.frameSampleCount)
        let frame = try decoder.decode(packet)
        #expect(frame.count == encoder.frameSampleCount)
        decoded += frame
      }
      let aligned = Array(decoded.dropFirst(encoder.lookahead))
      let match = correlation(Array(signal.prefix(aligned.count)), aligned)
      #expect(match > 0.85, "\(rate), \(duration), complexity \(complexity): \(match)")
    }
  }

  @Test func stereoPacketIsMixedDown() throws {
    let (left, right) = (440.0, 1_000.0)
    let mono = vowel(sampleRate: .hz48000, seconds: 0.5)
    let other = sine(left + right, sampleRate: .hz48000, count: mono.count, amplitude: 0.1)
    let stereo = zip(mono, other).flatMap { [$0, $1] }
    var settings = OpusEncoderSettings(application: .audio)
    settings.bitrate = .bitsPerSecond(128_000)
    var encoder = try OpusEncoder(sampleRate: .hz48000, channelCount: 2, settings: settings)
    var decoder = try OpusDecoder(sampleRate: .hz48000)
    let packets = try encoder.packets(of: stereo)
    #expect(packets.allSatisfy { opusHeader($0)?.channelCount == 2 })
    let decoded = try packets.flatMap { packet in try decoder.decode(packet) }.dropFirst(encoder.lookahead)
    let mixed = zip(mono, other).map { ($0 + $1) / 2 }
    #expect(signalToNoise(Array(mixed.prefix(decoded.count)), Array(decoded)) > 15)
  }

  @Test func resetForgetsTheSignal() throws {
    let signal = vowel(sampleRate: .hz16000, seconds: 0.4)
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    let first = try encoder.packets(of: signal)
    let firstDecoded = try first.flatMap { packet in try decoder.decode(packet) }
    #expect(try encoder.packets(of: signal) != first)
    encoder.reset()
    decoder.reset()
    let again = try encoder.packets(of: signal)
    #expect(again == first)
    #expect(try again.flatMap { packet in try decoder.decode(packet) } == firstDecoded)
  }

  @Test func gainIsInDecibels() throws {
    let signal = vowel(sampleRate: .hz16000, seconds: 0.4)
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    var plain = try OpusDecoder(sampleRate: .hz16000)
    var softer = try OpusDecoder(sampleRate: .hz16000)
    softer.setGain(decibels: -6)
    let packets = try encoder.packets(of: signal)
    let loud = powerDecibels(try packets.flatMap { packet in try plain.decode(packet) })
    let soft = powerDecibels(try packets.flatMap { packet in try softer.decode(packet) })
    #expect(abs(loud - soft - 6) < 0.01)
    softer.setGain(decibels: .nan)
  }

  @Test func wrongSettingsAreRefused() throws {
    #expect(throws: OpusError.badArgument) { _ = try OpusEncoder(sampleRate: .hz44100) }
    #expect(throws: OpusError.badArgument) { _ = try OpusEncoder(sampleRate: .hz48000, channelCount: 3) }
    #expect(throws: OpusError.badArgument) { _ = try OpusDecoder(sampleRate: .hz32000) }
    #expect(throws: OpusError.unsupportedSetting(.complexity, value: 11, lowest: 0, highest: 10)) {
      _ = try OpusEncoder(sampleRate: .hz48000, settings: OpusEncoderSettings(complexity: 11))
    }
    #expect(throws: OpusError.unsupportedSetting(.expectedPacketLoss, value: 101, lowest: 0, highest: 100)) {
      _ = try OpusEncoder(sampleRate: .hz48000, settings: OpusEncoderSettings(expectedPacketLoss: 101))
    }
    var encoder = try OpusEncoder(sampleRate: .hz48000)
    #expect(throws: OpusError.unsupportedSetting(.expectedPacketLoss, value: -1, lowest: 0, highest: 100)) {
      try encoder.setExpectedPacketLoss(-1)
    }
    #expect(throws: OpusError.unsupportedSetting(.complexity, value: 11, lowest: 0, highest: 10)) {
      try encoder.setComplexity(11)
    }
    var packet = [UInt8](repeating: 0, count: 100)
    #expect(throws: OpusError.wrongFrameSize(given: 959, needed: 960)) {
      var span = packet.mutableSpan
      _ = try encoder.encode([Float](repeating: 0, count: 959).span, into: &span)
    }
  }

  @Test func brokenInputSamplesDoNotPoisonTheEncoder() throws {
    var encoder = try OpusEncoder(sampleRate: .hz16000)
    var decoder = try OpusDecoder(sampleRate: .hz16000)
    for bad in [Float.nan, .infinity, -.infinity, 1e30, Float.leastNonzeroMagnitude] {
      for packet in try encoder.packets(of: [Float](repeating: bad, count: 320)) { _ = try decoder.decode(packet) }
    }
    let signal = vowel(sampleRate: .hz16000, seconds: 0.6)
    let decoded = try encoder.packets(of: signal).flatMap { packet in try decoder.decode(packet) }
    let half = decoded.count / 2
    #expect(decoded.allSatisfy { $0.isFinite })
    let lag = encoder.lookahead
    #expect(correlation(Array(signal[half - lag..<decoded.count - lag]), Array(decoded[half...])) > 0.9)
  }
}
