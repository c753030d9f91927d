import Foundation

/// A UDP port on the loopback interface, for peers in other processes.
public final class LoopbackSocket: Sendable {
  /// A call of the system that failed, with errno.
  public struct Failure: Error { let call: String, number: Int32 }

  private let descriptor: Int32
  /// The port bound to.
  public let port: UInt16

  /// Binds to `port`, or to any free one.
  public init(port: UInt16 = 0) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
    var limit = timeval(tv_sec: 0, tv_usec: 200_000)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = Self.loopback(port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    let failed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(number, generic, length) != 0 || getsockname(number, generic, &length) != 0
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    if failed { throw Failure(call: "bind", number: errno) }
  }

  deinit { close(descriptor) }

  /// The next datagram; `nil` when none comes within 200 ms.
  public func receive() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 2_048)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : Array(bytes[..<count])
  }

  /// The next datagram with the port it came from; `nil` when none comes within `milliseconds`.
  public func receive(within milliseconds: Int) -> (bytes: [UInt8], from: UInt16)? {
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&readable, 1, Int32(milliseconds)) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 2_048)
    var address = Self.loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let number = descriptor
    let count = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe recvfrom(number, &bytes, bytes.count, 0, generic, &length)
      }
    }
    return count < 0 ? nil : (Array(bytes[..<count]), UInt16(bigEndian: address.sin_port))
  }

  /// Sends a datagram to a port of the loopback interface.
  public func send(_ bytes: [UInt8], to port: UInt16) {
    var address = Self.loopback(port)
    let number = descriptor
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        _ = unsafe sendto(number, bytes, bytes.count, 0, generic, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
