// What the attributes of a section say. Where a line must be unique and is not, the first one counts.

extension SDPMedia {
  private func first<Value>(_ pick: (SDPAttribute) -> Value?) -> Value? { attributes.lazy.compactMap(pick).first }

  /// The section's name, for groups and candidates (RFC 5888).
  public var mid: String? { first { if case .mid(let mid) = $0 { mid } else { nil } } }

  /// Who sends; `sendReceive` unless a line says otherwise (RFC 8866 §6.7).
  public var direction: MediaDirection {
    first { if case .direction(let direction) = $0 { direction } else { nil } } ?? .sendReceive
  }

  /// Whether RTCP shares RTP's port (RFC 5761).
  public var hasRTCPMultiplexing: Bool { attributes.contains(.rtcpMux) }
  /// Whether RTCP packets may come without a report in front (RFC 5506).
  public var hasReducedSizeRTCP: Bool { attributes.contains(.rtcpReducedSize) }

  /// The formats that are payload types.
  public var payloadTypes: [UInt8] { formats.compactMap { UInt8($0) }.filter { $0 < 128 } }

  /// Encoding and clock of a payload type: the `a=rtpmap` line, or what RFC 3551 §6 fixes.
  public func rtpMap(_ payloadType: UInt8) -> RTPMap? {
    first { if case .rtpMap(let map) = $0, map.payloadType == payloadType { map } else { nil } }
      ?? RTPMap.fixed(payloadType)
  }

  /// The `a=fmtp` line of a payload type, empty when there is none.
  public func formatParameters(_ payloadType: UInt8) -> FormatParameters {
    first { if case .formatParameters(payloadType, let parameters) = $0 { parameters } else { nil } }
      ?? FormatParameters("")
  }

  /// Header extensions by their URI (RFC 8285).
  public var headerExtensions: [HeaderExtension] {
    attributes.compactMap { if case .headerExtension(let element) = $0 { element } else { nil } }
  }

  /// The sources announced, in order and each once (RFC 5576).
  public var sources: [UInt32] {
    var found: [UInt32] = []
    for case .source(let ssrc, _, _) in attributes where !found.contains(ssrc) { found.append(ssrc) }
    return found
  }

  /// The canonical name of the sources announced.
  public var canonicalName: String? {
    first { if case .source(_, "cname", let name) = $0 { name } else { nil } }
  }

  /// Milliseconds of audio in a packet that this end wants to get (RFC 8866 §6.4).
  public var packetTime: Double? { first { if case .packetTime(let time) = $0 { time } else { nil } } }
  /// Milliseconds of audio that a packet may have at most.
  public var maximumPacketTime: Double? {
    first { if case .maximumPacketTime(let time) = $0 { time } else { nil } }
  }

  /// Candidates in the description; more may trickle in (RFC 8838).
  public var candidates: [ICECandidate] {
    attributes.compactMap { if case .candidate(let candidate) = $0 { candidate } else { nil } }
  }

  /// Whether no candidates follow those in the description.
  public var isEndOfCandidates: Bool { attributes.contains(.endOfCandidates) }
}

extension SDPSession {
  /// User fragment and password for the media at `index`: its own, or the session's (RFC 8839 §5.4).
  public func iceCredentials(ofMedia index: Int) -> ICECredentials? {
    for list in [media[index].attributes, attributes] {
      var fragment: String?
      var password: String?
      for attribute in list {
        switch attribute {
        case .iceUsernameFragment(let text) where fragment == nil: fragment = text
        case .icePassword(let text) where password == nil: password = text
        default: break
        }
      }
      if let fragment, let password { return ICECredentials(usernameFragment: fragment, password: password) }
    }
    return nil
  }

  /// The fingerprints that the certificate of the media at `index` may have: its own, or the session's (RFC 8122 §5).
  public func fingerprints(ofMedia index: Int) -> [CertificateFingerprint] {
    for list in [media[index].attributes, attributes] {
      let found = list.compactMap { if case .fingerprint(let print) = $0 { print } else { nil } }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Which part the media at `index` takes in DTLS: its own `a=setup`, or the session's (RFC 8842 §5).
  public func setup(ofMedia index: Int) -> DTLSSetup? {
    for attribute in media[index].attributes + attributes {
      if case .setup(let setup) = attribute { return setup }
    }
    return nil
  }

  /// Whether the peer only answers connectivity checks (RFC 8445 §2.5).
  public var isICELite: Bool { attributes.contains(.iceLite) }

  /// What ICE the media at `index` knows, such as "trickle" (RFC 8839 §5.6).
  public func iceOptions(ofMedia index: Int) -> [String] {
    (media[index].attributes + attributes).flatMap { attribute -> [String] in
      if case .iceOptions(let options) = attribute { options } else { [] }
    }
  }
}
