public import RTPTransport

/// Why a DTLS connection does not come about, or ended.
public enum DTLSError: Error, Equatable, Sendable, CustomStringConvertible {
  /// OpenSSL gives no memory, or lacks an algorithm that is needed. Its own words follow.
  case unavailable(String)
  /// The peer's certificate is none of those that its description named: somebody stands between. End the call.
  case fingerprintMismatch(expected: [CertificateFingerprint], found: CertificateFingerprint?)
  /// The peer knows none of the SRTP profiles offered, or does not speak DTLS-SRTP at all.
  case noCommonProfile
  /// The handshake was not done within this many seconds.
  case timedOut(seconds: Double)
  /// The peer sent a fatal alert; its name follows.
  case refusedByPeer(String)
  /// The handshake failed; OpenSSL's own words follow.
  case handshakeFailed(String)
  /// The peer has closed the connection.
  case closedByPeer

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .unavailable(let words): "OpenSSL cannot do DTLS here (\(words)); check the installed version, 3.0 or later"
    case .fingerprintMismatch(let expected, let found):
      "the peer's certificate has \(found?.text ?? "no fingerprint") but was announced as "
        + "\(expected.map(\.text).joined(separator: " or ")); check that the signalling is of the same peer"
    case .noCommonProfile: "the peer has no SRTP profile in common; let it offer AES128_CM_SHA1_80"
    case .timedOut(let seconds):
      "the DTLS handshake was not done after \(seconds) s; check that packets arrive in both directions"
    case .refusedByPeer(let alert): "the peer refused the DTLS handshake: \(alert)"
    case .handshakeFailed(let words): "the DTLS handshake failed: \(words)"
    case .closedByPeer: "the peer has closed the DTLS connection"
    }
  }
}
