import AudioCodecs
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct G711Tests {
  /// The 16-bit linear value of each code, from `testdata/itu-g711`.
  private func table(_ law: G711.Law) throws -> [Int] {
    let name = law == .mu ? "mu-law.txt" : "a-law.txt"
    let text = try String(contentsOf: testdata.appendingPathComponent("itu-g711/\(name)"), encoding: .utf8)
    let values = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: " ")
      return (Int(fields[0], radix: 16), Int(fields[1]))
    }
    #expect(values.map(\.0) == Array(0..<256))
    return values.compactMap(\.1)
  }

  /// Decision values of one polarity in 16-bit units, from 0 upward: columns 2 and 3 of tables 1a and 2a of G.711 give
  /// for each of 8 segments 16 equal intervals.
  private func decisionValues(_ law: G711.Law) -> [Int] {
    switch law {
    case .mu:  // 0, 1, 3 ... 31, 35 ... 95, 103 ... 8159, in 14-bit units
      var values = [0, 1]
      for segment in 0..<8 {
        for _ in 0..<(segment == 0 ? 15 : 16) { values.append(values[values.count - 1] + 2 << segment) }
      }
      return values.map { $0 * 4 }
    case .a:  // 0, 2 ... 64, 68 ... 128, 136 ... 4096, in units where the smallest step is 2
      var values = [0]
      for segment in 0..<8 {
        for _ in 0..<16 { values.append(values[values.count - 1] + 2 << max(0, segment - 1)) }
      }
      return values.map { $0 * 8 }
    }
  }

  @Test(arguments: G711.Law.allCases)
  func decodingIsTheStandardsTable(law: G711.Law) throws {
    let table = try table(law)
    #expect((0..<256).map { G711.decode(UInt8($0), law) } == table)
  }

  @Test(arguments: G711.Law.allCases)
  func everyInputFallsBetweenItsDecisionValues(law: G711.Law) throws {
    let (table, decisions) = (try table(law), decisionValues(law))
    #expect(decisions.count == 129)
    #expect(decisions.last == (law == .mu ? 8_159 * 4 : 4_096 * 8))
    // The positive codes in the order of their values are the intervals in order.
    let outputs = (0..<256).filter { $0 & 0x80 != 0 }.map { table[$0] }.sorted()
    for input in -32_768...32_767 {
      let magnitude = input < 0 ? -1 - input : input
      // The last interval has no upper end.
      let interval = min(127, decisions.lastIndex { $0 <= magnitude } ?? 0)
      let code = G711.encode(input, law)
      guard (code & 0x80 != 0) == (input >= 0), abs(table[Int(code)]) == outputs[interval] else {
        Issue.record("\(input) is coded as \(code)")
        return
      }
    }
    #expect(G711.encode(1 << 40, law) == G711.encode(32_767, law))
    #expect(G711.encode(.min, law) == G711.encode(-32_768, law))
  }

  @Test(arguments: G711.Law.allCases)
  func everyCodeSurvivesTheRoundTrip(law: G711.Law) {
    // µ-law has two zeros; the negative one comes back as the positive.
    let expected = (UInt8.min...UInt8.max).map { law == .mu && $0 == 0x7F ? 0xFF : $0 }
    #expect((UInt8.min...UInt8.max).map { G711.encode(G711.decode($0, law), law) } == expected)
  }

  @Test(arguments: [CodecFormat.pcmu, .pcma])
  func speechKeepsThirtyFiveDecibels(format: CodecFormat) throws {
    // G.712 asks 33 dB of signal to quantising distortion from -30 to 0 dBm0 for a sine.
    for level in [0.02, 0.1, 0.5] {
      let signal = sine(1_020, sampleRate: .hz8000, count: 8_000, amplitude: level)
      let decoded = try roundTrip(signal, format, .hz8000)
      #expect(signalToNoise(signal, decoded) > 33, "\(format.codec) at \(level)")
    }
  }

  @Test func linear16IsExactAndInNetworkOrder() throws {
    let signal = (0..<320).map { Float($0 * 205 - 32_768) / 32_768 }
    #expect(try roundTrip(signal, .l16(.hz16000), .hz16000) == signal)
    var encoder = try AudioEncoder(.l16(.hz8000), sampleRate: .hz8000)
    var payload = [UInt8](repeating: 0, count: 320)
    var span = payload.mutableSpan
    var frame = [Float](repeating: 0, count: 160)
    frame.replaceSubrange(0..<7, with: [1.0, -1.0, 2.0, -2.0, .nan, 258.0 / 32_768, -0.25 / 32_768])
    #expect(try encoder.encode(frame.span, into: &span) == 320)
    #expect(Array(payload.prefix(14)) == [0x7F, 0xFF, 0x80, 0, 0x7F, 0xFF, 0x80, 0, 0, 0, 1, 2, 0, 0])
  }
}

@Suite struct L24Tests {
  @Test func linear24IsExactAndInNetworkOrder() throws {
    let signal = (0..<960).map { Float($0 * 17_476 - 8_388_608) / 8_388_608 }
    #expect(try roundTrip(signal, .l24(.hz48000), .hz48000) == signal)
    var encoder = try AudioEncoder(.l24(.hz8000), sampleRate: .hz8000)
    var payload = [UInt8](repeating: 0, count: 480)
    var span = payload.mutableSpan
    var frame = [Float](repeating: 0, count: 160)
    frame.replaceSubrange(
      0..<8, with: [1.0, -1.0, 2.0, -2.0, .nan, 66_051.0 / 8_388_608, -0.25 / 8_388_608, 5_000_001.0 / 8_388_608])
    #expect(try encoder.encode(frame.span, into: &span) == 480)
    let expected: [UInt8] = [
      0x7F, 0xFF, 0xFF, 0x80, 0, 0, 0x7F, 0xFF, 0xFF, 0x80, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0x4C, 0x4B, 0x41,
    ]
    #expect(Array(payload.prefix(24)) == expected)
  }

  @Test func payloadsOfPartialSamplesAreMalformed() throws {
    let decoder = try AudioDecoder(.l24(.hz48000), sampleRate: .hz48000)
    for (count, samples) in [(0, nil), (1, nil), (2, nil), (3, 1), (4, nil), (18, 6)] as [(Int, Int?)] {
      let payload = [UInt8](repeating: 0, count: count)
      #expect(decoder.sampleCount(of: payload.span) == samples)
    }
  }
}

/// Encodes and decodes all whole frames of `signal`.
func roundTrip(_ signal: [Float], _ format: CodecFormat, _ rate: SampleRate) throws -> [Float] {
  var encoder = try AudioEncoder(format, sampleRate: rate)
  var decoder = try AudioDecoder(format, sampleRate: rate)
  var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadByteCount)
  var frame = [Float](repeating: 0, count: encoder.frameSampleCount)
  var decoded: [Float] = []
  for start in stride(from: 0, through: signal.count - frame.count, by: frame.count) {
    var bytes = payload.mutableSpan
    let count = try encoder.encode(signal[start..<start + frame.count].span, into: &bytes)
    var samples = frame.mutableSpan
    let made = try decoder.decode(payload[0..<count].span, into: &samples)
    decoded += frame.prefix(made)
  }
  return decoded
}
