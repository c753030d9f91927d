public import RTPTransport

/// What a transport may do, and its bounds.
public struct PeerTransportSettings: Sendable {
  /// How a path to the peer is found.
  public var ice = ICESettings()
  /// SRTP profiles in order of preference.
  public var profiles: [SRTPProfile] = [.aes128GCM, .aes128CounterModeSHA1x80]
  /// Seconds that the DTLS handshake may take, above 0.
  public var handshakeTimeout = 15.0
  /// Seconds that `close()` waits for TURN servers to take their addresses back.
  public var closeTimeout = 2.0
  /// Bytes of the longest datagram sent or received; longer ones are dropped and counted. An Ethernet frame carries 1,500.
  public var maximumDatagramByteCount = 2_048

  /// As a call over the internet needs it, without servers.
  public init() {}
}

/// What a description says of one end's transport: for this end's offer or answer, or from the peer's.
public struct PeerTransportParameters: Hashable, Sendable {
  /// `a=ice-ufrag` and `a=ice-pwd`.
  public var ice: ICECredentials
  /// `a=fingerprint`, one or more: of certificates that the end may show.
  public var fingerprints: [CertificateFingerprint]
  /// `a=ice-lite`: the end only answers checks.
  public var isLite: Bool

  /// As a description says.
  public init(ice: ICECredentials, fingerprints: [CertificateFingerprint], isLite: Bool = false) {
    self.ice = ice
    self.fingerprints = fingerprints
    self.isLite = isLite
  }
}
