internal import CNice
internal import Glibc
internal import RTPTransport

// libnice's candidates and ours. It owns those that it shows in signals; a new one belongs to whoever asked for it.

extension ICECandidate {
  /// One of this end's, as libnice shows it. `nil` for one of TCP.
  /// - Parameter hidesBase: puts RFC 8839 §5.1's stand-in where the own address behind a relayed one would be told.
  init?(local candidate: UnsafeMutablePointer<NiceCandidate>, usernameFragment: String, hidesBase: Bool) {
    unsafe self.init(
      candidate,
      extensions: [Extension("generation", "0"), Extension("ufrag", usernameFragment)])
    guard kind != .host else { return }
    let base = unsafe Self.place(antiphon_base_address(candidate))
    relatedAddress = hidesBase ? address.contains(":") ? "::" : "0.0.0.0" : base.address
    relatedPort = hidesBase ? 9 : base.port
  }

  /// One of a peer, as libnice shows it.
  init?(remote candidate: UnsafeMutablePointer<NiceCandidate>) { unsafe self.init(candidate, extensions: []) }

  private init?(_ candidate: UnsafeMutablePointer<NiceCandidate>, extensions: [Extension]) {
    guard unsafe candidate.pointee.transport == NICE_CANDIDATE_TRANSPORT_UDP else { return nil }
    let kind: Kind
    switch unsafe candidate.pointee.type {
    case NICE_CANDIDATE_TYPE_HOST: kind = .host
    case NICE_CANDIDATE_TYPE_SERVER_REFLEXIVE: kind = .serverReflexive
    case NICE_CANDIDATE_TYPE_PEER_REFLEXIVE: kind = .peerReflexive
    case NICE_CANDIDATE_TYPE_RELAYED: kind = .relayed
    default: return nil
    }
    let place = unsafe Self.place(antiphon_address(candidate))
    self.init(
      foundation: unsafe String(cString: antiphon_foundation(candidate)),
      component: unsafe Int(candidate.pointee.component_id), priority: unsafe candidate.pointee.priority,
      address: place.address, port: place.port, kind: kind, extensions: extensions)
  }

  private static func place(_ address: UnsafePointer<NiceAddress>?) -> (address: String, port: UInt16) {
    var text = [CChar](repeating: 0, count: 46)  // INET6_ADDRSTRLEN
    unsafe nice_address_to_string(address, &text)
    return (
      String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
      unsafe UInt16(truncatingIfNeeded: nice_address_get_port(address))
    )
  }

  /// A candidate of a peer for libnice, at `address` in place of its own, which may be a name. The caller frees it.
  func makeNiceCandidate(at address: IPAddress, zone: String?) -> UnsafeMutablePointer<NiceCandidate>? {
    let type: NiceCandidateType =
      switch kind {
      case .host: NICE_CANDIDATE_TYPE_HOST
      // A peer does not announce peer-reflexive ones; libnice would refuse it.
      case .serverReflexive, .peerReflexive: NICE_CANDIDATE_TYPE_SERVER_REFLEXIVE
      case .relayed: NICE_CANDIDATE_TYPE_RELAYED
      }
    guard let candidate = unsafe nice_candidate_new(type) else { return nil }
    let text = address.text + (zone.map { "%" + $0 } ?? "")
    guard unsafe nice_address_set_from_string(&candidate.pointee.addr, text) != 0 else {
      unsafe nice_candidate_free(candidate)
      return nil
    }
    unsafe nice_address_set_port(&candidate.pointee.addr, UInt32(port))
    unsafe candidate.pointee.base_addr = candidate.pointee.addr
    unsafe candidate.pointee.transport = NICE_CANDIDATE_TRANSPORT_UDP
    unsafe candidate.pointee.component_id = 1
    unsafe candidate.pointee.priority = priority
    unsafe antiphon_set_foundation(candidate, foundation)
    return unsafe candidate
  }
}
