import Synchronization

/// A wait-free ring of packets, each with the time of its arrival, from one producer thread to one consumer thread.
///
/// Every packet has a slot of its own, so a packet always lies in one piece and neither end copies it: the socket
/// receives into the slot, the engine reads from it. The ends are noncopyable, as those of `SampleRing`.
@frozen
public struct PacketRing: ~Copyable {
  /// The producer's end.
  public let writer: Writer
  /// The consumer's end.
  public let reader: Reader

  /// Allocates slots for at least `packetCapacity` packets (1 to 65,536), rounded up to a power of two, each of up to
  /// `maximumPacketSize` bytes (1 to 65,535; 1,500 holds any packet that an Ethernet path carries whole).
  public init(packetCapacity: Int, maximumPacketSize: Int = 1_500) {
    precondition((1...65_536).contains(packetCapacity), "PacketRing: capacity \(packetCapacity) is outside 1 to 65536")
    precondition(
      (1...65_535).contains(maximumPacketSize), "PacketRing: packet size \(maximumPacketSize) is outside 1 to 65535")
    let slots = Slots(capacity: packetCapacity.roundedUpToPowerOfTwo, maximumPacketSize: maximumPacketSize)
    let indices = RingIndices(elementBytes: slots.byteCount)
    reader = Reader(indices: indices.other(), slots: slots)
    writer = Writer(indices: indices, slots: slots)
  }

  @usableFromInline
  struct SlotHeader: BitwiseCopyable {
    @usableFromInline var byteCount: Int
    @usableFromInline var arrival: MediaInstant

    @inlinable
    init(byteCount: Int, arrival: MediaInstant) {
      self.byteCount = byteCount
      self.arrival = arrival
    }
  }

  /// The headers of all slots, then their bytes; each slot's bytes begin on a cache line.
  @usableFromInline
  struct Slots {
    @usableFromInline let capacity: Int
    @usableFromInline let maximumPacketSize: Int
    @usableFromInline let stride: Int

    init(capacity: Int, maximumPacketSize: Int) {
      self.capacity = capacity
      self.maximumPacketSize = maximumPacketSize
      stride = (maximumPacketSize + 63) & ~63
    }

    private var headerBytes: Int { (capacity * MemoryLayout<SlotHeader>.stride + 63) & ~63 }
    var byteCount: Int { headerBytes + capacity * stride }

    @unsafe
    func headers(in memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<SlotHeader> {
      unsafe memory.bindMemory(to: SlotHeader.self, capacity: capacity)
    }

    @unsafe
    func bytes(in memory: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
      unsafe (memory + headerBytes).bindMemory(to: UInt8.self, capacity: capacity * stride)
    }
  }
}

extension PacketRing {
  /// The producer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // slots between `read` and `written` belong to the reader, all others to this end
  public struct Writer: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let slots: Slots
    @usableFromInline let headers: UnsafeMutablePointer<SlotHeader>
    @usableFromInline let bytes: UnsafeMutablePointer<UInt8>
    @usableFromInline var written = 0
    @usableFromInline var readAsSeen = 0
    /// Packets refused because the ring was full, since the start.
    @inlinable public var overflowCount: Int { refusedPackets }
    @usableFromInline var refusedPackets = 0
    /// Packets refused because they were longer than a slot, since the start.
    @inlinable public var oversizedCount: Int { oversizedPackets }
    @usableFromInline var oversizedPackets = 0

    init(indices: consuming RingIndices, slots: Slots) {
      unsafe headers = slots.headers(in: indices.elements)
      unsafe bytes = slots.bytes(in: indices.elements)
      self.indices = indices
      self.slots = slots
    }

    /// What became of a packet.
    @frozen
    public enum Outcome: Sendable, BitwiseCopyable {
      case written, full, oversized

      /// Whether both are the same (written out, since the audio-path checker cannot see into the derived one).
      @inlinable
      public static func == (left: Outcome, right: Outcome) -> Bool {
        switch (left, right) {
        case (.written, .written), (.full, .full), (.oversized, .oversized): true
        default: false
        }
      }
    }

    /// Copies a packet into the ring; refusals are counted.
    @inlinable
    public mutating func write(_ packet: borrowing ByteView, at arrival: MediaInstant) -> Outcome {
      let byteCount = packet.count
      guard byteCount <= slots.maximumPacketSize else {
        oversizedPackets &+= 1
        return .oversized
      }
      guard hasFreeSlot() else {
        refusedPackets &+= 1
        return .full
      }
      unsafe (bytes + offset).copyElements(from: packet.pointer, count: byteCount)
      commit(byteCount, at: arrival)
      return .written
    }

    /// Copies a packet into the ring; see `write(_:at:)` for views.
    @inlinable
    public mutating func write(_ packet: Span<UInt8>, at arrival: MediaInstant) -> Outcome {
      write(ByteView(packet), at: arrival)
    }

    /// The next slot's room for a packet, to be filled in place and then handed on with `commit(_:at:)`. Empty, and
    /// counted as overflow, when the ring is full.
    @inlinable
    @_lifetime(&self)
    public mutating func freeSlot() -> MutableSpan<UInt8> {
      let free = hasFreeSlot()
      if !free { refusedPackets &+= 1 }
      let start = offset
      return unsafe MutableSpan(_unsafeStart: bytes, count: slots.capacity &* slots.stride)
        ._consumingExtracting(start..<start &+ (free ? slots.maximumPacketSize : 0))
    }

    /// Hands the first `byteCount` bytes of `freeSlot` to the reader as one packet; traps when that slot was not free.
    @inlinable
    public mutating func commit(_ byteCount: Int, at arrival: MediaInstant) {
      precondition(byteCount >= 0 && byteCount <= slots.maximumPacketSize && written &- readAsSeen < slots.capacity)
      unsafe headers[written & (slots.capacity &- 1)] = SlotHeader(byteCount: byteCount, arrival: arrival)
      written &+= 1
      // Releasing pairs with the reader's acquiring load: it sees the packet before the index.
      unsafe indices.written.pointee.store(written, ordering: .releasing)
    }

    @inlinable
    mutating func hasFreeSlot() -> Bool {
      if written &- readAsSeen < slots.capacity { return true }
      // Acquiring pairs with the reader's releasing store: the slot is free only after it was read.
      unsafe readAsSeen = indices.read.pointee.load(ordering: .acquiring)
      return written &- readAsSeen < slots.capacity
    }

    @inlinable var offset: Int { (written & (slots.capacity &- 1)) &* slots.stride }
  }

  /// The consumer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // slots between `read` and `written` belong to this end, all others to the writer
  public struct Reader: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let slots: Slots
    @usableFromInline let headers: UnsafeMutablePointer<SlotHeader>
    @usableFromInline let bytes: UnsafePointer<UInt8>
    @usableFromInline var consumed = 0
    @usableFromInline var writtenAsSeen = 0

    init(indices: consuming RingIndices, slots: Slots) {
      unsafe headers = slots.headers(in: indices.elements)
      unsafe bytes = UnsafePointer(slots.bytes(in: indices.elements))
      self.indices = indices
      self.slots = slots
    }

    /// Packets that can be read now.
    @inlinable
    public var availableCount: Int {
      mutating get {
        // Acquiring pairs with the writer's releasing store: the packets are there before the index.
        unsafe writtenAsSeen = indices.written.pointee.load(ordering: .acquiring)
        return writtenAsSeen &- consumed
      }
    }

    /// When the oldest packet came; `nil` when there is none. Read it, use `front`, then call `removeFront()`.
    @inlinable
    public mutating func frontArrival() -> MediaInstant? {
      guard hasFront() else { return nil }
      return unsafe headers[consumed & (slots.capacity &- 1)].arrival
    }

    /// The oldest packet, in place; empty when there is none (see `frontArrival()` to tell that from a packet of 0 bytes).
    @inlinable
    @_lifetime(&self)
    public mutating func front() -> ByteView {
      let index = consumed & (slots.capacity &- 1)
      let byteCount = hasFront() ? unsafe headers[index].byteCount : 0
      let start = index &* slots.stride
      return unsafe ByteView(_unsafeStart: bytes, count: slots.capacity &* slots.stride)
        .extracting(start..<start &+ byteCount)
    }

    /// Gives the oldest packet's slot back to the writer; nothing happens when there is none.
    @inlinable
    public mutating func removeFront() {
      guard hasFront() else { return }
      consumed &+= 1
      // Releasing pairs with the writer's acquiring load: the slot is free only after it was read.
      unsafe indices.read.pointee.store(consumed, ordering: .releasing)
    }

    @inlinable
    mutating func hasFront() -> Bool {
      if consumed != writtenAsSeen { return true }
      unsafe writtenAsSeen = indices.written.pointee.load(ordering: .acquiring)
      return consumed != writtenAsSeen
    }
  }
}
