/// Memory of a fixed size for the audio path: allocated in `init`, freed in `deinit`, never grown.
///
/// `Array` cannot serve here: a mutation may copy it, and copying counts references. Unsafe pointers stay inside this
/// file; every subscript and range is checked.
/// - Threads: any one at a time.
@frozen
@safe  // `base` is allocated in init, reached only through checked indices, freed once in deinit
public struct FixedBuffer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let readOnlyBase: UnsafePointer<Element>
  /// How many elements there are; never changes.
  public let count: Int

  /// Allocates `count` elements, each set to `value`.
  @inlinable
  public init(repeating value: Element, count: Int) {
    precondition(count >= 0, "FixedBuffer: count \(count) is negative; give 0 or more")
    self.count = count
    // Cache-line alignment keeps vector loads of whole blocks inside one line.
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: Swift.max(1, count) * MemoryLayout<Element>.stride, alignment: 64)
    unsafe base = raw.bindMemory(to: Element.self, capacity: Swift.max(1, count))
    unsafe readOnlyBase = UnsafePointer(base)
    unsafe base.initialize(repeating: value, count: count)
  }

  deinit {
    unsafe UnsafeMutableRawPointer(base).deallocate()
  }

  /// One element; traps outside `0..<count`.
  @inlinable
  public subscript(_ index: Int) -> Element {
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe base[index]
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe base[index] = newValue
    }
  }

  /// The whole buffer, read-only, for callers outside the audio path.
  @inlinable
  public var span: Span<Element> {
    @_lifetime(borrow self) get { unsafe Span(_unsafeStart: readOnlyBase, count: count) }
  }

  /// The whole buffer, writable in place.
  @inlinable
  public var mutableSpan: MutableSpan<Element> {
    @_lifetime(&self) mutating get { unsafe MutableSpan(_unsafeStart: base, count: count) }
  }

  /// A part of the buffer, writable in place; traps when `range` reaches outside.
  @inlinable
  @_lifetime(&self)
  public mutating func mutableSpan(_ range: Range<Int>) -> MutableSpan<Element> {
    unsafe MutableSpan(_unsafeStart: base, count: count)._consumingExtracting(range)
  }

  /// The whole buffer, read-only, for callers on the audio path (see `BufferView`).
  @inlinable
  public var view: BufferView<Element> {
    @_lifetime(borrow self) get { unsafe BufferView(_unsafeStart: readOnlyBase, count: count) }
  }

  /// A part of the buffer, read-only; traps when `range` reaches outside.
  @inlinable
  @_lifetime(borrow self)
  public func view(_ range: Range<Int>) -> BufferView<Element> {
    unsafe BufferView(_unsafeStart: readOnlyBase, count: count).extracting(range)
  }

  /// Sets `count` elements from `start` to `value`.
  @inlinable
  public mutating func fill(_ range: Range<Int>, with value: Element) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    unsafe (base + range.lowerBound).update(repeating: value, count: range.count)
  }

  /// Copies all of `source` to the place that starts at `offset`; traps when it does not fit.
  @inlinable
  public mutating func copy(_ source: borrowing BufferView<Element>, to offset: Int) {
    precondition(offset >= 0 && source.count <= count - offset)
    unsafe (base + offset).copyElements(from: source.pointer, count: source.count)
  }

  /// Copies all of another buffer to the place that starts at `offset`; traps when it does not fit. (A view of one
  /// stored property borrows all of its owner; a buffer can be passed beside another one.)
  @inlinable
  public mutating func copy(_ source: borrowing FixedBuffer, to offset: Int) {
    precondition(offset >= 0 && source.count <= count - offset)
    unsafe (base + offset).copyElements(from: source.readOnlyBase, count: source.count)
  }

  /// Moves the elements of `range` so that the first of them lies at `offset`; the areas may overlap.
  @inlinable
  public mutating func move(_ range: Range<Int>, to offset: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && offset >= 0 && range.count <= count - offset)
    unsafe (base + offset).copyElements(from: base + range.lowerBound, count: range.count)
  }

  /// For a C call in the file of that handle's wrapper; valid while `self` is.
  @unsafe
  @inlinable
  public var mutablePointer: UnsafeMutablePointer<Element> { unsafe base }
}

/// Samples of one channel, floats in -1...1.
public typealias SampleBuffer = FixedBuffer<Float>
/// Bytes of packets.
public typealias ByteBuffer = FixedBuffer<UInt8>
