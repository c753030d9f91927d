/// What this end says of itself in an offer or an answer. Random values are the caller's to make.
public struct LocalAudio: Hashable, Sendable {
  /// Formats in order of preference. In an answer the offerer's order and numbers count.
  public var codecs: [SDPCodec]
  /// URIs of the header extensions that are understood.
  public var headerExtensions: [String]
  /// Whether this end wants to send and to receive. Hold is `sendOnly` (it hears music) or `inactive`.
  public var direction: MediaDirection
  /// The source of this end's packets.
  public var ssrc: UInt32
  /// The source's canonical name: random, the same for the whole call (RFC 7022).
  public var canonicalName: String
  /// Stream and track, two identifiers behind each other; "-" for no stream (RFC 8830).
  public var mediaStream: String
  /// Name and secret for connectivity checks; new ones restart ICE.
  public var ice: ICECredentials
  /// Candidates known so far. Others are signalled by the caller as they are found (trickle).
  public var candidates: [ICECandidate]
  /// Whether those are all.
  public var isEndOfCandidates: Bool
  /// Hash of this end's certificate.
  public var fingerprint: CertificateFingerprint
  /// Milliseconds of audio wanted in a packet.
  public var packetTime: Double?
  /// Milliseconds of audio that a packet may have at most.
  public var maximumPacketTime: Double?

  /// An end that sends and receives voice.
  public init(
    ssrc: UInt32, canonicalName: String, ice: ICECredentials, fingerprint: CertificateFingerprint,
    codecs: [SDPCodec] = SDPCodec.voice, mediaStream: String = "-"
  ) {
    self.codecs = codecs
    headerExtensions = [HeaderExtension.audioLevel, HeaderExtension.transportSequence, HeaderExtension.mid]
    direction = .sendReceive
    self.ssrc = ssrc
    self.canonicalName = canonicalName
    self.mediaStream = mediaStream
    self.ice = ice
    candidates = []
    isEndOfCandidates = false
    self.fingerprint = fingerprint
  }

  /// The address that ends without ICE would use: the widest reaching one, IPv4 before IPv6 (RFC 8839 §4.2.1.2).
  var defaultCandidate: ICECandidate? {
    func rank(_ candidate: ICECandidate) -> Int {
      let reach: Int =
        switch candidate.kind {
        case .relayed: 0
        case .serverReflexive: 2
        case .host: 4
        case .peerReflexive: 6
        }
      return reach + (candidate.address.contains(":") ? 1 : 0)
    }
    return candidates.filter { $0.isUDP && $0.component == 1 }.min { rank($0) < rank($1) }
  }
}
