import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@Suite("Framed audio") struct FramedAudioTests {
  static let formats: [FramedAudioFormat] = [
    FramedAudioFormat(.pcm16, .hz8000), FramedAudioFormat(.pcm16, .hz16000), FramedAudioFormat(.pcm16, .hz24000),
    FramedAudioFormat(.muLaw, .hz8000),
  ]

  /// Decodes the bytes in chunks of random lengths, 0 included, into buffers of random lengths.
  static func decode(_ bytes: [UInt8], _ format: FramedAudioFormat, by random: inout SeededRandom) -> [Float] {
    var decoder = FramedAudioDecoder(format)
    var samples: [Float] = []
    var buffer = [Float](repeating: 0, count: 700)
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + Int.random(in: 0...900, using: &random))
      while start < end {
        let room = Int.random(in: 0...buffer.count, using: &random)
        var whole = buffer.mutableSpan
        var part = whole.part(0..<room)
        let told = decoder.sampleCount(of: end - start)
        let (read, written) = decoder.decode(bytes.span.extracting(start..<end), into: &part)
        #expect(written == min(told, room))
        samples += buffer[0..<written]
        start += read
      }
    }
    return samples
  }

  static func encode(_ samples: [Float], _ format: FramedAudioFormat) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: samples.count * format.bytesPerSample)
    var span = bytes.mutableSpan
    _ = FramedAudioEncoder(format).encode(samples.span, into: &span)
    return bytes
  }

  @Test("any cut gives the same samples", arguments: formats)
  func anyCut(format: FramedAudioFormat) {
    for seed in 1...50 {
      var random = SeededRandom(seed: UInt64(seed))
      let signal = random.noise(count: 5_000, amplitude: 1.1)
      let bytes = Self.encode(signal, format)
      var decoder = FramedAudioDecoder(format)
      var whole = [Float](repeating: 0, count: signal.count)
      var span = whole.mutableSpan
      let made = decoder.decode(bytes.span, into: &span)
      #expect(made == (bytes.count, signal.count))
      #expect(Self.decode(bytes, format, by: &random) == whole, "seed \(seed)")
      if format.encoding == .pcm16 {
        #expect(zip(signal, whole).allSatisfy { abs(max(-1, min(1, $0)) - $1) <= 1 / 32_768 }, "seed \(seed)")
      }
    }
  }

  @Test("16-bit values are little endian and come back exactly")
  func allValues() {
    let values = (Int(Int16.min)...Int(Int16.max))
    let samples = values.map { Float($0) / 32_768 }
    let bytes = Self.encode(samples, Self.formats[1])
    #expect(bytes == values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    var random = SeededRandom(seed: 3)
    #expect(Self.decode(bytes, Self.formats[1], by: &random) == samples)
  }

  @Test("values outside the range are clipped, and NaN is silence")
  func clipping() {
    #expect(
      Self.encode([1, 2, .infinity, -1, -2, -.infinity, .nan, 0], Self.formats[1])
        == [0xFF, 0x7F, 0xFF, 0x7F, 0xFF, 0x7F, 0, 0x80, 0, 0x80, 0, 0x80, 0, 0, 0, 0])
  }

  @Test("packets have exactly one size, whatever is pushed", arguments: formats, [10, 20, 60])
  func packets(format: FramedAudioFormat, milliseconds: Int) throws {
    var random = SeededRandom(seed: 11)
    let signal = random.noise(count: 20_011, amplitude: 0.9)
    var cutter = try PacketCutter(format, milliseconds: milliseconds)
    #expect(cutter.packetByteCount == format.sampleRate.hertz * milliseconds / 1_000 * format.bytesPerSample)
    var sent: [UInt8] = []
    func append(_ packet: Span<UInt8>) { for i in packet.indices { sent.append(packet[i]) } }
    var start = 0
    while start < signal.count {
      let end = min(signal.count, start + Int.random(in: 0...2_000, using: &random))
      while start < end {
        start += cutter.push(signal.span.extracting(start..<end))
        guard cutter.isComplete else { continue }
        append(cutter.packet)
        let taken = cutter.push(signal.span)
        #expect(taken == 0)
        cutter.begin()
      }
    }
    let whole = signal.count * format.bytesPerSample / cutter.packetByteCount * cutter.packetByteCount
    #expect(sent.count == whole)
    let hasRest = cutter.fill()
    #expect(hasRest)
    append(cutter.packet)
    cutter.begin()
    let hasMore = cutter.fill()
    #expect(!hasMore)
    let bytes = Self.encode(signal, format)
    let silence: UInt8 = format.encoding == .muLaw ? 0xFF : 0
    #expect(sent == bytes + [UInt8](repeating: silence, count: sent.count - bytes.count))
  }

  @Test("a packet of a wrong size is told, and the next one is read right")
  func wrongSize() throws {
    let format = FramedAudioFormat(.pcm16, .hz16000)
    #expect(FramedAudioFormat(.pcm16, .hz8000).packetByteCount() == 320)
    #expect(format.packetByteCount() == 640)
    #expect(FramedAudioFormat(.pcm16, .hz24000).packetByteCount() == 960)
    var decoder = FramedAudioDecoder(format)
    var samples = [Float](repeating: 0, count: 320)
    for count in [0, 1, 320, 639, 641, 1_280] {
      let packet = [UInt8](repeating: 1, count: count)
      var span = samples.mutableSpan
      do throws(FramedAudioError) {
        _ = try decoder.decode(packet: ByteView(packet.span), ofExactly: 640, into: &span)
        Issue.record("\(count) bytes were taken")
      } catch { #expect(error == .wrongPacketSize(expected: 640, found: count)) }
    }
    let good = [UInt8]((0..<640).map { $0 % 2 == 0 ? 0 : 0x40 })
    var span = samples.mutableSpan
    let count = try decoder.decode(packet: ByteView(good.span), ofExactly: 640, into: &span)
    #expect(count == 320)
    #expect(samples == [Float](repeating: 0.5, count: 320))
    // 220.5 samples.
    #expect(throws: FramedAudioError.unevenPacket(milliseconds: 20, hertz: 11_025)) {
      let cutter = try PacketCutter(FramedAudioFormat(.pcm16, .hz11025))
      return cutter.packetByteCount
    }
  }

  @Test("nothing is allocated in steady state", arguments: formats)
  func noHeap(format: FramedAudioFormat) throws {
    var cutter = try PacketCutter(format)
    var decoder = FramedAudioDecoder(format)
    var base64 = Base64()
    let signal = [Float](repeating: 0.25, count: 1_000)
    var samples = [Float](repeating: 0, count: 1_000)
    var text = [UInt8](repeating: 0, count: 2_000)
    func round() {
      var start = 0
      while start < signal.count {
        start += cutter.push(signal.span.extracting(start..<signal.count))
        guard cutter.isComplete else { continue }
        var characters = text.mutableSpan
        let count = base64.encode(cutter.packet, into: &characters)
        var span = samples.mutableSpan
        _ = try? base64.decode(text.span.extracting(0..<count), by: &decoder, into: &span)
        cutter.begin()
      }
    }
    round()
    let operations = heapOperations { for _ in 0..<100 { round() } }
    #expect(operations == nil || operations == 0)
  }
}
