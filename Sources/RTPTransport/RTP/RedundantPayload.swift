public import RealtimeCore

// RFC 2198 §3, a payload that carries earlier ones along. Each earlier block has a header of 4 bytes, the newest (primary)
// one of 1 byte and last; then come the blocks in the same order:
//
//   0                   1                   2                   3
//   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |1|  block PT   |      timestamp offset     |   block length    |
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//  |0|  block PT   |  primary: as old as the packet, up to its end
//  +-+-+-+-+-+-+-+-+

/// Where the blocks of a payload with redundant audio (RED) lie; the bytes stay where they are.
@frozen
public struct RedundantPayload: Hashable, Sendable, BitwiseCopyable {
  /// One block.
  @frozen
  public struct Block: Hashable, Sendable, BitwiseCopyable {
    /// What it holds.
    public let payloadType: UInt8
    /// Ticks by which it is older than the packet's timestamp; 0 for the primary block.
    public let timestampOffset: Int
    /// Where its bytes begin and end in the payload.
    public let start, end: Int

    /// Its bytes in the payload; may be none.
    @inlinable public var range: Range<Int> { @_noLocks get { start..<end } }

    @_noLocks
    init(payloadType: UInt8, timestampOffset: Int, range: Range<Int>) {
      self.payloadType = payloadType
      self.timestampOffset = timestampOffset
      start = range.lowerBound
      end = range.upperBound
    }
  }

  /// More earlier blocks than this are taken for garbage: RFC 2198 sets no limit, and nobody sends more than a few.
  @inlinable public static var maximumRedundantCount: Int { @_noLocks get { 32 } }

  /// Earlier blocks, the oldest first; `block(_:in:)` numbers them from 0.
  public let redundantCount: Int
  /// The newest block.
  public let primary: Block

  /// Reads the headers; `nil` when they, or the blocks that they announce, do not fit into `payload`.
  @_noLocks
  public init?(_ payload: borrowing ByteView) {
    var offset = 0
    var count = 0
    var blockBytes = 0
    while offset < payload.count && payload[offset] & 0x80 != 0 {
      guard offset &+ 4 <= payload.count, count < Self.maximumRedundantCount else { return nil }
      blockBytes &+= Int(payload.bigEndian16(at: offset &+ 2)) & 0x3FF
      count &+= 1
      offset &+= 4
    }
    guard offset < payload.count, offset &+ 1 &+ blockBytes <= payload.count else { return nil }
    redundantCount = count
    primary = Block(
      payloadType: payload[offset], timestampOffset: 0, range: offset &+ 1 &+ blockBytes..<payload.count)
  }

  /// Reads the headers; see `init(_:)` for views.
  public init?(_ payload: Span<UInt8>) { self.init(ByteView(payload)) }

  /// Earlier block `index` of the payload that this was read from; `nil` outside `0..<redundantCount`.
  @_noLocks
  public func block(_ index: Int, in payload: borrowing ByteView) -> Block? {
    guard index >= 0 && index < redundantCount, primary.start <= payload.count else { return nil }
    var start = 4 &* redundantCount &+ 1
    for earlier in 0..<index { start &+= Int(payload.bigEndian16(at: 4 &* earlier &+ 2)) & 0x3FF }
    let length = Int(payload.bigEndian16(at: 4 &* index &+ 2)) & 0x3FF
    guard start &+ length <= payload.count else { return nil }
    return Block(
      payloadType: payload[4 &* index] & 0x7F,
      timestampOffset: Int(payload.bigEndian16(at: 4 &* index &+ 1)) >> 2, range: start..<start &+ length)
  }

  /// Earlier block `index`; see `block(_:in:)` for views.
  public func block(_ index: Int, in payload: Span<UInt8>) -> Block? { block(index, in: ByteView(payload)) }
}
