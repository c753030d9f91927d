import Synchronization

/// The part of a ring that both ends see: two indices that run freely, each on a cache line of its own, so that a store
/// by one end does not take away the line that the other end stores to. The last end to go frees it and the elements.
@safe  // the memory is made here and freed by the last of exactly two ends
@usableFromInline
struct RingIndices: ~Copyable, @unchecked Sendable {
  // Two lines apart, since x86 prefetches lines in pairs.
  @usableFromInline static var lineBytes: Int { 128 }

  @usableFromInline let memory: UnsafeMutableRawPointer
  /// Elements ever written; stored by the writer only.
  @usableFromInline let written: UnsafeMutablePointer<Atomic<Int>>
  /// Elements ever read; stored by the reader only.
  @usableFromInline let read: UnsafeMutablePointer<Atomic<Int>>
  private let livingEnds: UnsafeMutablePointer<Atomic<Int>>
  @usableFromInline let elements: UnsafeMutableRawPointer

  init(elementBytes: Int) {
    let line = Self.lineBytes
    unsafe memory = .allocate(byteCount: 3 * line + elementBytes, alignment: line)
    unsafe written = memory.initializeMemory(as: Atomic<Int>.self, to: Atomic(0))
    unsafe read = (memory + line).initializeMemory(as: Atomic<Int>.self, to: Atomic(0))
    unsafe livingEnds = (memory + 2 * line).initializeMemory(as: Atomic<Int>.self, to: Atomic(2))
    unsafe elements = memory + 3 * line
    unsafe elements.initializeMemory(as: UInt8.self, repeating: 0, count: elementBytes)
  }

  /// The view of the other end; call it once.
  func other() -> RingIndices { RingIndices(sharing: self) }

  private init(sharing first: borrowing RingIndices) {
    unsafe memory = first.memory
    unsafe written = first.written
    unsafe read = first.read
    unsafe livingEnds = first.livingEnds
    unsafe elements = first.elements
  }

  deinit {
    // Acquiring and releasing: the end that frees must see all that the other end did with the memory.
    let before = unsafe livingEnds.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
    if before == 1 { unsafe memory.deallocate() }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func initializeMemory<Value: ~Copyable>(
    as type: Value.Type, to value: consuming Value
  ) -> UnsafeMutablePointer<Value> {
    let typed = unsafe bindMemory(to: Value.self, capacity: 1)
    unsafe typed.initialize(to: value)
    return unsafe typed
  }
}
