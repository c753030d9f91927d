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
  let onEvent: (Event) -> Void
  /// The bytes are valid during the call only.
  let onDatagram: (_ bytes: UnsafeBufferPointer<UInt8>, _ arrival: MediaInstant) -> Void

  private(set) var credentials: ICECredentials
  /// Whether this end decides which pair is taken, as it began: a conflict of roles may change it unseen.
  var isControlling = false
  private(set) var remoteCredentials: ICECredentials?
  private(set) var state = ICEState.new
  var gathering = Gathering()
  private(set) var selectedPair: ICECandidatePair?
  /// Whether there is a selected pair; asked for each datagram.
  private(set) var hasPath = false
  var statistics = ICEStatistics()
  var remote = RemoteCandidates()
  var consent = Consent()
  /// When the peer's last datagram came.
  var lastArrival: MediaInstant?
  /// libnice's own word, which may be ahead of `state`.
  var niceState = NICE_COMPONENT_STATE_DISCONNECTED
  /// Those before the last restart.
  private(set) var previousRemote: ICECredentials?
  private var connectionTimer: LoopTimer?

  init(
    _ settings: ICESettings, credentials: ICECredentials, on loop: EventLoop,
    onEvent: @escaping (Event) -> Void, onDatagram: @escaping (UnsafeBufferPointer<UInt8>, MediaInstant) -> Void
  ) throws(ICEError) {
    self.loop = loop
    self.settings = settings
    self.credentials = credentials
    self.onEvent = onEvent
    unsafe self.onDatagram = unsafe onDatagram
    guard
      let agent = unsafe antiphon_new_agent(
        loop.context, settings.nomination == .regular ? 1 : 0, settings.policy == .relay ? 1 : 0)
    else { throw .unavailable }
    unsafe self.agent = unsafe agent
    stream = unsafe nice_agent_add_stream(agent, 1)
    unsafe nice_agent_set_local_credentials(agent, stream, credentials.usernameFragment, credentials.password)
    unsafe nice_agent_set_stream_tos(agent, stream, Int32(settings.differentiatedServicesCodePoint & 63) << 2)
    connectCallbacks()
  }

  deinit {
    disconnectSignals()
    disconnectReceiving()
    unsafe g_object_unref(UnsafeMutableRawPointer(agent))
  }

  /// Takes what the peer's description says. Candidates that came before are applied.
  /// - Parameter isLite: whether the peer only answers checks, so that this end must control (RFC 8445 §6.1.1).
  func setRemote(_ credentials: ICECredentials, isLite: Bool) throws(ICEError) {
    guard credentials.isValid else { throw .invalidCredentials(credentials) }
    if remoteCredentials == credentials || state == .closed { return }
    guard remoteCredentials == nil, previousRemote != credentials else { throw .restartNeeded }
    if isLite {
      guard gathering.state == .new || isControlling else { throw .peerIsLite }
      isControlling = true
    }
    remoteCredentials = credentials
    if state == .failed { setState(.checking) }
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
    guard gathering.state != .new else { return }
    // The same addresses under the new name, as trickling wants them (RFC 8838 §4.3).
    for candidate in localCandidates() { onEvent(.candidate(candidate)) }
    if gathering.state == .complete { onEvent(.gathering(.complete)) }
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
    gathering.timer = nil
    gathering.lookups = [:]
    connectionTimer = nil
    consent = Consent()
    remote = RemoteCandidates()
    setState(.closed)
    disconnectSignals()
    // Datagrams are read still, since the servers' answers are among them. The relayed addresses are given back through the tunnels: they stay until that is done.
    let tunnels = Tunnels(gathering.tunnels)
    gathering.tunnels = []
    let done = CloseCompletion { [loop] in
      // A loop that ended before would leave libnice's sockets open.
      withExtendedLifetime(loop) { tunnels.close() }
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
