/// A read-only window on contiguous elements, for functions on the audio path.
///
/// Why not `Span`: Swift 6.3 counts the end of any local `Span`'s life as a possible deallocation, so a `@_noLocks`
/// function may take a `Span` as parameter but neither make nor slice one. A noncopyable window has no such end. Public
/// calls take `Span`; each has a twin with a `BufferView` for callers that are on the audio path themselves.
/// - Threads: those of the owner it borrows from.
@frozen
@safe  // `start` is valid for `count` elements as long as the owner that the lifetime names
public struct BufferView<Element: BitwiseCopyable & Sendable>: ~Copyable, ~Escapable {
  @usableFromInline let start: UnsafePointer<Element>
  /// How many elements can be read.
  public let count: Int

  /// Looks at the same elements as `span`.
  @inlinable
  @_lifetime(copy span)
  public init(_ span: borrowing Span<Element>) {
    let base = unsafe span.withUnsafeBufferPointer { $0.baseAddress }
    if let base = unsafe base {
      unsafe start = base
    } else {  // an empty span has no address; nothing is ever read through this one
      unsafe start = UnsafePointer(bitPattern: 64)!
    }
    count = span.count
  }

  /// Looks at the same elements as `span`, which cannot change meanwhile. (`inout`, since a read-only look at a
  /// `MutableSpan` makes a local `Span`.)
  @inlinable
  @_lifetime(&span)
  public init(_ span: inout MutableSpan<Element>) {
    unsafe start = UnsafePointer(span.mutablePointer)
    count = span.count
  }

  @inlinable
  @_lifetime(borrow start)
  init(_unsafeStart start: UnsafePointer<Element>, count: Int) {
    unsafe self.start = start
    self.count = count
  }

  @inlinable
  @_lifetime(copy other)
  init(_unsafeStart start: UnsafePointer<Element>, count: Int, copying other: borrowing BufferView) {
    unsafe self.start = start
    self.count = count
  }

  /// One element; traps outside `0..<count`.
  @inlinable
  public subscript(_ index: Int) -> Element {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    return unsafe start[index]
  }

  /// A part of this window; traps when `range` reaches outside.
  @inlinable
  @_lifetime(copy self)
  public func extracting(_ range: Range<Int>) -> BufferView {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return unsafe BufferView(_unsafeStart: start + range.lowerBound, count: range.count, copying: self)
  }

  /// Copies all elements to the front of `target`; traps when it is shorter.
  @inlinable
  public func copy(into target: inout MutableSpan<Element>) {
    let room = target.count
    precondition(count <= room)
    unsafe target.mutablePointer.copyElements(from: start, count: count)
  }

  /// The same elements as a span; not for the audio path, where the compiler refuses a local one.
  @inlinable
  public var span: Span<Element> {
    @_lifetime(copy self)
    get { unsafe _overrideLifetime(Span(_unsafeStart: start, count: count), copying: self) }
  }

  /// For a C call in the file of that handle's wrapper; valid while the owner is.
  @unsafe
  @inlinable
  public var pointer: UnsafePointer<Element> { unsafe start }
}

/// Samples of one channel, floats in -1...1.
public typealias SampleView = BufferView<Float>
/// Bytes of a packet.
public typealias ByteView = BufferView<UInt8>

extension MutableSpan where Element: BitwiseCopyable & Sendable {
  /// For a C call in the file of that handle's wrapper; valid while the span's owner is.
  @unsafe
  @inlinable
  public var mutablePointer: UnsafeMutablePointer<Element> {
    mutating get {
      let base = unsafe withUnsafeMutableBufferPointer { $0.baseAddress }
      if let base = unsafe base { return unsafe base }
      return unsafe UnsafeMutablePointer(bitPattern: 64)!  // empty: never dereferenced
    }
  }

  /// A part of this span, writable in place; traps when `range` reaches outside.
  @inlinable
  @_lifetime(&self)
  public mutating func part(_ range: Range<Int>) -> MutableSpan<Element> {
    _mutatingExtracting(range)
  }
}
