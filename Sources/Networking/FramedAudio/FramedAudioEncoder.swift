internal import AudioCodecs
public import RealtimeCore

/// From samples to messages that are cut wherever the caller likes.
/// - Threads: any; `encode` is for the audio path.
public struct FramedAudioEncoder: Sendable {
  /// What the messages hold.
  public let format: FramedAudioFormat

  /// An encoder; it has no state beside its format.
  public init(_ format: FramedAudioFormat) { self.format = format }

  /// Encodes as many samples as there is room for their bytes; the others must be given again.
  /// - Returns: the bytes written.
  @_noLocks
  public func encode(_ samples: borrowing SampleView, into bytes: inout MutableSpan<UInt8>) -> Int {
    let room = bytes.count
    switch format.encoding {
    case .muLaw:
      let count = Swift.min(samples.count, room)
      for i in 0..<count { bytes[i] = G711.encode(pcm16(samples[i]), .mu) }
      return count
    case .pcm16:
      let count = Swift.min(samples.count, room / 2)
      for i in 0..<count {
        let value = pcm16(samples[i])
        bytes[2 &* i] = UInt8(truncatingIfNeeded: value)
        bytes[2 &* i &+ 1] = UInt8(truncatingIfNeeded: value >> 8)
      }
      return 2 &* count
    }
  }

  /// The same for callers that are not on the audio path.
  public func encode(_ samples: Span<Float>, into bytes: inout MutableSpan<UInt8>) -> Int {
    encode(SampleView(samples), into: &bytes)
  }
}
