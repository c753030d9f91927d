internal import CNice
internal import RTPTransport
internal import RealtimeCore

// The search for own candidates: which addresses and servers libnice is given, and when it counts as done.

extension ICEAgent {
  /// How far the search is.
  struct Gathering {
    var state = ICEGatheringState.new
    /// Why it could not begin. For good: libnice keeps what it was given.
    var failure: ICEError?
    var hasIPv4 = false
    var hasIPv6 = false
    var tunnels: [TLSTunnel] = []
    var failedServers: Set<ICEServer> = []
    var timer: LoopTimer?

    /// How many TURN servers libnice takes (NICE_CANDIDATE_MAX_TURN_SERVERS).
    static let relayServerLimit = 8
  }

  /// Begins the search for own candidates. Does nothing when called again, but fails again if it has failed.
  func gather() throws(ICEError) {
    if let failure = gathering.failure { throw failure }
    guard gathering.state == .new, state != .closed else { return }
    do {
      try begin()
    } catch {
      gathering.failure = error
      throw error
    }
    applyRemoteCandidates()
  }

  private func begin() throws(ICEError) {
    try addLocalAddresses()
    try addServers()
    if let range = settings.portRange {
      unsafe nice_agent_set_port_range(
        agent, stream, Self.component, UInt32(range.lowerBound), UInt32(range.upperBound))
    }
    setGathering(.gathering)
    gathering.timer = loop.schedule(at: Self.time(settings.gatheringTimeout)) { [weak self] in self?.gatheringDone() }
    guard unsafe nice_agent_gather_candidates(agent, stream) != 0 else {
      gathering.timer = nil
      gathering.state = .new
      throw settings.portRange.map { .noFreePort($0) } ?? .noLocalAddress
    }
  }

  func gatheringDone() {
    gathering.timer = nil
    if gathering.state == .gathering { reportSilentServers() }
    setGathering(.complete)
  }

  /// Which relay a candidate is from libnice does not tell; with none, all have failed.
  private func reportSilentServers() {
    guard !localCandidates().contains(where: { $0.kind == .relayed }) else { return }
    for server in settings.servers where server.isRelay && !gathering.failedServers.contains(server) {
      onEvent(.serverFailed(server, "it gave no address in time; check its address, user and password"))
    }
  }

  private func tunnelFailed(_ server: ICEServer, _ reason: String) {
    guard state != .closed, gathering.failedServers.insert(server).inserted else { return }
    onEvent(.serverFailed(server, reason))
  }

  private func setGathering(_ new: ICEGatheringState) {
    if gathering.state == new || state == .closed { return }
    gathering.state = new
    onEvent(.gathering(new))
  }

  private func addLocalAddresses() throws(ICEError) {
    let addresses =
      settings.localAddresses
      ?? LocalAddresses.all(loopback: settings.allowsLoopback, linkLocal: settings.allowsLinkLocal)
    guard !addresses.isEmpty else { throw .noLocalAddress }
    for text in addresses {
      guard IPAddress(text) != nil else { throw .invalidLocalAddress(text) }
    }
    for text in addresses {
      var address = NiceAddress()
      unsafe nice_address_init(&address)
      guard unsafe nice_address_set_from_string(&address, text) != 0 else { throw .invalidLocalAddress(text) }
      unsafe nice_agent_add_local_address(agent, &address)
    }
    remote.zones = addresses.compactMap { text in
      text.firstIndex(of: "%").map { String(text[text.index(after: $0)...]) }
    }
    gathering.hasIPv4 = addresses.contains { IPAddress($0)?.isIPv6 == false }
    gathering.hasIPv6 = addresses.contains { IPAddress($0)?.isIPv6 == true }
  }

  private func addServers() throws(ICEError) {
    var relayCount = 0
    for server in settings.servers {
      guard case .turn(let transport, let username, let password) = server.service else { continue }
      relayCount += 1
      guard relayCount <= Gathering.relayServerLimit else { throw .tooManyServers(limit: Gathering.relayServerLimit) }
      var (host, port) = (server.host, server.port)
      if transport == .tls {
        let tunnel = try TLSTunnel(
          to: server.host, port: server.port, authorities: settings.relayAuthorities, isIPv4: gathering.hasIPv4
        ) { [weak self] reason in self?.tunnelFailed(server, reason) }
        gathering.tunnels.append(tunnel)
        (host, port) = (tunnel.address, tunnel.port)
      }
      unsafe nice_agent_set_relay_info(
        agent, stream, Self.component, host, UInt32(port), username, password,
        transport == .udp ? NICE_RELAY_TYPE_TURN_UDP : NICE_RELAY_TYPE_TURN_TCP)
    }
    if settings.policy == .relay, relayCount == 0 { throw .noRelayServer }
    if let stun = settings.servers.first(where: { $0.service == .stun }) {
      unsafe antiphon_set_stun_server(agent, stun.host, UInt32(stun.port))
    }
  }
}
