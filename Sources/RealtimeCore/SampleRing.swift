import Synchronization

/// A wait-free ring of samples from one producer thread to one consumer thread, of fixed capacity.
///
/// The two ends are separate noncopyable values, so a second producer or consumer does not compile. Take them apart
/// once and move each to its thread:
/// ```swift
/// let ring = SampleRing(minimumCapacity: 4_800)
/// let writer = ring.writer, reader = ring.reader
/// ```
/// Each end remembers the other's index as last seen and looks again only when that does not suffice; thus most calls
/// touch no cache line that the other core writes (the idea: Rigtorp's SPSCQueue, and Lamport 1977 for the indices).
@frozen
public struct SampleRing: ~Copyable {
  /// The producer's end.
  public let writer: Writer
  /// The consumer's end.
  public let reader: Reader

  /// Allocates a ring for at least `minimumCapacity` samples (1 to 2³⁰), rounded up to a power of two.
  public init(minimumCapacity: Int) {
    precondition(
      (1...(1 << 30)).contains(minimumCapacity), "SampleRing: capacity \(minimumCapacity) is outside 1 to 2^30")
    let capacity = minimumCapacity.roundedUpToPowerOfTwo
    let indices = RingIndices(elementBytes: capacity * MemoryLayout<Float>.stride)
    reader = Reader(indices: indices.other(), capacity: capacity)
    writer = Writer(indices: indices, capacity: capacity)
  }
}

extension SampleRing {
  /// The producer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // elements between `read` and `written` belong to the reader, all others to this end
  public struct Writer: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let elements: UnsafeMutablePointer<Float>
    /// Samples that fit.
    public let capacity: Int
    @usableFromInline var written = 0
    @usableFromInline var readAsSeen = 0
    /// Samples that were offered and refused because the ring was full, since the start.
    @inlinable public var overflowCount: Int { refusedSamples }
    @usableFromInline var refusedSamples = 0

    init(indices: consuming RingIndices, capacity: Int) {
      unsafe elements = indices.elements.bindMemory(to: Float.self, capacity: capacity)
      self.indices = indices
      self.capacity = capacity
    }

    /// Samples that can be written now; the reader can only make it grow.
    @inlinable
    public var freeCount: Int {
      mutating get {
        // Acquiring pairs with the reader's releasing store: what it has given back is no longer being read.
        unsafe readAsSeen = indices.read.pointee.load(ordering: .acquiring)
        return capacity &- (written &- readAsSeen)
      }
    }

    /// Writes one sample; `false`, and counted, when the ring is full.
    @inlinable
    public mutating func push(_ sample: Float) -> Bool {
      if written &- readAsSeen == capacity {
        unsafe readAsSeen = indices.read.pointee.load(ordering: .acquiring)
        if written &- readAsSeen == capacity {
          refusedSamples &+= 1
          return false
        }
      }
      unsafe elements[written & (capacity &- 1)] = sample
      written &+= 1
      // Releasing pairs with the reader's acquiring load: it sees the sample before the index.
      unsafe indices.written.pointee.store(written, ordering: .releasing)
      return true
    }

    /// Writes as many of `samples` as fit, in order, and counts the rest as overflow. Returns how many were written.
    @inlinable
    public mutating func write(_ samples: borrowing SampleView) -> Int {
      var free = capacity &- (written &- readAsSeen)
      if free < samples.count { free = freeCount }
      let count = Swift.min(free, samples.count)
      refusedSamples &+= samples.count &- count
      // Storing an unchanged index would only take its cache line away from the reader, who may be spinning on it.
      if count == 0 { return 0 }
      let position = written & (capacity &- 1)
      let first = Swift.min(count, capacity &- position)
      unsafe (elements + position).copyElements(from: samples.pointer, count: first)
      if first < count { unsafe elements.copyElements(from: samples.pointer + first, count: count &- first) }
      written &+= count
      unsafe indices.written.pointee.store(written, ordering: .releasing)
      return count
    }

    /// Writes as many of `samples` as fit; see `write(_:)` for views.
    @inlinable
    public mutating func write(_ samples: Span<Float>) -> Int { write(SampleView(samples)) }

    /// The longest free stretch that lies in one piece, up to `limit` samples, to be filled in place and then handed on
    /// with `commit(_:)`. Empty when the ring is full; short at the wrap, where a second call gives the rest.
    @inlinable
    @_lifetime(&self)
    public mutating func freeSpan(atMost limit: Int = .max) -> MutableSpan<Float> {
      let free = freeCount
      let position = written & (capacity &- 1)
      let count = Swift.max(0, Swift.min(limit, Swift.min(free, capacity &- position)))
      return unsafe MutableSpan(_unsafeStart: elements, count: capacity)._consumingExtracting(
        position..<position &+ count)
    }

    /// Hands the first `count` samples of `freeSpan` to the reader; traps when more are handed on than were free.
    @inlinable
    public mutating func commit(_ count: Int) {
      precondition(count >= 0 && count <= capacity &- (written &- readAsSeen))
      written &+= count
      unsafe indices.written.pointee.store(written, ordering: .releasing)
    }
  }

  /// The consumer's end. - Threads: one at a time. Never waits, never allocates.
  @safe  // elements between `read` and `written` belong to this end, all others to the writer
  public struct Reader: ~Copyable, @unchecked Sendable {
    @usableFromInline let indices: RingIndices
    @usableFromInline let elements: UnsafeMutablePointer<Float>
    @usableFromInline let readableElements: UnsafePointer<Float>
    /// Samples that fit.
    public let capacity: Int
    @usableFromInline var consumed = 0
    @usableFromInline var writtenAsSeen = 0
    /// Samples that were asked for and were not there, since the start.
    @inlinable public var underrunCount: Int { missingSamples }
    @usableFromInline var missingSamples = 0

    init(indices: consuming RingIndices, capacity: Int) {
      unsafe elements = indices.elements.bindMemory(to: Float.self, capacity: capacity)
      unsafe readableElements = UnsafePointer(elements)
      self.indices = indices
      self.capacity = capacity
    }

    /// Samples that can be read now; the writer can only make it grow.
    @inlinable
    public var availableCount: Int {
      mutating get {
        // Acquiring pairs with the writer's releasing store: the samples are there before the index.
        unsafe writtenAsSeen = indices.written.pointee.load(ordering: .acquiring)
        return writtenAsSeen &- consumed
      }
    }

    /// The oldest sample, taken out; `nil`, not counted, when there is none.
    @inlinable
    public mutating func pop() -> Float? {
      if consumed == writtenAsSeen {
        unsafe writtenAsSeen = indices.written.pointee.load(ordering: .acquiring)
        if consumed == writtenAsSeen { return nil }
      }
      let sample = unsafe elements[consumed & (capacity &- 1)]
      consumed &+= 1
      // Releasing pairs with the writer's acquiring load: the place is free only after it was read.
      unsafe indices.read.pointee.store(consumed, ordering: .releasing)
      return sample
    }

    /// Fills `target` from its front with the oldest samples, leaves the rest of it as it is and counts that as
    /// underrun. Returns how many samples were read.
    @inlinable
    public mutating func read(into target: inout MutableSpan<Float>) -> Int {
      let wanted = target.count
      var available = writtenAsSeen &- consumed
      if available < wanted { available = availableCount }
      let count = Swift.min(available, wanted)
      missingSamples &+= wanted &- count
      if count == 0 { return 0 }  // as in the writer: no store, no traffic between the cores
      let position = consumed & (capacity &- 1)
      let first = Swift.min(count, capacity &- position)
      unsafe target.mutablePointer.copyElements(from: elements + position, count: first)
      if first < count { unsafe (target.mutablePointer + first).copyElements(from: elements, count: count &- first) }
      consumed &+= count
      unsafe indices.read.pointee.store(consumed, ordering: .releasing)
      return count
    }

    /// The oldest samples that lie in one piece, up to `limit`, to be used in place and then given back with
    /// `consume(_:)`. Empty when there are none; short at the wrap, where a second call gives the rest.
    @inlinable
    @_lifetime(&self)
    public mutating func availableView(atMost limit: Int = .max) -> SampleView {
      let available = availableCount
      let position = consumed & (capacity &- 1)
      let count = Swift.max(0, Swift.min(limit, Swift.min(available, capacity &- position)))
      return unsafe SampleView(_unsafeStart: readableElements, count: capacity)
        .extracting(position..<position &+ count)
    }

    /// Gives the oldest `count` samples back to the writer; traps when there are fewer.
    @inlinable
    public mutating func consume(_ count: Int) {
      precondition(count >= 0 && count <= writtenAsSeen &- consumed)
      consumed &+= count
      unsafe indices.read.pointee.store(consumed, ordering: .releasing)
    }
  }
}

extension Int {
  /// The least power of two that is not below this number, which is at least 1 and at most 2⁶².
  var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
