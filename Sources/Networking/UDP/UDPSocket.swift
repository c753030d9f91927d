internal import Glibc
public import RealtimeCore

/// A UDP socket between two fixed addresses, which never waits: for RTP without ICE, as within a data centre.
///
/// - Threads: any one at a time. Only system calls; no allocation after `init`.
@safe  // the descriptor is opened in init and closed once in deinit
public struct UDPSocket: ~Copyable, Sendable {
  /// For `DatagramPoll`.
  let descriptor: Int32

  /// Binds to `port` of `host` and talks to `peerPort` of `peerHost` only: datagrams of others do not arrive.
  /// - Parameters:
  ///   - host: in numbers, IPv4 or IPv6, as `peerHost`.
  ///   - receiveBufferBytes: what may wait unread; the system takes what comes nearest.
  public init(
    host: String, port: UInt16, peerHost: String, peerPort: UInt16, receiveBufferBytes: Int = 1 << 18
  ) throws(UDPError) {
    var own = try Self.address(host, port)
    var peer = try Self.address(peerHost, peerPort)
    let descriptor = socket(Int32(own.ss_family), Int32(SOCK_DGRAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .refused(doing: "opening a socket", code: errno) }
    var size = Int32(clamping: receiveBufferBytes)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe Self.call(&own, { unsafe bind(descriptor, $0, $1) }) == 0 else {
      defer { close(descriptor) }
      throw .refused(doing: "binding \(host) port \(port)", code: errno)
    }
    guard unsafe Self.call(&peer, { unsafe connect(descriptor, $0, $1) }) == 0 else {
      defer { close(descriptor) }
      throw .refused(doing: "connecting to \(peerHost) port \(peerPort)", code: errno)
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a datagram; false when it is lost here, as when the buffer is full or the peer's port is closed.
  @discardableResult
  public borrowing func send(_ datagram: borrowing ByteView) -> Bool {
    unsafe Glibc.send(descriptor, datagram.pointer, datagram.count, Int32(MSG_NOSIGNAL)) == datagram.count
  }

  /// Takes the oldest datagram to the front of `datagram`; what does not fit of it is lost.
  /// - Returns: its size; `nil` when none waits.
  public borrowing func receive(into datagram: inout MutableSpan<UInt8>) -> Int? {
    let room = datagram.count
    while true {
      let count = unsafe recv(descriptor, datagram.mutablePointer, room, 0)
      if count >= 0 { return count }
      // The answer to an earlier datagram: nobody listened there. It says nothing of what waits behind it.
      if errno == ECONNREFUSED || errno == EINTR { continue }
      return nil
    }
  }

  private static func address(_ host: String, _ port: UInt16) throws(UDPError) -> sockaddr_storage {
    var storage = sockaddr_storage()
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &storage) { target in
        unsafe withUnsafeBytes(of: four) { unsafe target.copyMemory(from: $0) }
      }
    } else if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &storage) { target in
        unsafe withUnsafeBytes(of: six) { unsafe target.copyMemory(from: $0) }
      }
    } else {
      throw .invalidAddress(host)
    }
    return storage
  }

  @unsafe
  private static func call(
    _ address: inout sockaddr_storage, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    let isFour = address.ss_family == sa_family_t(AF_INET)
    let size = socklen_t(isFour ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
    }
  }
}
