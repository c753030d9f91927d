internal import Foundation

/// Carries a noncopyable value to the thread that will own it.
public final class Carrier<Value: ~Copyable & Sendable>: @unchecked Sendable {
  private var value: Value?

  /// Takes the value over.
  public init(_ value: consuming Value) { self.value = consume value }

  /// The value; call it once, on the thread that keeps it.
  public func take() -> Value { value.take()! }
}

/// A thread that runs one function; `join()` waits for it and gives its answer.
public final class RunningThread: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var answer = false

  /// Starts at once.
  public init(_ work: @escaping @Sendable () -> Bool) {
    Thread { [self] in
      answer = work()
      done.signal()
    }.start()
  }

  /// Waits for the thread to end, and gives its answer.
  public func join() -> Bool {
    done.wait()
    return answer
  }
}
