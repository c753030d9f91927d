internal import Glibc
public import RealtimeCore

/// Waits for datagrams at many sockets and for a time, whichever is first.
///
/// - Threads: one at a time.
@safe  // the descriptors are those of sockets that the owner keeps as long as this
public struct DatagramPoll: ~Copyable {
  private var entries: [pollfd] = []

  /// Waits for nothing yet.
  public init() {}

  /// Adds a socket behind those that are there; it must live as long as this.
  public mutating func add(_ socket: borrowing UDPSocket) {
    entries.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
  }

  /// Returns when a socket has a datagram, or `time` has come, or a signal.
  /// - Returns: how many sockets have one; `isReadable` tells which.
  public mutating func wait(until time: MediaInstant) -> Int {
    // Rounded up: half a millisecond late beats a turn of the processor for nothing.
    let left = max(0, time.nanoseconds &- EventLoop.now.nanoseconds &+ 999_999) / 1_000_000
    let count = unsafe entries.withUnsafeMutableBufferPointer { entries in
      unsafe poll(entries.baseAddress, nfds_t(entries.count), Int32(clamping: left))
    }
    return max(0, Int(count))
  }

  /// Whether socket `index`, in the order in which they were added, had a datagram at the last `wait` that found some.
  public func isReadable(_ index: Int) -> Bool { entries[index].revents & Int16(POLLIN | POLLERR) != 0 }
}
