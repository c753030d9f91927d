/// What waits to be sent: messages that libsoup has, in order, and callers whose message it does not have yet.
///
/// Only sizes and order; the calls into libsoup are the WebSocket's.
struct SendQueue {
  struct Waiter {
    let id: UInt64
    let message: WebSocketMessage
    let done: CheckedContinuation<WebSocketError?, Never>
  }

  /// libsoup's messages that the socket has not taken as a whole, oldest first.
  private var sizes: [Int] = []
  private var firstSize = 0
  private var waiters: [Waiter] = []
  private var nextID: UInt64 = 0
  /// Bytes that libsoup holds.
  private(set) var queued = 0
  /// Bytes of the waiting callers.
  private(set) var waiting = 0

  /// What a message costs beside its payload: frame header and libsoup's own record; a choice.
  static let overhead = 64

  var total: Int { queued + waiting }
  var hasWaiters: Bool { !waiters.isEmpty }

  mutating func makeID() -> UInt64 {
    nextID += 1
    return nextID
  }

  /// Whether a message of that payload may go to libsoup now. One always may when there is none.
  func admits(_ byteCount: Int, limit: Int) -> Bool {
    waiters.isEmpty && (queued == 0 || queued + byteCount + Self.overhead <= limit)
  }

  /// Notes that libsoup gets a message.
  mutating func push(_ byteCount: Int) {
    sizes.append(byteCount + Self.overhead)
    queued += byteCount + Self.overhead
  }

  /// Notes that the socket has taken the oldest message.
  mutating func pop() {
    guard firstSize < sizes.count else { return }
    queued -= sizes[firstSize]
    firstSize += 1
    if firstSize == sizes.count {
      sizes.removeAll(keepingCapacity: true)
      firstSize = 0
    } else if firstSize >= 256 {
      sizes.removeFirst(firstSize)
      firstSize = 0
    }
  }

  mutating func wait(_ waiter: Waiter) {
    waiters.append(waiter)
    waiting += waiter.message.byteCount + Self.overhead
  }

  /// The next caller whose message may go to libsoup now.
  mutating func takeAdmitted(limit: Int) -> Waiter? {
    guard let first = waiters.first else { return nil }
    let size = first.message.byteCount + Self.overhead
    guard queued == 0 || queued + size <= limit else { return nil }
    waiting -= size
    return waiters.removeFirst()
  }

  mutating func take(id: UInt64) -> Waiter? {
    guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
    waiting -= waiters[index].message.byteCount + Self.overhead
    return waiters.remove(at: index)
  }

  mutating func takeAll() -> [Waiter] {
    defer {
      waiters = []
      waiting = 0
    }
    return waiters
  }
}
