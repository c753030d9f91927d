internal import Glibc
public import RTPTransport
public import RealtimeCore

/// The way to one WebRTC peer: ICE finds it, DTLS says who is there and gives keys, then SRTP datagrams go both ways.
///
/// ```swift
/// let transport = try PeerTransport(settings, on: loop) { datagram, arrival in … }
/// try await transport.gather(isControlling: true)    // then send localParameters and each .localCandidate
/// try await transport.setRemote(theirs, role: .client)
/// for await event in transport.events { … }          // .connected brings the keys for SRTP
/// ```
///
/// Lives on a loop with other transports; what goes wrong in one stays there. Protecting and opening packets is the
/// caller's: this type neither sees inside nor changes them.
/// - Threads: an actor on `loop`'s thread; its media calls are synchronous there.
/// - Source: RFC 8445, 8838, 7675 (ICE), 5763, 5764 (DTLS-SRTP), 7983 (one port for all).
public actor PeerTransport {
  /// Gets each RTP or RTCP datagram, still protected, on the loop's thread; the bytes are valid during the call only.
  public typealias Receiver = @Sendable (_ datagram: Span<UInt8>, _ arrival: MediaInstant) -> Void

  /// The loop it lives on.
  public nonisolated let loop: EventLoop
  /// The loop; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// SHA-256 of this end's certificate, which serves this transport only.
  public nonisolated let fingerprint: CertificateFingerprint

  let settings: PeerTransportSettings
  nonisolated let path: DatagramPath
  nonisolated let publisher = EventBroadcast<PeerTransportEvent>()
  let certificate: DTLSCertificate
  var credentials = ICECredentials.random()
  var dtls: DTLSTransport?
  var dtlsTimer: LoopTimer?
  var dtlsState = DTLSTransport.State.new
  var keys: DTLSTransport.Keys?
  /// The peer's first flight, when it is ahead of its description or of the path back.
  var earlyFlight: [[UInt8]] = []
  private var remoteFingerprints: [CertificateFingerprint] = []
  private var closing = Closing.open

  /// How far `close` is.
  private enum Closing {
    case open
    case waiting([CheckedContinuation<Void, Never>], LoopTimer)
    case closed
  }

  /// A transport that has done nothing yet. Takes under 1 ms: the certificate is made here.
  public init(
    _ settings: PeerTransportSettings, on loop: EventLoop, receiver: @escaping Receiver
  ) throws(PeerTransportError) {
    self.settings = settings
    self.loop = loop
    path = DatagramPath(limit: settings.maximumDatagramByteCount, receiver: receiver)
    let certificate: DTLSCertificate
    do { certificate = try DTLSCertificate(secondsSince1970: time(nil)) } catch { throw .dtls(error) }
    fingerprint = certificate.fingerprint
    self.certificate = certificate
  }

  // The agent's end belongs on the loop's thread; and the loop outlives the job that this is. (`isolated deinit` would
  // say it, but Swift 6.3 cannot optimize another module's actor that owns such a one.)
  deinit {
    loop.perform { [loop, path] in
      path.agent = nil
      withExtendedLifetime(loop) {}
    }
  }

  /// All that happens from now on, after what holds now; ends with `closed`. Each call makes a stream of its own.
  public nonisolated var events: AsyncStream<PeerTransportEvent> { publisher.stream }

  /// What this end's description says. Changes with a restart.
  public var localParameters: PeerTransportParameters {
    PeerTransportParameters(ice: credentials, fingerprints: [fingerprint])
  }

  /// Begins the search for own candidates, which come as events. Does nothing when called again.
  /// - Parameter isControlling: whether this end makes the first offer, or the peer is ice-lite (RFC 8445 §6.1.1). Fixed
  ///   from here on. Two ends that both control, or both do not, come to terms.
  public func gather(isControlling: Bool) throws(PeerTransportError) {
    let agent = try madeAgent()
    do { try agent.gather(isControlling: isControlling) } catch { throw .ice(error) }
  }

  /// Takes what the peer's description says; checks and the handshake begin as soon as they can. Does nothing when called
  /// again with the same; takes new credentials after `restartICE`.
  /// - Parameter role: this end's part in DTLS: `client` when its own description says "active".
  public func setRemote(_ remote: PeerTransportParameters, role: DTLSRole) throws(PeerTransportError) {
    guard !remote.fingerprints.isEmpty else { throw .noFingerprint }
    guard remoteFingerprints.isEmpty || Set(remoteFingerprints) == Set(remote.fingerprints) else {
      throw .fingerprintsChanged
    }
    let agent = try madeAgent()
    do { try agent.setRemote(remote.ice, isLite: remote.isLite) } catch { throw .ice(error) }
    if dtls == nil, dtlsState == .new {
      remoteFingerprints = remote.fingerprints
      do {
        dtls = try DTLSTransport(
          role, certificate: certificate, fingerprints: remote.fingerprints, profiles: settings.profiles,
          handshakeTimeout: settings.handshakeTimeout)
      } catch { throw .dtls(error) }
      startDTLS()
    }
  }

  /// Takes one candidate of the peer; before its credentials too. What cannot be used is counted.
  public func add(_ remoteCandidate: ICECandidate) throws(PeerTransportError) { try madeAgent().add(remoteCandidate) }

  /// The peer has no more candidates: from now on it is a failure when none works.
  public func endOfRemoteCandidates() throws(PeerTransportError) { try madeAgent().endOfRemoteCandidates() }

  /// Looks for a path anew, as when the network has changed; media flows over the old one meanwhile, if it can.
  ///
  /// The peer needs the new credentials, and answers with new ones for `setRemote`. An end whose peer restarts calls this
  /// first. Own candidates come again as events. New network interfaces are not looked for.
  /// - Returns: this end's new credentials.
  @discardableResult
  public func restartICE() throws(PeerTransportError) -> ICECredentials {
    let agent = try madeAgent()
    credentials = .random()
    publisher.forgetCandidates()
    agent.restart(credentials)
    return credentials
  }

  /// What became of a datagram.
  public enum SendOutcome: Sendable {
    case sent
    /// The socket's buffer is full; the datagram is lost, as on the way.
    case wouldBlock
    /// There is no path now.
    case notConnected
    /// Longer than the settings allow, or empty.
    case wrongSize
  }

  /// Sends a protected RTP or RTCP packet over the selected pair, at once.
  /// - Threads: the loop's only; traps on another. Allocates nothing, nor does libnice on a path without a relay.
  @discardableResult
  public nonisolated func send(_ datagram: Span<UInt8>) -> SendOutcome {
    precondition(loop.isCurrent, "PeerTransport.send is called on another thread than that of its EventLoop")
    return path.send(datagram, at: EventLoop.now)
  }

  /// Tells the peer and the servers, and releases all; returns when that is done, after `closeTimeout` at the latest.
  ///
  /// At any time and any number of times.
  public func close() async {
    if case .closed = closing { return }
    await withCheckedContinuation { done in
      switch closing {
      case .closed: done.resume()
      case .waiting(let others, let timer): closing = .waiting(others + [done], timer)
      case .open: beginClosing(done)
      }
    }
  }

  /// Counts of now.
  public func statistics() -> TransportStatistics {
    var now = path.counts
    now.iceLocalUsernameFragment = credentials.usernameFragment
    now.dtlsState = dtlsState
    now.srtpCipher = keys?.sending.profile
    if let agent = path.agent {
      now.isControlling = agent.isControlling
      now.iceState = agent.state
      now.selectedCandidatePair = agent.selectedPair
      now.ice = agent.statistics
      now.selectedCandidatePairChanges = agent.statistics.selectedCandidatePairChanges
    } else if case .closed = closing {
      now.iceState = .closed
    }
    return now
  }

  private func madeAgent() throws(PeerTransportError) -> ICEAgent {
    guard case .open = closing else { throw .closed }
    if let agent = path.agent { return agent }
    do {
      let made = unsafe try ICEAgent(
        settings.ice, credentials: credentials, on: loop,
        onEvent: { [weak self] event in self?.assumeIsolated { $0.handle(event) } },
        onDatagram: { [path] bytes, now in unsafe path.received(bytes, at: now) })
      path.agent = made
      path.onHandshake = { [weak self] datagram, now in
        self?.assumeIsolated { $0.receiveDTLS(datagram, at: now) }
      }
      return made
    } catch { throw .ice(error) }
  }

  private func beginClosing(_ done: CheckedContinuation<Void, Never>) {
    closeDTLS()
    let timer = loop.schedule(
      at: EventLoop.now.advanced(byMilliseconds: settings.closeTimeout * 1_000)
    ) { [weak self] in self?.assumeIsolated { $0.finishClosing() } }
    closing = .waiting([done], timer)
    guard let agent = path.agent else {
      finishClosing()
      return
    }
    agent.close { [weak self] in self?.assumeIsolated { $0.finishClosing() } }
  }

  private func finishClosing() {
    guard case .waiting(let waiting, _) = closing else { return }
    closing = .closed
    if let agent = path.agent { path.counts.ice = agent.statistics }
    path.agent = nil
    publisher.publish(.closed)
    publisher.finish()
    for done in waiting { done.resume() }
  }
}
