/// Why a packet was not protected or not let in, or a key not taken.
@frozen
public enum SRTPError: Error, Equatable, Sendable, BitwiseCopyable {
  /// The tag does not match: forged, damaged, or made with another key. Drop the packet.
  case authenticationFailed
  /// The packet came before (or, when sending, its sequence number was used before). Drop it.
  case replayed
  /// The packet is older than the replay window reaches, so it cannot be told from a replayed one. Drop it.
  case tooOld
  /// The SSRC is none of those this session was made for. Drop the packet.
  case unknownSource(UInt32)
  /// The packet is of a new SSRC, but `limit` of them were heard already. Drop it.
  case tooManySources(limit: Int)
  /// No RTP or RTCP packet, or cut off. Drop it.
  case malformed(byteCount: Int)
  /// The span has too few bytes behind the packet: give `needed` in all.
  case noRoom(needed: Int, available: Int)
  /// All packet numbers that one key allows are used up: agree on a new key.
  case keyExpired
  /// Key and salt together have `byteCount` bytes, the profile wants `needed`.
  case wrongKeyLength(byteCount: Int, needed: Int)
  /// The text after `inline:` is no base64.
  case keyNotBase64
  /// The key came with a master key identifier: ask the peer for one key without.
  case keyIdentifierUnsupported
  /// libsrtp does not start, or one of the ciphers fails its self test (the number is libsrtp's status).
  case unavailable(status: UInt32)
  /// libsrtp gave a status that none of the above stands for.
  case unexpected(status: UInt32)
}
