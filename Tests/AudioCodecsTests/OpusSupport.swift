import AudioCodecs
import RealtimeCore

extension OpusEncoder {
  /// Encodes all whole frames of `signal`; an empty packet says that there was nothing to send.
  mutating func packets(of signal: [Float]) throws -> [[UInt8]] {
    let size = frameSampleCount * channelCount
    var packet = ByteBuffer(repeating: 0, count: 4_000)
    var packets: [[UInt8]] = []
    for start in stride(from: 0, through: signal.count - size, by: size) {
      var span = packet.mutableSpan
      let count = try encode(signal[start..<start + size].span, into: &span)
      packets.append((0..<count).map { packet[$0] })
    }
    return packets
  }
}

extension OpusDecoder {
  mutating func decode(_ packet: [UInt8]) throws -> [Float] {
    var samples = [Float](repeating: 0, count: sampleRate.hertz * channelCount * 12 / 100)
    var span = samples.mutableSpan
    let count = try decode(packet.span, into: &span)
    return Array(samples.prefix(count * channelCount))
  }

  mutating func conceal(_ count: Int) -> [Float] {
    var samples = [Float](repeating: 0, count: count)
    var span = samples.mutableSpan
    let made = conceal(into: &span)
    return Array(samples.prefix(made))
  }

  mutating func decodeRedundancy(_ next: [UInt8], count: Int) throws -> [Float] {
    var samples = [Float](repeating: 0, count: count)
    var span = samples.mutableSpan
    let made = try decodeRedundancy(next.span, into: &span)
    return Array(samples.prefix(made))
  }
}

func opusHeader(_ packet: [UInt8]) -> OpusPacketHeader? { OpusPacketHeader(packet.span) }
