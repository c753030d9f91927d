internal import MediaEngine
public import Networking
public import RTPTransport
internal import RealtimeCore

/// A voice call with one WebRTC peer: session descriptions in and out, a path by ICE, keys by DTLS, and an engine between
/// them and the sound.
///
/// ```swift
/// let connection = try PeerConnection(settings, sound: .devices(), on: loop)
/// let offer = try await connection.makeOffer()          // to the peer, by your own signalling
/// try await connection.accept(answer: theirs)
/// for await event in connection.events { … }            // candidates to send, state, keys, speech
/// await connection.close()
/// ```
///
/// - Threads: an actor on `loop`'s thread. Sound runs on a thread of the device's.
/// - Source: RFC 9429 (JSEP) for one section of audio; the states are W3C's.
public actor PeerConnection {
  /// The loop it lives on.
  public nonisolated let loop: EventLoop
  /// The loop; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let settings: PeerConnectionSettings
  let sound: CallSound
  let transport: PeerTransport
  nonisolated let broadcast: EventBroadcast<PeerConnectionEvent>
  var negotiation: AudioNegotiation
  let link = EngineLink()
  var running: CallSound.Running?
  private var client: EngineClient?
  var startingSound: Task<Void, Never>?
  var state = PeerConnectionState.new
  var keys: DTLSTransport.Keys?
  private var hasOfferedFirst: Bool?
  private var localCandidates: [ICECandidate] = []
  private var hasGathered = false
  private var gatheringWaiters: [CheckedContinuation<Void, Never>] = []
  private var reading: Task<Void, Never>?
  var pumpTimer: LoopTimer?
  private var closing: Task<Void, Never>?
  private var isClosing: Bool { closing != nil }

  /// A connection that has done nothing yet.
  public init(
    _ settings: PeerConnectionSettings = PeerConnectionSettings(), sound: CallSound, on loop: EventLoop
  ) throws(PeerConnectionError) {
    self.settings = settings
    self.sound = sound
    self.loop = loop
    broadcast = EventBroadcast { event in
      switch event {
      case .localCandidate(let candidate, _): EventKind(0, candidate.description)
      case .endOfLocalCandidates: EventKind(1)
      case .selectedPair: EventKind(2)
      case .mediaStarted: EventKind(3)
      case .failed: EventKind(4)
      case .state: EventKind(5)
      case .media: nil
      }
    }
    let link = UncheckedBox(self.link)
    do {
      transport = try PeerTransport(settings.transport, on: loop) { datagram, arrival in
        link.value.receive(datagram, at: arrival)
      }
    } catch { throw .transport(error) }
    var local = LocalAudio(
      ssrc: .random(in: 1 ... .max), canonicalName: String(UInt64.random(in: 0 ... .max), radix: 36),
      ice: ICECredentials(usernameFragment: "", password: ""), fingerprint: transport.fingerprint,
      codecs: settings.orderedCodecs)
    local.packetTime = settings.packetDuration == 20_000 ? nil : Double(settings.packetDuration) / 1_000
    negotiation = AudioNegotiation(sessionID: .random(in: 1..<(1 << 62)), local: local)
  }

  deinit { reading?.cancel() }

  /// All that happens from now on, after what holds now; ends when the connection is closed.
  public nonisolated var events: AsyncStream<PeerConnectionEvent> { broadcast.stream }

  /// What is agreed on; `nil` before the first exchange.
  public var negotiated: NegotiatedAudio? { negotiation.negotiated }

  /// Makes an offer; with the first one the search for candidates begins.
  /// - Returns: the session description, for the peer.
  public func makeOffer() async throws(PeerConnectionError) -> String {
    try await gather(isControlling: hasOfferedFirst ?? true)
    do {
      let offer = try negotiation.makeOffer()
      if hasOfferedFirst == nil { hasOfferedFirst = true }
      change(to: .connecting, from: [.new])
      return offer.text
    } catch { throw .description(error) }
  }

  /// Takes the peer's answer to the last offer.
  public func accept(answer text: String) async throws(PeerConnectionError) {
    do { try negotiation.accept(answer: SDPSession(text)) } catch { throw .description(error) }
    try await useNegotiated()
  }

  /// Takes an answer to the last offer that another one, of the same path and keys, may follow: sound flows already.
  func accept(provisionalAnswer text: String) async throws(PeerConnectionError) {
    do { try negotiation.accept(answer: SDPSession(text), isFinal: false) } catch { throw .description(error) }
    try await useNegotiated()
  }

  /// Withdraws an offer that waits for its answer, if there is one.
  func rollBack() { negotiation.rollBack() }

  /// Takes the peer's offer.
  /// - Returns: the answer, for the peer.
  public func accept(offer text: String) async throws(PeerConnectionError) -> String {
    let offer: SDPSession
    do { offer = try SDPSession(text) } catch { throw .description(error) }
    // A peer with new credentials has begun to look for a path anew, and this end has to, before it answers.
    if negotiation.restartsICE(offer) { try await restartPath() }
    try await gather(isControlling: hasOfferedFirst ?? offer.isICELite)
    let answer: SDPSession
    do { answer = try negotiation.accept(offer: offer) } catch { throw .description(error) }
    if hasOfferedFirst == nil { hasOfferedFirst = false }
    change(to: .connecting, from: [.new])
    try await useNegotiated()
    return answer.text
  }

  /// Takes a candidate of the peer that came behind its description: an `a=candidate` line, with or without "a=".
  public func add(candidate line: String) async throws(PeerConnectionError) {
    let text = line.hasPrefix("a=") ? String(line.dropFirst(2)) : line
    guard let candidate = ICECandidate(text) else { throw .malformedCandidate(line) }
    do { try await transport.add(candidate) } catch { throw .transport(error) }
  }

  /// The peer has no more candidates.
  public func endOfCandidates() async throws(PeerConnectionError) {
    do { try await transport.endOfRemoteCandidates() } catch { throw .transport(error) }
  }

  /// Makes an offer that looks for a path anew, as when the network has changed; sound goes on over the old one, if it can.
  public func restartICE() async throws(PeerConnectionError) -> String {
    try await restartPath()
    return try await makeOffer()
  }

  /// Puts the call on hold or takes it back: the offer that tells the peer. Nothing is sent from now on, or again.
  /// - Parameter direction: `inactive` or `sendOnly` for hold, `sendReceive` for the call as it was.
  public func makeOffer(direction: MediaDirection) async throws(PeerConnectionError) -> String {
    negotiation.local.direction = direction
    return try await makeOffer()
  }

  /// Tells the engine something.
  /// - Returns: false when there is no engine yet, or 64 commands wait already.
  @discardableResult
  public func send(_ command: MediaCommand) -> Bool { link.push(command) }

  /// The engine as it was a moment ago; `nil` before sound has begun.
  public var snapshot: MediaSnapshot? { link.latestSnapshot() }

  /// Counts of the path.
  public var transportStatistics: TransportStatistics { get async { await transport.statistics() } }

  /// Says goodbye, and releases all; at any time, any number of times. When it returns, the sound has ended too.
  public func close() async {
    if closing == nil { closing = Task { await releaseAll() } }
    await closing?.value
  }

  private func releaseAll() async {
    await startingSound?.value
    pumpTimer = nil
    if let running {
      self.running = nil
      await running.end()
      // Nobody else calls the engine any more.
      client?.leave(at: EventLoop.now)
      link.drain { transport.send($0) }
    }
    await transport.close()
    state = .closed
    broadcast.publish(.state(.closed))
    broadcast.finish()
    for waiter in gatheringWaiters { waiter.resume() }
    gatheringWaiters = []
  }
}

// The path.
extension PeerConnection {
  /// Begins to look for candidates; without trickle, waits until all are found.
  private func gather(isControlling: Bool) async throws(PeerConnectionError) {
    guard !isClosing else { throw .closed }
    if reading == nil { read(transport.events) }
    negotiation.local.ice = await transport.localParameters.ice
    do { try await transport.gather(isControlling: isControlling) } catch { throw .transport(error) }
    if !settings.trickles, !hasGathered {
      await withCheckedContinuation { gatheringWaiters.append($0) }
      guard !isClosing else { throw .closed }
    }
    negotiation.local.candidates = localCandidates
    negotiation.local.isEndOfCandidates = hasGathered
  }

  private func read(_ events: AsyncStream<PeerTransportEvent>) {
    reading = Task { [weak self] in
      for await event in events {
        guard let self else { return }
        await self.handle(event)
      }
    }
  }

  private func restartPath() async throws(PeerConnectionError) {
    localCandidates = []
    hasGathered = false
    broadcast.forget { event in
      switch event {
      case .localCandidate, .endOfLocalCandidates: true
      default: false
      }
    }
    do { try await transport.restartICE() } catch { throw .transport(error) }
  }

  private func useNegotiated() async throws(PeerConnectionError) {
    guard let negotiated = negotiation.negotiated else { return }
    do {
      try await transport.setRemote(
        PeerTransportParameters(
          ice: negotiated.remoteICE, fingerprints: negotiated.remoteFingerprints, isLite: negotiated.isRemoteICELite),
        role: negotiated.isDTLSClient ? .client : .server)
      for candidate in negotiated.remoteCandidates { try await transport.add(candidate) }
      if negotiated.isRemoteEndOfCandidates || !negotiated.remoteICEOptions.contains("trickle") {
        try await transport.endOfRemoteCandidates()
      }
    } catch { throw .transport(error) }
    _ = link.push(.send(negotiated.direction.sends))
    startMediaIfReady()
  }

  private func handle(_ event: PeerTransportEvent) {
    switch event {
    case .localCandidate(let candidate):
      localCandidates.append(candidate)
      if settings.trickles { broadcast.publish(.localCandidate(candidate, mid: negotiation.negotiated?.mid ?? "0")) }
    case .gatheringState(let gathering):
      guard gathering == .complete else { return }
      hasGathered = true
      for waiter in gatheringWaiters { waiter.resume() }
      gatheringWaiters = []
      if settings.trickles { broadcast.publish(.endOfLocalCandidates) }
    case .candidateError: break  // other servers may serve; without any, the path fails
    case .iceState(let ice):
      switch ice {
      case .disconnected: change(to: .disconnected, from: [.connected])
      case .connected, .completed:
        // After a break; at first, DTLS is to come still.
        if keys != nil { change(to: .connected, from: [.disconnected, .failed]) }
      case .new, .checking, .failed, .closed: break
      }
    case .selectedPair(let pair): broadcast.publish(.selectedPair(pair))
    case .dtlsState: break
    case .connected(let keys):
      self.keys = keys
      startMediaIfReady()
    case .failed(let error): fail(.transport(error))
    case .closed: break
    }
  }

  func fail(_ error: PeerConnectionError) {
    guard !isClosing else { return }
    broadcast.publish(.failed(error))
    change(to: .failed, from: [.new, .connecting, .connected, .disconnected])
  }

  func change(to new: PeerConnectionState, from allowed: [PeerConnectionState]) {
    guard allowed.contains(state), state != new else { return }
    state = new
    if new == .connected {
      broadcast.forget { event in
        if case .failed = event { true } else { false }
      }
    }
    broadcast.publish(.state(new))
  }
}

// The sound.
extension PeerConnection {
  /// How often the engine's datagrams are looked for. The audio thread wakes nobody: that would be a system call.
  private static var pumpInterval: Int64 { 4_000_000 }

  private func startMediaIfReady() {
    guard startingSound == nil, !isClosing, let keys, let negotiated = negotiation.negotiated else { return }
    guard let ends = link.takeAudioEnds() else { return }
    do throws(PeerConnectionError) {
      var engine = settings.engine
      engine.captureRate = sound.sampleRate
      engine.renderRate = sound.sampleRate
      try engine.take(
        negotiated, local: negotiation.local, keys: keys, redundancyLevels: settings.redundancyLevels,
        bitrateRange: settings.bitrateRange, packetDuration: settings.packetDuration)
      let client: EngineClient
      do { client = try EngineClient(engine, ends) } catch { throw .engine(error) }
      start(client, negotiated)
    } catch { fail(error) }
  }

  private func start(_ client: EngineClient, _ negotiated: NegotiatedAudio) {
    let sound = sound
    self.client = client
    startingSound = Task {
      do {
        running = try await sound.begin(client)
        broadcast.publish(.mediaStarted(negotiated))
        change(to: .connected, from: [.connecting, .disconnected])
        if !isClosing { pump() }
      } catch { fail(.sound("\(error)")) }
    }
  }

  /// Sends what the engine has made, tells what it noticed, and comes again.
  func pump() {
    link.drain { transport.send($0) }
    while let event = link.nextEvent() { broadcast.publish(.media(event)) }
    pumpTimer = loop.schedule(at: EventLoop.now.advanced(byNanoseconds: Self.pumpInterval)) { [weak self] in
      self?.assumeIsolated { $0.pump() }
    }
  }
}

/// Carries what only the loop's thread touches into a closure that only the loop's thread calls.
private struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
