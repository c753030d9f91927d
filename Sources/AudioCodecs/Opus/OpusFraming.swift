import RealtimeCore

/// How many frames an Opus packet holds, and where the first one lies (RFC 6716 §3.2, rules R1 to R7 of §3.4).
struct OpusFraming: BitwiseCopyable {
  let frameCount: Int
  let firstFrameStart: Int
  let firstFrameByteCount: Int

  /// Rule R2: no frame is longer.
  private static let maximumFrameByteCount = 1_275
  /// Rule R5: no packet lasts longer.
  private static let maximumMicroseconds = 120_000

  /// `packet` has at least its TOC byte; `nil` when it breaks a rule.
  @_noLocks
  init?(_ packet: borrowing ByteView, frameMicroseconds: Int) {
    let rest = packet.count &- 1
    switch packet[0] & 3 {
    case 0:
      self.init(count: 1, start: 1, size: rest)
    case 1:
      guard rest & 1 == 0 else { return nil }  // R3
      self.init(count: 2, start: 1, size: rest / 2)
    case 2:
      guard let first = Self.length(in: packet, at: 1, end: packet.count) else { return nil }  // R4
      let start = 1 &+ first.coded
      let second = packet.count &- start &- first.bytes
      guard second >= 0, second <= Self.maximumFrameByteCount else { return nil }
      self.init(count: 2, start: start, size: first.bytes)
    default:
      self.init(counted: packet, frameMicroseconds: frameMicroseconds)
    }
  }

  @_noLocks
  private init?(count: Int, start: Int, size: Int) {
    guard size <= Self.maximumFrameByteCount else { return nil }
    frameCount = count
    firstFrameStart = start
    firstFrameByteCount = size
  }

  /// Code 3 (§3.2.5): a byte with variable-size flag, padding flag and frame count; padding lengths; frame lengths.
  @_noLocks
  private init?(counted packet: borrowing ByteView, frameMicroseconds: Int) {
    guard packet.count >= 2 else { return nil }  // R6, R7
    let head = packet[1]
    let count = Int(head & 0x3F)
    guard count > 0, count &* frameMicroseconds <= Self.maximumMicroseconds else { return nil }
    var start = 2
    var end = packet.count
    if head & 0x40 != 0 {
      var more = true
      while more {  // 255 says: 254 bytes of padding, and another length byte follows
        guard start < end else { return nil }
        let length = Int(packet[start])
        start &+= 1
        more = length == 255
        end &-= more ? 254 : length
        guard end >= start else { return nil }
      }
    }
    if head & 0x80 == 0 {
      let bytes = end &- start
      guard bytes % count == 0 else { return nil }  // R6
      self.init(count: count, start: start, size: bytes / count)
      return
    }
    var firstSize = -1
    var coded = 0
    for _ in 1..<count {
      guard let length = Self.length(in: packet, at: start, end: end) else { return nil }
      start &+= length.coded
      coded &+= length.bytes
      if firstSize < 0 { firstSize = length.bytes }
    }
    let last = end &- start &- coded
    guard last >= 0, last <= Self.maximumFrameByteCount else { return nil }  // R7
    self.init(count: count, start: start, size: firstSize < 0 ? last : firstSize)
  }

  private struct Length: BitwiseCopyable {
    let bytes: Int
    let coded: Int
  }

  /// A frame length of one or two bytes (§3.2.1): 0...251 itself, else the second byte times 4 plus the first.
  @_noLocks
  private static func length(in packet: borrowing ByteView, at index: Int, end: Int) -> Length? {
    guard index < end else { return nil }
    let first = Int(packet[index])
    if first < 252 { return Length(bytes: first, coded: 1) }
    guard index &+ 1 < end else { return nil }
    return Length(bytes: Int(packet[index &+ 1]) &* 4 &+ first, coded: 2)
  }
}
