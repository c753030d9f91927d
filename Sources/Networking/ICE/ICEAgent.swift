internal import CNice
internal import Glibc
internal import RTPTransport
internal import RealtimeCore

// ICE (RFC 8445, RFC 8838) by libnice: one stream of one component, since RTP and RTCP share a port (RFC 5761).
//
// libnice 0.1.21 as read in its source, where it matters here:
// - It calls back on the context's thread, without its lock, so that each of its calls may be made in a callback.
// - It knows no end of the peer's candidates: when all pairs known so far have failed it says "failed", though more may
//   come; then it goes on. Here that counts as a failure only after the peer's last candidate.
// - A restart keeps sockets, own candidates and the selected pair; that pair carries media until a new one is nominated.
// - Consent (RFC 7675): see ICEAgent+Consent.swift.

/// One ICE agent of libnice.
///
/// - Threads: the loop's only, `init` and `deinit` included; unchecked, since C callbacks come outside of any actor.
@safe  // `agent` is made in init and given back in deinit; callbacks to `self` end before
final class ICEAgent: @unchecked Sendable {
  /// What happened.
  enum Event {
    case candidate(ICECandidate)
    case gathering(ICEGatheringState)
    case state(ICEState)
    case selectedPair(ICECandidatePair)
    /// With state `failed`, right after it.
    case failed(ICEError)
    /// A server gave no candidate, for this reason.
    case serverFailed(ICEServer, String)
  }

  let loop: EventLoop
  let settings: ICESettings
  let agent: OpaquePointer
  let stream: UInt32
  static let component: UInt32 = 1
  private let onEvent: (Event) -> Void
  /// The bytes are valid during the call only.
  let onDatagram: (UnsafeBufferPointer<UInt8>) -> Void

  private(set) var credentials: ICECredentials
  /// Whether this end decides which pair is taken, as it began: a conflict of roles may change it unseen.
  private(set) var isControlling: Bool
  private(set) var remoteCredentials: ICECredentials?
  private(set) var state = ICEState.new
  private(set) var gatheringState = ICEGatheringState.new
  private(set) var selectedPair: ICECandidatePair?
  /// Whether there is a selected pair; asked for each datagram.
  private(set) var hasPath = false
  var statistics = ICEStatistics()
  var remote = RemoteCandidates()
  var consent = Consent()
  /// libnice's own word, which may be ahead of `state`.
  var niceState = NICE_COMPONENT_STATE_DISCONNECTED
  /// Those before the last restart.
  private(set) var previousRemote: ICECredentials?
  private var tunnels: [TLSTunnel] = []
  private var failedServers: Set<ICEServer> = []
  private(set) var hasIPv4 = false
  private(set) var hasIPv6 = false
  private var gatheringTimer: LoopTimer?
  private var connectionTimer: LoopTimer?

  /// How many TURN servers libnice takes (NICE_CANDIDATE_MAX_TURN_SERVERS).
  static let relayServerLimit = 8

  init(
    _ settings: ICESettings, credentials: ICECredentials, isControlling: Bool, on loop: EventLoop,
    onEvent: @escaping (Event) -> Void, onDatagram: @escaping (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(ICEError) {
    self.loop = loop
    self.settings = settings
    self.credentials = credentials
    self.isControlling = isControlling
    self.onEvent = onEvent
    unsafe self.onDatagram = unsafe onDatagram
    guard
      let agent = unsafe antiphon_new_agent(
        loop.context, settings.nomination == .regular ? 1 : 0, settings.policy == .relay ? 1 : 0)
    else { throw .unavailable }
    unsafe self.agent = unsafe agent
    stream = unsafe nice_agent_add_stream(agent, 1)
    unsafe nice_agent_set_local_credentials(agent, stream, credentials.usernameFragment, credentials.password)
    unsafe antiphon_set_controlling(agent, isControlling ? 1 : 0)
    unsafe nice_agent_set_stream_tos(agent, stream, Int32(settings.differentiatedServicesCodePoint & 63) << 2)
    connectCallbacks()
  }

  deinit {
    disconnectSignals()
    disconnectReceiving()
    unsafe g_object_unref(UnsafeMutableRawPointer(agent))
  }

  /// Begins the search for own candidates. Does nothing when called again.
  func gather() throws(ICEError) {
    guard gatheringState == .new, state != .closed else { return }
    try addLocalAddresses()
    try addServers()
    if let range = settings.portRange {
      unsafe nice_agent_set_port_range(
        agent, stream, Self.component, UInt32(range.lowerBound), UInt32(range.upperBound))
    }
    setGathering(.gathering)
    gatheringTimer = loop.schedule(at: Self.time(settings.gatheringTimeout)) { [weak self] in self?.gatheringDone() }
    guard unsafe nice_agent_gather_candidates(agent, stream) != 0 else {
      gatheringTimer = nil
      gatheringState = .new
      throw settings.portRange.map { .noFreePort($0) } ?? .noLocalAddress
    }
    applyRemoteCandidates()
  }

  /// Takes what the peer's description says. Candidates that came before are applied.
  /// - Parameter isLite: whether the peer only answers checks, so that this end must control (RFC 8445 §6.1.1).
  func setRemote(_ credentials: ICECredentials, isLite: Bool) throws(ICEError) {
    guard credentials.isValid else { throw .invalidCredentials(credentials) }
    if remoteCredentials == credentials || state == .closed { return }
    guard remoteCredentials == nil, previousRemote != credentials else { throw .restartNeeded }
    if isLite, !isControlling {
      // libnice lets nobody change the role once it has begun.
      guard gatheringState == .new else { throw .peerIsLite }
      isControlling = true
      unsafe antiphon_set_controlling(agent, 1)
    }
    remoteCredentials = credentials
    unsafe nice_agent_set_remote_credentials(agent, stream, credentials.usernameFragment, credentials.password)
    connectionTimer = loop.schedule(at: Self.time(settings.connectionTimeout)) { [weak self] in self?.timeIsUp() }
    applyRemoteCandidates()
  }

  /// Begins anew with these credentials, over the same sockets; the selected pair serves until there is a new one.
  func restart(_ credentials: ICECredentials) {
    guard state != .closed else { return }
    self.credentials = credentials
    previousRemote = remoteCredentials ?? previousRemote
    remoteCredentials = nil
    connectionTimer = nil
    remote.restart()
    consent = Consent()
    unsafe nice_agent_restart_stream(agent, stream)
    unsafe nice_agent_set_local_credentials(agent, stream, credentials.usernameFragment, credentials.password)
    guard gatheringState != .new else { return }
    // The same addresses under the new name, as trickling wants them (RFC 8838 §4.3).
    for candidate in localCandidates() { onEvent(.candidate(candidate)) }
    if gatheringState == .complete { onEvent(.gathering(.complete)) }
  }

  /// Sends one datagram over the selected pair.
  func send(_ datagram: Span<UInt8>) -> Bool {
    let (agent, stream) = unsafe (agent, stream)
    return unsafe datagram.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe nice_agent_send(
        agent, stream, Self.component, UInt32(bytes.count), start.assumingMemoryBound(to: CChar.self))
        == Int32(bytes.count)
    }
  }

  /// Ends everything but the servers' allocations, which `completion` waits for.
  func close(_ completion: @escaping @Sendable () -> Void) {
    gatheringTimer = nil
    connectionTimer = nil
    consent = Consent()
    remote = RemoteCandidates()
    setState(.closed)
    disconnectSignals()
    // Datagrams are read still, since the servers' answers are among them. The relayed addresses are given back through the tunnels: they stay until that is done.
    let tunnels = Tunnels(self.tunnels)
    self.tunnels = []
    let done = CloseCompletion {
      tunnels.close()
      completion()
    }
    unsafe nice_agent_close_async(
      agent,
      { _, _, done in
        guard let done = unsafe done else { return }
        unsafe Unmanaged<CloseCompletion>.fromOpaque(done).takeRetainedValue().run()
      }, Unmanaged.passRetained(done).toOpaque())
  }

  // MARK: what libnice tells

  func gatheringDone() {
    gatheringTimer = nil
    if gatheringState == .gathering { reportSilentServers() }
    setGathering(.complete)
  }

  /// Which relay a candidate is from libnice does not tell; with none, all have failed.
  private func reportSilentServers() {
    guard !localCandidates().contains(where: { $0.kind == .relayed }) else { return }
    for server in settings.servers where server.isRelay && !failedServers.contains(server) {
      onEvent(.serverFailed(server, "it gave no address in time; check its address, user and password"))
    }
  }

  private func tunnelFailed(_ server: ICEServer, _ reason: String) {
    guard state != .closed, failedServers.insert(server).inserted else { return }
    onEvent(.serverFailed(server, reason))
  }

  func found(_ candidate: ICECandidate) {
    statistics.localCandidateCount += 1
    onEvent(.candidate(candidate))
  }

  func selected(_ pair: ICECandidatePair) {
    if pair == selectedPair { return }
    selectedPair = pair
    hasPath = true
    statistics.selectedCandidatePairChanges += 1
    onEvent(.selectedPair(pair))
  }

  func setState(_ new: ICEState) {
    if state == new || state == .closed { return }
    state = new
    if new == .connected || new == .completed { connectionTimer = nil }
    onEvent(.state(new))
  }

  func fail(_ error: ICEError) {
    if state == .failed || state == .closed { return }
    connectionTimer = nil
    setState(.failed)
    onEvent(.failed(error))
  }

  private func timeIsUp() {
    connectionTimer = nil
    switch state {
    case .new, .checking, .disconnected: fail(.timedOut(seconds: settings.connectionTimeout, statistics))
    case .connected, .completed, .failed, .closed: break
    }
  }

  private func setGathering(_ new: ICEGatheringState) {
    if gatheringState == new || state == .closed { return }
    gatheringState = new
    onEvent(.gathering(new))
  }

  // MARK: setting up

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
    hasIPv4 = addresses.contains { IPAddress($0)?.isIPv6 == false }
    hasIPv6 = addresses.contains { IPAddress($0)?.isIPv6 == true }
  }

  private func addServers() throws(ICEError) {
    var relayCount = 0
    for server in settings.servers {
      guard case .turn(let transport, let username, let password) = server.service else { continue }
      relayCount += 1
      guard relayCount <= Self.relayServerLimit else { throw .tooManyServers(limit: Self.relayServerLimit) }
      var (host, port) = (server.host, server.port)
      if transport == .tls {
        let tunnel = try TLSTunnel(
          to: server.host, port: server.port, authorities: settings.relayAuthorities, isIPv4: hasIPv4
        ) { [weak self] reason in self?.tunnelFailed(server, reason) }
        tunnels.append(tunnel)
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

  static func time(_ seconds: Double) -> MediaInstant { EventLoop.now.advanced(byMilliseconds: seconds * 1_000) }

  private final class CloseCompletion {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Hands the tunnels on to the end of the closing; the loop's thread is the same.
  private final class Tunnels: @unchecked Sendable {
    private var tunnels: [TLSTunnel]
    init(_ tunnels: [TLSTunnel]) { self.tunnels = tunnels }
    func close() { tunnels = [] }
  }
}
