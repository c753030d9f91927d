public import RealtimeCore

/// Writes control packets behind each other into one datagram.
///
/// Each call adds a whole packet, or adds to the last one, and throws `noRoom` before it has changed anything.
/// - Threads: any one at a time. Never allocates.
@frozen
public struct RTCPWriter: Sendable, BitwiseCopyable {
  /// Bytes written so far, always whole words.
  public private(set) var byteCount = 0
  private var start = 0  // of the last packet

  /// A writer at the start of a datagram.
  @_noLocks
  public init() {}

  /// Adds a sender report without blocks.
  @_noLocks
  public mutating func addSenderReport(
    _ ssrc: UInt32, _ info: RTCPSenderInfo, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    try begin(type: 200, count: 0, wordCount: 6, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
    datagram.storeBigEndian(UInt32(truncatingIfNeeded: info.ntp.rawValue >> 32), at: start &+ 8)
    datagram.storeBigEndian(UInt32(truncatingIfNeeded: info.ntp.rawValue), at: start &+ 12)
    datagram.storeBigEndian(info.timestamp.rawValue, at: start &+ 16)
    datagram.storeBigEndian(info.packetCount, at: start &+ 20)
    datagram.storeBigEndian(info.octetCount, at: start &+ 24)
  }

  /// Adds a receiver report without blocks.
  @_noLocks
  public mutating func addReceiverReport(
    _ ssrc: UInt32, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    try begin(type: 201, count: 0, wordCount: 1, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
  }

  /// Adds a block to the report written last; at most 31 fit, more trap.
  @_noLocks
  public mutating func addBlock(
    _ block: RTCPReportBlock, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let end = byteCount
    let room = datagram.count
    guard end &+ 24 <= room else { throw .noRoom(needed: end &+ 24, available: room) }
    precondition(byteCount > start && datagram[start] & 0x1F < 31)
    datagram[start] &+= 1
    datagram.storeBigEndian(block.ssrc, at: end)
    let lost = UInt32(truncatingIfNeeded: block.packetsLost) & 0xFF_FFFF
    datagram.storeBigEndian(UInt32(block.fractionLost) << 24 | lost, at: end &+ 4)
    datagram.storeBigEndian(block.extendedHighestSequenceNumber, at: end &+ 8)
    datagram.storeBigEndian(block.jitter, at: end &+ 12)
    datagram.storeBigEndian(block.lastSenderReport, at: end &+ 16)
    datagram.storeBigEndian(block.delaySinceLastSenderReport, at: end &+ 20)
    finish(at: end &+ 24, in: &datagram)
  }

  /// Adds a source description with the canonical name, of which 255 bytes count.
  @_noLocks
  public mutating func addCanonicalName(
    _ name: borrowing ByteView, of ssrc: UInt32, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let length = Swift.min(255, name.count)
    // SSRC, item head, text, then one to four zeros.
    let words = 1 &+ (2 &+ length &+ 4) / 4
    try begin(type: 202, count: 1, wordCount: words, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
    datagram[start &+ 8] = 1
    datagram[start &+ 9] = UInt8(truncatingIfNeeded: length)
    var index = 0
    while index < length {
      datagram[start &+ 10 &+ index] = name[index]
      index &+= 1
    }
    zero(from: start &+ 10 &+ length, in: &datagram)
  }

  /// Adds a goodbye of one source, with a reason of which 255 bytes count; an empty one is left out.
  @_noLocks
  public mutating func addGoodbye(
    _ ssrc: UInt32, reason: borrowing ByteView, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let length = Swift.min(255, reason.count)
    let words = length == 0 ? 1 : 1 &+ (1 &+ length &+ 3) / 4
    try begin(type: 203, count: 1, wordCount: words, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
    guard length > 0 else { return }
    datagram[start &+ 8] = UInt8(truncatingIfNeeded: length)
    var index = 0
    while index < length {
      datagram[start &+ 9 &+ index] = reason[index]
      index &+= 1
    }
    zero(from: start &+ 9 &+ length, in: &datagram)
  }

  /// Adds a negative acknowledgement that names one missing packet of `media`.
  @_noLocks
  public mutating func addMissingPacket(
    _ number: SequenceNumber, of media: UInt32, from ssrc: UInt32, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    try begin(type: 205, count: 1, wordCount: 3, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
    datagram.storeBigEndian(media, at: start &+ 8)
    datagram.storeBigEndian(number.rawValue, at: start &+ 12)
    datagram.storeBigEndian(UInt16(0), at: start &+ 14)
  }

  /// Adds a packet to the negative acknowledgement written last; numbers in rising order take the least room.
  @_noLocks
  public mutating func addFurtherMissingPacket(
    _ number: SequenceNumber, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    precondition(byteCount >= 16 && datagram[start &+ 1] == 205)
    let end = byteCount
    let last = SequenceNumber(UInt16(datagram[end &- 4]) << 8 | UInt16(datagram[end &- 3]))
    let step = last.distance(to: number)
    if step >= 1 && step <= 16 {
      let bit = UInt16(1) &<< UInt16(truncatingIfNeeded: step &- 1)
      let following = (UInt16(datagram[end &- 2]) << 8 | UInt16(datagram[end &- 1])) | bit
      datagram.storeBigEndian(following, at: end &- 2)
      return
    }
    if step == 0 { return }
    let room = datagram.count
    guard end &+ 4 <= room else { throw .noRoom(needed: end &+ 4, available: room) }
    datagram.storeBigEndian(number.rawValue, at: end)
    datagram.storeBigEndian(UInt16(0), at: end &+ 2)
    finish(at: end &+ 4, in: &datagram)
  }

  /// Begins a packet of `wordCount` words behind its first 4 bytes, which the caller fills.
  @_noLocks
  mutating func begin(
    type: UInt8, count: UInt8, wordCount: Int, in datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let end = byteCount &+ 4 &+ 4 &* wordCount
    let room = datagram.count
    guard end <= room else { throw .noRoom(needed: end, available: room) }
    start = byteCount
    datagram[start] = 0x80 | count
    datagram[start &+ 1] = type
    finish(at: end, in: &datagram)
  }

  @_noLocks
  private mutating func finish(at end: Int, in datagram: inout MutableSpan<UInt8>) {
    byteCount = end
    datagram.storeBigEndian(UInt16(truncatingIfNeeded: (end &- start) / 4 &- 1), at: start &+ 2)
  }

  @_noLocks
  private func zero(from offset: Int, in datagram: inout MutableSpan<UInt8>) {
    var index = offset
    while index < byteCount {
      datagram[index] = 0
      index &+= 1
    }
  }
}
