internal import AudioCodecs

/// Brings payloads of several interleaved channels down to one: the mean of each frame's samples.
enum Mixdown {
  /// - Parameter codec: L16, L24 or G.711; of others the payload is given back.
  /// - Returns: a payload of one channel; a frame that is not whole at the end is left out.
  static func mono(_ payload: [UInt8], _ channelCount: Int, _ codec: Codec) -> [UInt8] {
    let width: Int
    switch codec {
    case .l16: width = 2
    case .l24: width = 3
    case .pcmu, .pcma: width = 1
    case .opus, .g722: return payload
    }
    var mixed: [UInt8] = []
    for frame in 0..<payload.count / (width * channelCount) {
      var sum = 0
      for channel in 0..<channelCount {
        sum += value(payload, at: (frame * channelCount + channel) * width, codec)
      }
      append(sum / channelCount, to: &mixed, codec)
    }
    return mixed
  }

  private static func value(_ payload: [UInt8], at offset: Int, _ codec: Codec) -> Int {
    let first = Int(Int8(bitPattern: payload[offset]))
    switch codec {
    case .l16: return first << 8 | Int(payload[offset + 1])
    case .l24: return first << 16 | Int(payload[offset + 1]) << 8 | Int(payload[offset + 2])
    case .pcmu: return G711.decode(payload[offset], .mu)
    case .pcma: return G711.decode(payload[offset], .a)
    case .opus, .g722: return 0
    }
  }

  private static func append(_ value: Int, to bytes: inout [UInt8], _ codec: Codec) {
    switch codec {
    case .l24:
      for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    case .l16:
      for shift in [8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    case .pcmu: bytes.append(G711.encode(value, .mu))
    case .pcma: bytes.append(G711.encode(value, .a))
    case .opus, .g722: break
    }
  }
}
