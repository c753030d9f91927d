/// A noncopyable value in memory of its own, with one owner: moving the owner moves a pointer, however large the value.
///
/// It also keeps compile times sane: the compiler's ownership check follows every stored leaf of a local noncopyable
/// value, and an engine has thousands.
@frozen
@safe  // `address` is made in init, reached only through the owner, freed once in deinit
public struct UniqueBox<Value: ~Copyable>: ~Copyable {
  @usableFromInline let address: UnsafeMutablePointer<Value>

  /// Moves `value` into new memory.
  @inlinable
  public init(_ value: consuming Value) {
    unsafe address = .allocate(capacity: 1)
    unsafe address.initialize(to: value)
  }

  @inlinable
  deinit {
    unsafe address.deinitialize(count: 1)
    unsafe address.deallocate()
  }

  /// The value, in place.
  @inlinable
  public var value: Value {
    unsafeAddress { unsafe UnsafePointer(address) }
    unsafeMutableAddress { unsafe address }
  }
}

extension UniqueBox: @unchecked Sendable where Value: Sendable & ~Copyable {}
