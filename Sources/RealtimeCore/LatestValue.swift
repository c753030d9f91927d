import Synchronization

/// Hands the newest value from one thread to another without waiting: settings to the audio thread, levels and
/// statistics away from it. Older values that were not looked at are lost, by design.
///
/// Three places: one the publisher fills, one the observer looks at, and the newest finished one between them, which the
/// two swap for their own (a triple buffer). The ends are noncopyable, so each belongs to one thread.
@frozen
public struct LatestValue<Value: BitwiseCopyable & Sendable>: ~Copyable {
  /// The end that sets values.
  public let publisher: Publisher
  /// The end that looks at the newest one.
  public let observer: Observer

  /// A cell that holds `value` until another is published.
  public init(_ value: Value) {
    let cell = TripleBuffer(value)
    observer = Observer(cell: cell.other())
    publisher = Publisher(cell: cell)
  }

  /// - Threads: one at a time. Never waits, never allocates.
  public struct Publisher: ~Copyable, Sendable {
    @usableFromInline let cell: TripleBuffer<Value>
    @usableFromInline var mine = 0

    init(cell: consuming TripleBuffer<Value>) { self.cell = cell }

    /// Makes `value` the newest one.
    @inlinable
    public mutating func publish(_ value: Value) {
      unsafe cell.slot(mine).pointee = value
      // Releasing hands our slot's contents over with the swap; acquiring takes over a slot the observer is done with.
      mine = cell.exchange(mine | TripleBuffer<Value>.fresh) & TripleBuffer<Value>.slotMask
    }
  }

  /// - Threads: one at a time. Never waits, never allocates.
  public struct Observer: ~Copyable, Sendable {
    @usableFromInline let cell: TripleBuffer<Value>
    @usableFromInline var mine = 2

    init(cell: consuming TripleBuffer<Value>) { self.cell = cell }

    /// The newest value that was published, or the initial one.
    @inlinable
    public mutating func latest() -> Value {
      if cell.isFresh { mine = cell.exchange(mine) & TripleBuffer<Value>.slotMask }
      return unsafe cell.slot(mine).pointee
    }

    /// The newest value if it was published since the last look; else `nil`.
    @inlinable
    public mutating func latestIfChanged() -> Value? {
      guard cell.isFresh else { return nil }
      mine = cell.exchange(mine) & TripleBuffer<Value>.slotMask
      return unsafe cell.slot(mine).pointee
    }
  }
}

/// Three slots and the number of the one between the ends. Each end holds one slot's number; a swap is the only access
/// to the shared number, so no slot is ever held by both.
@safe  // slots are reached only by their holder; the last of two ends frees them
@usableFromInline
struct TripleBuffer<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
  @inlinable static var fresh: Int { 4 }
  @inlinable static var slotMask: Int { 3 }

  @usableFromInline let middle: UnsafeMutablePointer<Atomic<Int>>
  private let livingEnds: UnsafeMutablePointer<Atomic<Int>>
  @usableFromInline let slots: UnsafeMutableRawPointer
  @usableFromInline let slotBytes: Int

  init(_ value: Value) {
    unsafe middle = .allocate(capacity: 1)
    unsafe middle.initialize(to: Atomic(1))
    unsafe livingEnds = .allocate(capacity: 1)
    unsafe livingEnds.initialize(to: Atomic(2))
    // A slot is a number of whole line pairs, so that the ends never store to the same line.
    slotBytes = (MemoryLayout<Value>.stride + 127) & ~127
    unsafe slots = .allocate(byteCount: 3 * slotBytes, alignment: 128)
    for index in 0..<3 { unsafe slot(index).initialize(to: value) }
  }

  /// The view of the other end; call it once.
  func other() -> TripleBuffer { TripleBuffer(sharing: self) }

  private init(sharing first: borrowing TripleBuffer) {
    unsafe middle = first.middle
    unsafe livingEnds = first.livingEnds
    unsafe slots = first.slots
    slotBytes = first.slotBytes
  }

  deinit {
    let before = unsafe livingEnds.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
    guard before == 1 else { return }
    unsafe middle.deinitialize(count: 1).deallocate()
    unsafe livingEnds.deinitialize(count: 1).deallocate()
    unsafe slots.deallocate()
  }

  @unsafe
  @inlinable
  func slot(_ index: Int) -> UnsafeMutablePointer<Value> {
    unsafe (slots + index &* slotBytes).assumingMemoryBound(to: Value.self)
  }

  @inlinable
  func exchange(_ number: Int) -> Int { unsafe middle.pointee.exchange(number, ordering: .acquiringAndReleasing) }

  @inlinable
  var isFresh: Bool { unsafe middle.pointee.load(ordering: .relaxed) & Self.fresh != 0 }
}
