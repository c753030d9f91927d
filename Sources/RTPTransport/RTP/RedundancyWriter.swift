public import RealtimeCore

/// Sends each payload again with the next ones (RED, RFC 2198): a packet that is lost comes with a later one.
///
/// - Threads: one at a time; after `init` nothing allocates.
/// - Memory: `levels` payloads of the longest size.
public struct RedundancyWriter: ~Copyable, Sendable {
  /// How many earlier payloads travel with each one.
  public let levels: Int
  /// The payload type of the blocks.
  public let payloadType: UInt8
  /// The longest payload that is taken.
  public let maximumPayloadByteCount: Int

  private var bytes: ByteBuffer
  private var byteCounts: FixedBuffer<Int>
  private var timestamps: FixedBuffer<UInt32>
  private var sentCount = 0

  /// RFC 2198 gives a block's length 10 bits and its age 14.
  private static var longestBlock: Int { @_noLocks get { 0x3FF } }
  private static var greatestAge: Int { @_noLocks get { 0x3FFF } }

  /// - Parameters:
  ///   - levels: 1 to 8; others trap. Each level costs the bitrate once more and outlasts one more loss in a row.
  ///   - payloadType: that of the codec, 0 to 127.
  ///   - maximumPayloadByteCount: of the codec; 1 or more. Payloads above 1,023 bytes are not sent again.
  public init(levels: Int, payloadType: UInt8, maximumPayloadByteCount: Int) {
    precondition((1...8).contains(levels), "RedundancyWriter: \(levels) levels are outside 1 to 8")
    precondition(payloadType < 128, "RedundancyWriter: payload type \(payloadType) is outside 0 to 127")
    precondition(maximumPayloadByteCount > 0, "RedundancyWriter: payloads of \(maximumPayloadByteCount) bytes")
    self.levels = levels
    self.payloadType = payloadType
    self.maximumPayloadByteCount = maximumPayloadByteCount
    bytes = ByteBuffer(repeating: 0, count: levels * maximumPayloadByteCount)
    byteCounts = FixedBuffer(repeating: 0, count: levels)
    timestamps = FixedBuffer(repeating: 0, count: levels)
  }

  /// The bytes that the longest packet's payload can have.
  public var maximumByteCount: Int {
    levels * (4 + min(maximumPayloadByteCount, Self.longestBlock)) + 1 + maximumPayloadByteCount
  }

  /// Writes a payload with the earlier ones that still fit (their age is limited to 16,383 ticks), and keeps it for the next.
  /// - Returns: the bytes written. Throws `noRoom` when not even the primary block fits; it is then not kept.
  @_noLocks
  public mutating func write(
    _ primary: borrowing ByteView, timestamp: RTPTimestamp, into payload: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    let room = payload.count
    let count = primary.count
    guard count <= maximumPayloadByteCount else { throw .noRoom(needed: count, available: maximumPayloadByteCount) }
    guard 1 &+ count <= room else { throw .noRoom(needed: 1 &+ count, available: room) }
    // The newest are the likeliest to be missed, so the oldest give way where the room ends.
    var kept = 0
    var needed = 1 &+ count
    while kept < min(levels, sentCount) {
      let slot = slot(kept &+ 1)
      let age = RTPTimestamp(timestamps[slot]).distance(to: timestamp)
      let more = needed &+ 4 &+ byteCounts[slot]
      guard age > 0 && age <= Self.greatestAge && byteCounts[slot] <= Self.longestBlock && more <= room else { break }
      needed = more
      kept &+= 1
    }
    var header = 0
    var body = 4 &* kept &+ 1
    var level = kept
    while level > 0 {
      let slot = slot(level)
      let age = UInt32(truncatingIfNeeded: RTPTimestamp(timestamps[slot]).distance(to: timestamp))
      let length = byteCounts[slot]
      payload.storeBigEndian(
        0x8000_0000 | UInt32(payloadType) << 24 | age << 10 | UInt32(truncatingIfNeeded: length), at: header)
      let start = slot &* maximumPayloadByteCount
      for index in 0..<length { payload[body &+ index] = bytes[start &+ index] }
      header &+= 4
      body &+= length
      level &-= 1
    }
    payload[header] = payloadType
    for index in 0..<count { payload[body &+ index] = primary[index] }
    keep(primary, timestamp)
    return body &+ count
  }

  /// Writes a payload; see `write(_:timestamp:into:)` for views.
  public mutating func write(
    _ primary: Span<UInt8>, timestamp: RTPTimestamp, into payload: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    try write(ByteView(primary), timestamp: timestamp, into: &payload)
  }

  /// Where the payload lies that was sent `back` payloads ago.
  @_noLocks
  private func slot(_ back: Int) -> Int { (sentCount &- back) % levels }

  @_noLocks
  private mutating func keep(_ payload: borrowing ByteView, _ timestamp: RTPTimestamp) {
    let slot = sentCount % levels
    bytes.copy(payload, to: slot &* maximumPayloadByteCount)
    byteCounts[slot] = payload.count
    timestamps[slot] = timestamp.rawValue
    sentCount &+= 1
  }
}
