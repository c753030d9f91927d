internal import AudioCodecs
public import RealtimeCore

/// From messages of any length to samples: wherever the sender cuts, the samples are the same.
///
/// A message may end in the middle of a sample; its first byte waits for the next one.
/// - Threads: any one at a time; `decode` is for the audio path.
public struct FramedAudioDecoder: ~Copyable, Sendable {
  /// What the messages hold.
  public let format: FramedAudioFormat
  private var firstByte: UInt8 = 0
  private var hasFirstByte = false

  /// A decoder at the beginning of a stream.
  public init(_ format: FramedAudioFormat) { self.format = format }

  /// Samples that a message of `byteCount` bytes gives now.
  @_noLocks
  public func sampleCount(of byteCount: Int) -> Int {
    (byteCount &+ (hasFirstByte ? 1 : 0)) / format.bytesPerSample
  }

  /// Decodes as many bytes as there is room for their samples.
  /// - Returns: the bytes read and the samples written; what was not read must be given again.
  @_noLocks
  public mutating func decode(
    _ bytes: borrowing ByteView, into samples: inout MutableSpan<Float>
  ) -> (bytesRead: Int, samplesWritten: Int) {
    let room = samples.count
    switch format.encoding {
    case .muLaw:
      let count = Swift.min(bytes.count, room)
      for i in 0..<count { samples[i] = Float(G711.decode(bytes[i], .mu)) * (1 / 32_768) }
      return (count, count)
    case .pcm16:
      var read = 0
      var written = 0
      if hasFirstByte, bytes.count > 0, room > 0 {
        samples[0] = Self.sample(firstByte, bytes[0])
        hasFirstByte = false
        (read, written) = (1, 1)
      }
      if !hasFirstByte {
        let count = Swift.min((bytes.count &- read) / 2, room &- written)
        for i in 0..<count {
          samples[written &+ i] = Self.sample(bytes[read &+ 2 &* i], bytes[read &+ 2 &* i &+ 1])
        }
        read = read &+ 2 &* count
        written = written &+ count
        if bytes.count &- read == 1 {
          firstByte = bytes[read]
          hasFirstByte = true
          read = read &+ 1
        }
      }
      return (read, written)
    }
  }

  /// The same for callers that are not on the audio path.
  public mutating func decode(
    _ bytes: Span<UInt8>, into samples: inout MutableSpan<Float>
  ) -> (bytesRead: Int, samplesWritten: Int) {
    decode(ByteView(bytes), into: &samples)
  }

  /// Decodes one packet of a sender that keeps to a size.
  /// - Parameter packetByteCount: as `format.packetByteCount(milliseconds:)`.
  /// - Returns: the samples written.
  @_noLocks
  public mutating func decode(
    packet: borrowing ByteView, ofExactly packetByteCount: Int, into samples: inout MutableSpan<Float>
  ) throws(FramedAudioError) -> Int {
    let (found, room) = (packet.count, samples.count)
    guard found == packetByteCount else { throw .wrongPacketSize(expected: packetByteCount, found: found) }
    hasFirstByte = false
    let needed = sampleCount(of: found)
    guard needed <= room else { throw .bufferTooSmall(needed: needed, found: room) }
    return decode(packet, into: &samples).samplesWritten
  }

  /// Forgets a byte that waits: the stream begins anew.
  @_noLocks
  public mutating func reset() { hasFirstByte = false }

  @_noLocks
  private static func sample(_ low: UInt8, _ high: UInt8) -> Float {
    Float(Int(Int8(bitPattern: high)) << 8 | Int(low)) * (1 / 32_768)
  }

  /// What `decode` has to remember, to put it back when a message turns out to be broken.
  var state: (UInt8, Bool) {
    @_noLocks get { (firstByte, hasFirstByte) }
    @_noLocks set { (firstByte, hasFirstByte) = newValue }
  }
}
