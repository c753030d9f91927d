/// What is wrong with an RTP packet that was read, or with the room for one to be written.
@frozen
public enum RTPError: Error, Equatable, Sendable, BitwiseCopyable {
  /// Fewer bytes than the 12 of the fixed header: drop it.
  case tooShort(byteCount: Int)
  /// The version is not 2: no RTP, or of another age. Drop it.
  case wrongVersion(UInt8)
  /// The list of contributing sources, or the header extension, would end at `needed`, behind the packet's end.
  case headerOverrun(needed: Int, byteCount: Int)
  /// The last byte claims this much padding, which is 0 or more than there is behind the header.
  case wrongPadding(count: Int, available: Int)
  /// The target has too few bytes: give at least `needed`.
  case noRoom(needed: Int, available: Int)
}
