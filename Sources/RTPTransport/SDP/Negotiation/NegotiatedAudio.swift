/// What both ends have agreed on, seen from this one.
public struct NegotiatedAudio: Hashable, Sendable {
  /// The section's name, where the ends use names.
  public var mid: String?
  /// Whether this end sends and receives now.
  public var direction: MediaDirection
  /// The codec both use, under the number this end writes into its packets.
  public var codec: RTPMap
  /// What the peer wants to get: for Opus, read it by `OpusParameters`.
  public var codecParameters: FormatParameters
  /// Numbers that this end writes into its packets.
  public var sending: PayloadTypes
  /// Numbers that the peer writes into its packets.
  public var receiving: PayloadTypes
  /// Header extensions that both know, under the numbers agreed.
  public var headerExtensions: [HeaderExtension]
  /// RTCP feedback that both know for the codec.
  public var feedback: [String]
  /// Whether RTCP packets may go without a report in front (RFC 5506).
  public var hasReducedSizeRTCP: Bool
  /// Milliseconds of audio that the peer wants in a packet.
  public var packetTime: Double?
  /// Milliseconds of audio that a packet to the peer may have at most.
  public var maximumPacketTime: Double?

  /// Sources that the peer announced; others may come.
  public var remoteSources: [UInt32]
  /// The canonical name of those sources.
  public var remoteCanonicalName: String?
  /// Name and secret of the peer's connectivity checks.
  public var remoteICE: ICECredentials
  /// Whether the peer only answers checks, so that this end must control.
  public var isRemoteICELite: Bool
  /// What ICE the peer knows, such as "trickle".
  public var remoteICEOptions: [String]
  /// Candidates in the description.
  public var remoteCandidates: [ICECandidate]
  /// Whether those are all.
  public var isRemoteEndOfCandidates: Bool
  /// Hashes that the peer's certificate may have: one match is enough (RFC 8122 §5).
  public var remoteFingerprints: [CertificateFingerprint]
  /// Whether this end begins the DTLS handshake.
  public var isDTLSClient: Bool

  /// Whether the peer's ICE has started anew since `earlier` was agreed (RFC 8839 §4.4.1.1.1).
  public func restartsICE(since earlier: NegotiatedAudio) -> Bool { remoteICE != earlier.remoteICE }

  /// Whether DTLS must start anew: the peer has another certificate, or the parts have changed (RFC 8842 §4).
  public func restartsDTLS(since earlier: NegotiatedAudio) -> Bool {
    remoteFingerprints != earlier.remoteFingerprints || isDTLSClient != earlier.isDTLSClient
  }

  /// The number of the extension with this URI; `nil` when it was not agreed on.
  public func headerExtensionID(_ uri: String) -> Int? { headerExtensions.first { $0.uri == uri }?.id }
}
