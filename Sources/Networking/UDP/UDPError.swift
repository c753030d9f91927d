internal import Glibc

/// Why a UDP socket cannot be had.
public enum UDPError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Not an IPv4 or IPv6 address in numbers.
  case invalidAddress(String)
  /// The system refuses; its error number.
  case refused(doing: String, code: Int32)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .invalidAddress(let text): "\"\(text)\" is no address in numbers, such as 127.0.0.1 or ::1"
    case .refused(let doing, let code): "\(doing): \(unsafe String(cString: strerror(code)))"
    }
  }
}
