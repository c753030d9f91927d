internal import CNice
internal import RTPTransport

// The peer's candidates, from signalling to libnice: kept until the peer's credentials are known (they may come first),
// names looked up, what cannot be used counted.

extension ICEAgent {
  /// What is known of the peer's candidates.
  struct RemoteCandidates {
    /// Came before the credentials that they belong to.
    var waiting: [ICECandidate] = []
    /// Handed to libnice since the start or the last restart.
    var appliedCount = 0
    /// Names being looked up.
    var lookups: [Int: NameLookup] = [:]
    var lookupCount = 0
    /// The peer has said that no more come.
    var isEnded = false
    /// And those that came are in use.
    var isComplete: Bool { isEnded && lookups.isEmpty }
    /// Of this machine's link-local addresses: which link such an address of the peer is on.
    var zones: [String] = []

    /// More than any honest peer has: a browser with four interfaces and two servers has about 20.
    static let limit = 64
    static let lookupLimit = 8

    mutating func restart() {
      // Those that wait may be of the peer's next generation, ahead of its description.
      appliedCount = 0
      lookups = [:]
      isEnded = false
    }
  }

  func add(_ candidate: ICECandidate) {
    guard state != .closed else { return }
    if candidate.component != 1 || !candidate.isUDP || candidate.port == 0 {
      statistics.unusableCandidateCount += 1
      return
    }
    guard gathering.state != .new, let remoteCredentials else {
      wait(candidate)
      return
    }
    // A trickled candidate may say which generation it is of (RFC 8839 §5.4's "ufrag").
    if let fragment = candidate.usernameFragment, fragment != remoteCredentials.usernameFragment {
      wait(candidate)
      return
    }
    use(candidate)
  }

  /// The peer has no more candidates.
  func endOfRemoteCandidates() {
    guard state != .closed else { return }
    remote.isEnded = true
    checkEnd()
  }

  /// Uses what waited, now that the peer's credentials are known.
  func applyRemoteCandidates() {
    guard gathering.state != .new, remoteCredentials != nil else { return }
    let waiting = remote.waiting
    remote.waiting = []
    for candidate in waiting {
      if let old = previousRemote, candidate.usernameFragment == old.usernameFragment {
        statistics.droppedCandidateCount += 1
      } else {
        add(candidate)
      }
    }
    checkEnd()
  }

  private func checkEnd() {
    guard gathering.state != .new, remoteCredentials != nil, remote.isEnded else { return }
    unsafe nice_agent_peer_candidate_gathering_done(agent, stream)
    if remote.isComplete, niceState == NICE_COMPONENT_STATE_FAILED, state == .checking { fail(.noPath(statistics)) }
  }

  private func wait(_ candidate: ICECandidate) {
    guard remote.waiting.count < RemoteCandidates.limit else {
      statistics.droppedCandidateCount += 1
      return
    }
    remote.waiting.append(candidate)
  }

  private func use(_ candidate: ICECandidate) {
    if let address = IPAddress(candidate.address) {
      use(candidate, at: address)
      return
    }
    let name = candidate.address
    let isMulticast = name.lowercased().hasSuffix(".local")
    guard settings.nameResolution == .all || settings.nameResolution == .multicastOnly && isMulticast,
      name.utf8.count <= 253, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      remote.lookups.count < RemoteCandidates.lookupLimit
    else {
      statistics.unresolvedCandidateCount += 1
      return
    }
    let number = remote.lookupCount
    remote.lookupCount += 1
    remote.lookups[number] = NameLookup(name, on: loop) { [weak self] addresses in
      self?.resolved(candidate, number, addresses)
    }
  }

  private func resolved(_ candidate: ICECandidate, _ number: Int, _ addresses: [IPAddress]) {
    guard remote.lookups.removeValue(forKey: number) != nil else { return }
    // One address, of a version that this end has too (RFC 8839 §5.1).
    if let address = addresses.first(where: { isAllowed($0) && ($0.isIPv6 ? gathering.hasIPv6 : gathering.hasIPv4) }) {
      use(candidate, at: address)
    } else {
      statistics.unresolvedCandidateCount += 1
    }
    checkEnd()
  }

  private func isAllowed(_ address: IPAddress) -> Bool {
    address.isUnicast && (settings.allowsLoopback || !address.isLoopback)
      && (settings.allowsLinkLocal || !address.isLinkLocal)
  }

  private func use(_ candidate: ICECandidate, at address: IPAddress) {
    guard isAllowed(address) else {
      statistics.unusableCandidateCount += 1
      return
    }
    guard remote.appliedCount < RemoteCandidates.limit else {
      statistics.droppedCandidateCount += 1
      return
    }
    // An IPv6 address of one link is reached only with that link's name; the peer cannot know ours.
    let zone = address.isIPv6 && address.isLinkLocal ? remote.zones.first : nil
    guard let made = unsafe candidate.makeNiceCandidate(at: address, zone: zone) else {
      statistics.unusableCandidateCount += 1
      return
    }
    defer { unsafe nice_candidate_free(made) }
    var list = unsafe GSList(data: made, next: nil)
    if unsafe nice_agent_set_remote_candidates(agent, stream, Self.component, &list) == 1 {
      remote.appliedCount += 1
      statistics.remoteCandidateCount += 1
    } else {
      statistics.unusableCandidateCount += 1
    }
  }
}

extension ICECandidate {
  /// The generation it says that it is of.
  fileprivate var usernameFragment: String? { extensions.first { $0.name == "ufrag" }?.value }
}
