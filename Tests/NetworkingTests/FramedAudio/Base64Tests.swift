import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@Suite("Base64 of sound") struct Base64Tests {
  let format = FramedAudioFormat(.pcm16, .hz16000)

  func decode(_ text: String) throws(FramedAudioError) -> [Float] {
    var decoder = FramedAudioDecoder(format)
    var base64 = Base64()
    var samples = [Float](repeating: 0, count: text.utf8.count)
    var span = samples.mutableSpan
    let count = try base64.decode(Array(text.utf8).span, by: &decoder, into: &span)
    return Array(samples[0..<count])
  }

  @Test("the same text as Foundation's, for every length")
  func encodes() {
    var random = SeededRandom(seed: 5)
    let base64 = Base64()
    for count in 0...300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      var text = [UInt8](repeating: 0, count: Base64.characterCount(of: count))
      var span = text.mutableSpan
      let written = base64.encode(bytes.span, into: &span)
      #expect(written == text.count)
      #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
    }
  }

  @Test("any cut into messages gives the same samples, with and without padding")
  func anyCut() throws {
    for seed in 1...30 {
      var random = SeededRandom(seed: UInt64(seed))
      let signal = random.noise(count: 6_000, amplitude: 1)
      let bytes = FramedAudioTests.encode(signal, format)
      var decoder = FramedAudioDecoder(format)
      var base64 = Base64()
      var samples: [Float] = []
      var buffer = [Float](repeating: 0, count: 6_000)
      var start = 0
      while start < bytes.count {
        let end = min(bytes.count, start + Int.random(in: 0...7_000, using: &random))
        var text = Data(bytes[start..<end]).base64EncodedString()
        if Bool.random(using: &random) { text = text.replacingOccurrences(of: "=", with: "") }
        var span = buffer.mutableSpan
        let count = try base64.decode(Array(text.utf8).span, by: &decoder, into: &span)
        samples += buffer[0..<count]
        start = end
      }
      #expect(samples.count == signal.count, "seed \(seed)")
      #expect(FramedAudioTests.encode(samples, format) == bytes, "seed \(seed)")
    }
  }

  @Test(
    "what is not base64 is refused, and where",
    arguments: [
      ("A", FramedAudioError.truncatedBase64(count: 1)), ("AAAAA", .truncatedBase64(count: 5)),
      ("AA=", .truncatedBase64(count: 3)), ("A===", .notBase64(offset: 1)), ("AA==AAAA", .notBase64(offset: 2)),
      ("AAAA\nAAA", .notBase64(offset: 4)), ("AA A", .notBase64(offset: 2)), ("AA-_", .notBase64(offset: 2)),
      ("AAA*", .notBase64(offset: 3)), ("====", .notBase64(offset: 0)),
    ])
  func refuses(text: String, error: FramedAudioError) {
    #expect(throws: error) { try decode(text) }
  }

  @Test("a refused message leaves the byte that waits, and too small a buffer is told")
  func keepsState() throws {
    var decoder = FramedAudioDecoder(format)
    var base64 = Base64()
    var samples = [Float](repeating: 0, count: 2)
    func decode(_ text: String) throws(FramedAudioError) -> Int {
      var span = samples.mutableSpan
      return try base64.decode(Array(text.utf8).span, by: &decoder, into: &span)
    }
    #expect(try decode("AA==") == 0)  // one zero byte waits
    #expect(throws: FramedAudioError.notBase64(offset: 4)) { try decode("QEBA!A==") == 0 }
    #expect(throws: FramedAudioError.bufferTooSmall(needed: 3, found: 2)) { try decode("QEBAQEBA") == 0 }
    #expect(try decode("QA==") == 1)  // 0x40: the waiting byte's upper half
    #expect(samples[0] == 0.5)
  }
}
