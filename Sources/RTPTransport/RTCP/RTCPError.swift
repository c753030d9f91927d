/// What is wrong with a datagram of control packets that was read, or with the room for one to be written.
@frozen
public enum RTCPError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Fewer bytes than the smallest packet has, or a rest that is none: drop the datagram.
  case tooShort(byteCount: Int)
  /// The version is not 2. Drop it.
  case wrongVersion(UInt8)
  /// The type is outside 192 to 223, so this is no control packet (RFC 5761 §4). Drop it.
  case wrongType(UInt8)
  /// A packet says that it ends at `needed`, behind the datagram's end. Drop it.
  case lengthOverrun(needed: Int, byteCount: Int)
  /// The last byte claims padding that is no multiple of 4, or more than there is; or padding stands before the end.
  case wrongPadding(count: Int, available: Int)
  /// The datagram does not begin with a report, and reduced size was not agreed on (RFC 3550 §6.1, RFC 5506).
  case noReportInFront(type: UInt8)
  /// The target has too few bytes: give at least `needed`.
  case noRoom(needed: Int, available: Int)
}
