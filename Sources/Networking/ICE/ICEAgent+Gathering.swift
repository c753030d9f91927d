internal import CNice
internal import RTPTransport
internal import RealtimeCore

// The search for own candidates: which addresses and servers libnice is given, and when it counts as done.
//
// Names of TURN servers are looked up here: libnice 0.1.21 asks a name's second address without user and password
// (turn_server_copy), so that a server with IPv6 and IPv4 gives nothing; and it never ends gathering for an unknown name.

extension ICEAgent {
  /// How far the search is.
  struct Gathering {
    var state = ICEGatheringState.new
    /// Why it could not begin. For good: libnice keeps what it was given.
    var failure: ICEError?
    var hasIPv4 = false
    var hasIPv6 = false
    var tunnels: [TLSTunnel] = []
    /// Names of servers being looked up, and servers that libnice was given.
    var lookups: [Int: NameLookup] = [:]
    var relayCount = 0
    /// Whether libnice has not said yet that it is done.
    var isNiceBusy = false
    var failedServers: Set<ICEServer> = []
    var timer: LoopTimer?

    /// How many TURN servers libnice takes (NICE_CANDIDATE_MAX_TURN_SERVERS).
    static let relayServerLimit = 8
  }

  /// Begins the search for own candidates. Does nothing when called again, but fails again if it has failed.
  func gather(isControlling: Bool) throws(ICEError) {
    if let failure = gathering.failure { throw failure }
    guard gathering.state == .new, state != .closed else { return }
    // Now, since libnice lets nobody change the role afterwards. A peer known to be lite has settled it already.
    self.isControlling = self.isControlling || isControlling
    unsafe antiphon_set_controlling(agent, self.isControlling ? 1 : 0)
    do {
      try begin()
    } catch {
      gathering.failure = error
      gathering.lookups = [:]
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
    gathering.isNiceBusy = true
    guard unsafe nice_agent_gather_candidates(agent, stream) != 0 else {
      gathering.timer = nil
      setGathering(.new)
      throw settings.portRange.map { .noFreePort($0) } ?? .noLocalAddress
    }
  }

  /// libnice has asked all servers that it was given.
  func niceGatheringDone() {
    gathering.isNiceBusy = false
    checkGathering()
  }

  private func checkGathering() {
    if !gathering.isNiceBusy, gathering.lookups.isEmpty { gatheringDone() }
  }

  private func gatheringDone() {
    gathering.timer = nil
    gathering.lookups = [:]
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

  private func serverFailed(_ server: ICEServer, _ reason: String) {
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
    let relays = settings.servers.filter(\.isRelay)
    if settings.policy == .relay, relays.isEmpty { throw .noRelayServer }
    guard relays.count <= Gathering.relayServerLimit else { throw .tooManyServers(limit: Gathering.relayServerLimit) }
    for (number, server) in relays.enumerated() {
      if case .turn(.tls, _, _) = server.service {
        let tunnel = try TLSTunnel(
          to: server.host, port: server.port, authorities: settings.relayAuthorities, isIPv4: gathering.hasIPv4
        ) { [weak self] reason in self?.serverFailed(server, reason) }
        gathering.tunnels.append(tunnel)
        add(server, at: tunnel.address, port: tunnel.port)
      } else if let address = IPAddress(server.host) {
        add(server, at: address.text, port: server.port)
      } else {
        gathering.lookups[number] = NameLookup(server.host, on: loop) { [weak self] addresses in
          self?.found(addresses, of: server, number)
        }
      }
    }
    if let stun = settings.servers.first(where: { $0.service == .stun }) {
      unsafe antiphon_set_stun_server(agent, stun.host, UInt32(stun.port))
      if IPAddress(stun.host) == nil { watchName(of: stun) }
    }
  }

  /// libnice looks a STUN server's name up itself, but is never done when it is not found and no TURN server is asked.
  private func watchName(of stun: ICEServer) {
    gathering.lookups[-1] = NameLookup(stun.host, on: loop) { [weak self] addresses in
      guard let self, gathering.lookups.removeValue(forKey: -1) != nil, state != .closed else { return }
      if addresses.isEmpty {
        serverFailed(stun, "its name has no address; check the name")
        if gathering.relayCount == 0 { gathering.isNiceBusy = false }
      }
      checkGathering()
    }
  }

  private func found(_ addresses: [IPAddress], of server: ICEServer, _ number: Int) {
    guard gathering.lookups.removeValue(forKey: number) != nil, state != .closed else { return }
    // One of each version that this end has too: a server's further addresses are for its own balance.
    let usable = [false, true].compactMap { isIPv6 in
      (isIPv6 ? gathering.hasIPv6 : gathering.hasIPv4) ? addresses.first { $0.isIPv6 == isIPv6 } : nil
    }
    if usable.isEmpty { serverFailed(server, "its name has no address that can be reached from here; check the name") }
    for address in usable { add(server, at: address.text, port: server.port) }
    checkGathering()
  }

  private func add(_ server: ICEServer, at address: String, port: UInt16) {
    guard case .turn(let transport, let username, let password) = server.service,
      gathering.relayCount < Gathering.relayServerLimit
    else { return }
    gathering.relayCount += 1
    if gathering.state != .new { gathering.isNiceBusy = true }
    unsafe nice_agent_set_relay_info(
      agent, stream, Self.component, address, UInt32(port), username, password,
      transport == .udp ? NICE_RELAY_TYPE_TURN_UDP : NICE_RELAY_TYPE_TURN_TCP)
  }
}
