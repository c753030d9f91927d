import RealtimeCore

/// One packet that waits for its turn.
struct StoredPacket: BitwiseCopyable, Sendable {
  /// Unwrapped sequence number.
  var sequence: Int64 = 0
  /// Unwrapped timestamp of the first sample, in ticks of the media clock.
  var timestamp: Int64 = 0
  /// How long it plays, in ticks.
  var duration: Int64 = 0
  var arrival = MediaInstant(nanoseconds: 0)
  var byteCount = 0
  /// Place of its decoder among those of the buffer.
  var format: UInt8 = 0
  /// Whether it carries a low-rate copy of the packet before it (in-band FEC).
  var hasRedundancy = false
  /// Whether it is a copy that another packet carried along (RED), with a guessed sequence number.
  var isCopy = false
  /// Whether it describes the noise of a pause (RFC 3389) instead of holding sound.
  var isNoise = false

  @_noLocks
  init() {}

  /// The timestamp right behind its last sample.
  var end: Int64 { @_noLocks get { timestamp &+ duration } }
}

/// Packets in the order of their timestamps, in a fixed number of slots of a fixed size.
///
/// The order is a short list of slot numbers, so that an insertion moves two bytes per packet and never a payload.
struct PacketStore: ~Copyable {
  private(set) var count = 0
  let capacity: Int
  let slotSize: Int
  private var packets: FixedBuffer<StoredPacket>
  private var bytes: ByteBuffer
  /// Slot numbers: `0..<count` in the order of timestamps, the free ones behind.
  private var order: FixedBuffer<UInt16>

  enum Outcome { case inserted, insertedInPlaceOfOldest, insertedInPlaceOfCopy, duplicate }

  init(capacity: Int, slotSize: Int) {
    self.capacity = capacity
    self.slotSize = slotSize
    packets = FixedBuffer(repeating: StoredPacket(), count: capacity)
    bytes = ByteBuffer(repeating: 0, count: capacity * slotSize)
    order = FixedBuffer(repeating: 0, count: capacity)
    for slot in 0..<capacity { order[slot] = UInt16(slot) }
  }

  /// The packet at `position` in the order of timestamps; traps outside `0..<count`.
  subscript(_ position: Int) -> StoredPacket {
    @_noLocks get {
      precondition(position < count)
      return packets[Int(order[position])]
    }
  }

  /// The payload of the packet at `position`.
  @_noLocks
  @_lifetime(borrow self)
  func payload(_ position: Int) -> ByteView {
    let slot = Int(order[position])
    let first = slot &* slotSize
    return bytes.view(first..<first &+ packets[slot].byteCount)
  }

  /// Puts `packet` in its place. When all slots are taken, the oldest packet gives way.
  /// - Parameter payload: at most `slotSize` bytes, checked by the caller.
  @_noLocks
  mutating func insert(_ packet: StoredPacket, payload: borrowing ByteView) -> Outcome {
    // Most packets are the newest, so the place is searched from the end.
    var place = count
    while place > 0 {
      let other = packets[Int(order[place &- 1])]
      if other.timestamp == packet.timestamp && other.isCopy && !packet.isCopy {
        write(packet, payload: payload, in: order[place &- 1])
        return .insertedInPlaceOfCopy
      }
      let sameNumber = other.sequence == packet.sequence && !other.isCopy && !packet.isCopy
      if other.timestamp == packet.timestamp || sameNumber { return .duplicate }
      if other.timestamp < packet.timestamp { break }
      place &-= 1
    }
    var outcome = Outcome.inserted
    if count == capacity {
      removeFirst(1)
      place = max(0, place &- 1)
      outcome = .insertedInPlaceOfOldest
    }
    let slot = order[count]
    if place < count { order.move(place..<count, to: place &+ 1) }
    order[place] = slot
    write(packet, payload: payload, in: slot)
    count &+= 1
    return outcome
  }

  @_noLocks
  private mutating func write(_ packet: StoredPacket, payload: borrowing ByteView, in slot: UInt16) {
    packets[Int(slot)] = packet
    packets[Int(slot)].byteCount = payload.count
    bytes.copy(payload, to: Int(slot) &* slotSize)
  }

  /// Forgets the `removed` oldest packets; their slots become free.
  @_noLocks
  mutating func removeFirst(_ removed: Int) {
    precondition(removed <= count)
    for _ in 0..<removed {
      let slot = order[0]
      order.move(1..<count, to: 0)
      count &-= 1
      order[count] = slot
    }
  }

  /// Forgets all packets.
  @_noLocks
  mutating func removeAll() { count = 0 }

  /// The position of the first packet that ends behind `timestamp`; `count` when there is none.
  @_noLocks
  func firstPosition(endingAfter timestamp: Int64) -> Int {
    var position = 0
    while position < count && self[position].end <= timestamp { position &+= 1 }
    return position
  }
}
