import Synchronization

/// A wait-free ring of small values from one producer thread to one consumer thread: commands to the audio thread, events
/// from it. Unlike with `LatestValue`, none takes another's place: what does not fit is refused and counted.
///
/// The ends are noncopyable, as those of `SampleRing`.
@frozen
public struct ValueRing<Value: BitwiseCopyable & Sendable>: ~Copyable {
  /// The producer's end.
  public let writer: Writer
  /// The consumer's end.
  public let reader: Reader

  /// Allocates places for at least `minimumCapacity` values (1 to 65,536), rounded up to a power of two.
  public init(minimumCapacity: Int) {
    precondition(
      (1...65_536).contains(minimumCapacity), "ValueRing: capacity \(minimumCapacity) is outside 1 to 65536")
    let capacity = minimumCapacity.roundedUpToPowerOfTwo
    let indices = RingIndices(elementBytes: capacity * MemoryLayout<Value>.stride)
    reader = Reader(indices: indices.other(), capacity: capacity)
    writer = Writer(indices: indices, capacity: capacity)
  }
}

extension ValueRing {
  /// The producer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // places between `read` and `written` belong to the reader, all others to this end
  public struct Writer: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let capacity: Int
    @usableFromInline var written = 0
    /// Values that were refused because the ring was full, since the start.
    public private(set) var overflowCount = 0

    init(indices: consuming RingIndices, capacity: Int) {
      self.indices = indices
      self.capacity = capacity
    }

    /// Writes a value; `false`, and counted, when the ring is full.
    @inlinable
    public mutating func push(_ value: Value) -> Bool {
      // Acquiring pairs with the reader's releasing store: the place is no longer being read.
      let read = unsafe indices.read.pointee.load(ordering: .acquiring)
      guard written &- read < capacity else {
        refuse()
        return false
      }
      let place = (written & (capacity &- 1)) &* MemoryLayout<Value>.stride
      unsafe indices.elements.storeBytes(of: value, toByteOffset: place, as: Value.self)
      written &+= 1
      unsafe indices.written.pointee.store(written, ordering: .releasing)
      return true
    }

    @usableFromInline
    @_noLocks
    mutating func refuse() { overflowCount &+= 1 }
  }

  /// The consumer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // places between `read` and `written` belong to this end, all others to the writer
  public struct Reader: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let capacity: Int
    @usableFromInline var consumed = 0

    init(indices: consuming RingIndices, capacity: Int) {
      self.indices = indices
      self.capacity = capacity
    }

    /// The oldest value, taken out; `nil` when there is none.
    @inlinable
    public mutating func pop() -> Value? {
      // Acquiring pairs with the writer's releasing store: the value is there before the index.
      let written = unsafe indices.written.pointee.load(ordering: .acquiring)
      guard consumed != written else { return nil }
      let place = (consumed & (capacity &- 1)) &* MemoryLayout<Value>.stride
      let value = unsafe indices.elements.loadUnaligned(fromByteOffset: place, as: Value.self)
      consumed &+= 1
      unsafe indices.read.pointee.store(consumed, ordering: .releasing)
      return value
    }
  }
}
