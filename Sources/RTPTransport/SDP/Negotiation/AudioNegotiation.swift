// RFC 3264's exchange as RFC 9429 (JSEP) narrows it, for one section of audio: BUNDLE, rtcp-mux, ICE and DTLS-SRTP.
//
//     stable ── makeOffer ──► offered ── accept(answer:) ──► stable
//        └────── accept(offer:) gives the answer ──────────────┘        rollBack(): offered ──► stable
//
// Sections of other kinds that a peer offers are refused, and keep their places in all later descriptions. An address of
// 0.0.0.0 is no hold here, as it was before RFC 3264: with ICE it only says that candidates tell the address.

/// Makes and accepts session descriptions of a call. It holds no clock and no network: change `local`, then make an offer.
/// - Threads: any one at a time.
public struct AudioNegotiation: Sendable {
  /// What the next offer or answer says of this end.
  public var local: LocalAudio
  /// What is agreed on; `nil` before the first exchange.
  public private(set) var negotiated: NegotiatedAudio?
  /// Whether an offer of this end waits for its answer.
  public var hasOffered: Bool { pendingOffer != nil }

  private let sessionID: UInt64
  private var version: UInt64 = 0
  private var lastSent: SDPSession?
  private var pendingOffer: SDPSession?
  private var mid: String? = "0"
  private var place = 0
  private var numbering = PayloadNumbering()
  /// The sections that are refused, each with its place.
  private var refused: [(place: Int, media: SDPMedia)] = []

  /// A call without any description yet.
  /// - Parameter sessionID: random, below 2⁶³ (RFC 9429 §5.2.1).
  public init(sessionID: UInt64, local: LocalAudio) {
    self.sessionID = sessionID
    self.local = local
  }

  /// Makes an offer. One that says the same as the last description has its version.
  ///
  /// Throws `wrongState` while an earlier offer waits for its answer.
  public mutating func makeOffer() throws(SDPError) -> SDPSession {
    guard pendingOffer == nil else {
      throw .wrongState("an offer waits for its answer; accept that, or roll back, before making another")
    }
    var extensions: [HeaderExtension] = negotiated?.headerExtensions ?? []
    for uri in local.headerExtensions where !extensions.contains(where: { $0.uri == uri }) {
      let free = (1...14).first { id in !extensions.contains { $0.id == id } }
      if let free { extensions.append(HeaderExtension(id: free, uri: uri)) }
    }
    let audio = SDPMedia.audio(
      local, mid: mid, direction: local.direction, codecs: numbering.applied(to: local.codecs), extensions: extensions,
      setup: .either, reducedSize: true, transport: "UDP/TLS/RTP/SAVPF")
    let offer = session(with: audio, bundled: mid != nil)
    pendingOffer = offer
    return offer
  }

  /// Takes the peer's answer to the last offer. After an error the offer still waits: take a better answer or roll back.
  /// - Parameter isFinal: false for an answer that another may follow (RFC 9429 §4.1.5, "pranswer").
  public mutating func accept(answer: SDPSession, isFinal: Bool = true) throws(SDPError) {
    guard let offer = pendingOffer else { throw .wrongState("there is no offer to answer; make one first") }
    guard answer.media.count == offer.media.count else {
      throw .answerDoesNotFit("\(answer.media.count) m= lines instead of \(offer.media.count)")
    }
    for (ours, theirs) in zip(offer.media, answer.media) where ours.kind != theirs.kind {
      throw .answerDoesNotFit("m=\(theirs.kind) where m=\(ours.kind) was offered")
    }
    guard answer.media[place].port != 0 else { throw .noAudio }
    let isClient: Bool =
      switch answer.setup(ofMedia: place) ?? .active {
      case .active: false
      case .passive: true
      case .either: throw .impossibleSetup(DTLSSetup.either.rawValue)
      case .hold: throw .impossibleSetup(DTLSSetup.hold.rawValue)
      }
    (negotiated, _) = try agree(on: answer, at: place, isDTLSClient: isClient)
    if isFinal { pendingOffer = nil }
  }

  /// Takes the peer's offer.
  /// - Returns: the answer, to be sent at once. After an error everything stands as before.
  public mutating func accept(offer: SDPSession) throws(SDPError) -> SDPSession {
    guard pendingOffer == nil else {
      throw .wrongState("both ends have made an offer; one of them must roll back")
    }
    guard let place = offer.media.firstIndex(where: { $0.kind == "audio" && $0.isRTP && $0.port != 0 }) else {
      throw .noAudio
    }
    let isClient: Bool =
      switch offer.setup(ofMedia: place) ?? .active {
      case .active: false
      case .passive: true
      case .either: keptRole(for: offer.fingerprints(ofMedia: place)) ?? true
      case .hold: throw .impossibleSetup(DTLSSetup.hold.rawValue)
      }
    let (agreed, codecs) = try agree(on: offer, at: place, isDTLSClient: isClient)
    let theirs = offer.media[place]
    let audio = SDPMedia.audio(
      local, mid: theirs.mid, direction: agreed.direction, codecs: codecs.answer, extensions: agreed.headerExtensions,
      setup: isClient ? .active : .passive, reducedSize: theirs.hasReducedSizeRTCP, transport: theirs.transport)

    self.place = place
    mid = theirs.mid
    numbering = PayloadNumbering(theirs.codecs)
    refused = offer.media.enumerated().filter { $0.offset != place }.map { ($0.offset, $0.element.refused) }
    negotiated = agreed
    let isBundled = theirs.mid.map { mid in offer.groups("BUNDLE").contains { $0.contains(mid) } } ?? false
    return session(with: audio, bundled: isBundled)
  }

  /// Whether the peer's offer looks for a path anew, so that this end needs new credentials before it answers
  /// (RFC 8839 §4.4.1.1.1).
  public func restartsICE(_ offer: SDPSession) -> Bool {
    guard let negotiated, let place = offer.media.firstIndex(where: { $0.kind == "audio" && $0.port != 0 }),
      let ice = offer.iceCredentials(ofMedia: place)
    else { return false }
    return ice != negotiated.remoteICE
  }

  /// Withdraws the offer that waits; what was agreed before holds on (RFC 9429 §4.1.10.2).
  public mutating func rollBack() { pendingOffer = nil }

  /// The part in DTLS that goes on, as long as the peer's certificate does (RFC 8842 §5.3).
  private func keptRole(for fingerprints: [CertificateFingerprint]) -> Bool? {
    guard let negotiated, negotiated.remoteFingerprints == fingerprints else { return nil }
    return negotiated.isDTLSClient
  }

  private func agree(
    on remote: SDPSession, at place: Int, isDTLSClient: Bool
  ) throws(SDPError) -> (NegotiatedAudio, AgreedCodecs) {
    let media = remote.media[place]
    guard let codecs = AgreedCodecs(remote: media.codecs, local: numbering.applied(to: local.codecs)) else {
      throw .noCommonCodec(offered: media.codecs.map(\.map.encoding))
    }
    guard media.hasRTCPMultiplexing else { throw .noRTCPMultiplexing }
    guard let ice = remote.iceCredentials(ofMedia: place), ice.isValid else { throw .noICECredentials }
    let fingerprints = remote.fingerprints(ofMedia: place)
    if fingerprints.isEmpty { throw .noFingerprint }
    let negotiated = NegotiatedAudio(
      mid: media.mid, direction: local.direction.intersection(media.direction.reversed), codec: codecs.audio.map,
      codecParameters: codecs.audio.parameters, sending: codecs.payloadTypes(remote: true),
      // An answer takes over the offer's numbers, so that both ends write the same; only an answer's may differ from ours.
      receiving: codecs.payloadTypes(remote: pendingOffer == nil),
      headerExtensions: media.headerExtensions.filter { local.headerExtensions.contains($0.uri) && $0.id <= 255 },
      feedback: codecs.feedback, hasReducedSizeRTCP: media.hasReducedSizeRTCP, packetTime: media.packetTime,
      maximumPacketTime: media.maximumPacketTime, remoteSources: media.sources,
      remoteCanonicalName: media.canonicalName, remoteICE: ice, isRemoteICELite: remote.isICELite,
      remoteICEOptions: remote.iceOptions(ofMedia: place), remoteCandidates: media.candidates,
      isRemoteEndOfCandidates: media.isEndOfCandidates, remoteFingerprints: fingerprints, isDTLSClient: isDTLSClient)
    return (negotiated, codecs)
  }

  /// A description with the audio at its place among what is refused.
  private mutating func session(with audio: SDPMedia, bundled: Bool) -> SDPSession {
    var media = [audio]
    for (place, section) in refused { media.insert(section, at: min(place, media.count)) }
    var attributes: [SDPAttribute] = []
    if bundled, let mid { attributes.append(.group(semantics: "BUNDLE", mids: [mid])) }
    var session = SDPSession(
      origin: SDPSession.Origin(sessionID: "\(sessionID)", version: version), attributes: attributes, media: media)
    if session != lastSent {
      version += 1
      session.origin.version = version
    }
    lastSent = session
    return session
  }
}
