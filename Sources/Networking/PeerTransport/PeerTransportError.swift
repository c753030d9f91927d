/// Why a transport does not do what it was told, or has failed.
public enum PeerTransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No path to the peer. A restart of ICE may help.
  case ice(ICEError)
  /// No secured connection over the path, or it has ended: `.dtls(.closedByPeer)` when the peer has closed. Final.
  case dtls(DTLSError)
  /// The peer's description names no certificate.
  case noFingerprint
  /// The peer's description names other certificates than before.
  case fingerprintsChanged
  /// The transport is closed.
  case closed

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .ice(let error): error.description
    case .dtls(let error): error.description
    case .noFingerprint:
      "the peer's description has no a=fingerprint with SHA-256 or better, so that nobody could be trusted; refuse it"
    case .fingerprintsChanged:
      "the peer's description has other fingerprints than before; make a new transport, since DTLS begins anew"
    case .closed: "the transport is closed; make a new one"
    }
  }
}
