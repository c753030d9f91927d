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

extension SRTPError: CustomStringConvertible {
  /// One sentence for people. Allocates: not for the audio path.
  public var description: String {
    switch self {
    case .authenticationFailed: "the packet's tag does not match: it was forged or damaged, or the key is another one"
    case .replayed: "the packet came before"
    case .tooOld: "the packet is older than the replay window reaches"
    case .unknownSource(let ssrc): "no packets of SSRC \(ssrc) are expected here"
    case .tooManySources(let limit): "packets of more than \(limit) SSRCs under one key"
    case .malformed(let count): "\(count) bytes that are no RTP or RTCP packet"
    case .noRoom(let needed, let available): "room for \(available) bytes where \(needed) are needed"
    case .keyExpired: "the key has protected as many packets as it may; agree on a new one"
    case .wrongKeyLength(let count, let needed):
      "the key has \(count) bytes where its profile wants \(needed): master key and salt, one behind the other"
    case .keyNotBase64: "the key is not base64; give what stands behind inline: in the SDP's a=crypto line"
    case .keyIdentifierUnsupported: "keys with a master key identifier (|1:4) are not supported; ask for one without"
    case .unavailable(let status):
      "libsrtp does not start, or one of its ciphers fails its self test (status \(status))"
    case .unexpected(let status): "libsrtp reports status \(status)"
    }
  }
}
