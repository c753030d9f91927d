internal import CNice
internal import RTPTransport

// Where libnice's callbacks come in: on the loop's thread, with the agent as user data. They end in deinit at the latest.

extension ICEAgent {
  func connectCallbacks() {
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe antiphon_on_candidate(agent, { unsafe ICEAgent.from($2).candidateFound($1) }, data)
    unsafe antiphon_on_gathering_done(agent, { _, _, data in unsafe ICEAgent.from(data).niceGatheringDone() }, data)
    unsafe antiphon_on_state(
      agent, { _, _, _, state, data in unsafe ICEAgent.from(data).stateChanged(NiceComponentState(state)) }, data)
    unsafe antiphon_on_selected_pair(agent, { unsafe ICEAgent.from($5).pairSelected($3, $4) }, data)
    unsafe nice_agent_attach_recv(
      agent, stream, Self.component, loop.context,
      { _, _, _, byteCount, bytes, data in
        unsafe ICEAgent.from(data).received(
          UnsafeBufferPointer(
            start: UnsafeRawPointer(bytes)?.assumingMemoryBound(to: UInt8.self), count: Int(byteCount)))
      }, data)
  }

  func disconnectSignals() {
    unsafe antiphon_disconnect(agent, Unmanaged.passUnretained(self).toOpaque())
  }

  func disconnectReceiving() {
    unsafe nice_agent_attach_recv(agent, stream, Self.component, loop.context, nil, nil)
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> ICEAgent {
    unsafe Unmanaged<ICEAgent>.fromOpaque(data!).takeUnretainedValue()
  }

  /// This end's candidates found so far, in libnice's order.
  func localCandidates() -> [ICECandidate] {
    let list = unsafe nice_agent_get_local_candidates(agent, stream, Self.component)
    defer { unsafe antiphon_free_candidates(list) }
    var found: [ICECandidate] = []
    var item = unsafe list
    while let entry = unsafe item {
      let candidate = unsafe local(entry.pointee.data.assumingMemoryBound(to: NiceCandidate.self))
      if let candidate, candidate.kind != .peerReflexive, settings.policy == .all || candidate.kind == .relayed {
        found.append(candidate)
      }
      unsafe item = entry.pointee.next
    }
    return found
  }

  private func local(_ candidate: UnsafeMutablePointer<NiceCandidate>) -> ICECandidate? {
    unsafe ICECandidate(
      local: candidate, usernameFragment: credentials.usernameFragment, hidesBase: settings.policy == .relay)
  }

  private func candidateFound(_ candidate: UnsafeMutablePointer<NiceCandidate>?) {
    guard let candidate = unsafe candidate, let ours = unsafe local(candidate) else { return }
    // What the checks themselves find out is not for the peer (RFC 8838 §8).
    if ours.kind != .peerReflexive { found(ours) }
  }

  private func pairSelected(
    _ mine: UnsafeMutablePointer<NiceCandidate>?, _ theirs: UnsafeMutablePointer<NiceCandidate>?
  ) {
    guard let mine = unsafe mine, let theirs = unsafe theirs, let local = unsafe local(mine),
      let remote = unsafe ICECandidate(remote: theirs)
    else { return }
    selected(ICECandidatePair(local: local, remote: remote))
  }

  private func stateChanged(_ new: NiceComponentState) {
    niceState = new
    if consent.isRenewing { return }
    switch new {
    case NICE_COMPONENT_STATE_CONNECTING: setState(.checking)
    case NICE_COMPONENT_STATE_CONNECTED: setState(.connected)
    case NICE_COMPONENT_STATE_READY: setState(.completed)
    case NICE_COMPONENT_STATE_FAILED: pathFailed()
    default: break  // no path was looked for, or own addresses are
    }
  }

  /// All pairs have failed, or the selected one has lost the peer's consent.
  private func pathFailed() {
    switch state {
    case .connected, .completed, .disconnected: consentMissed()
    case .new, .checking:
      // More candidates may come; without the peer's end of candidates the connection's timeout decides.
      if remote.isComplete { fail(.noPath(statistics)) }
    case .failed, .closed: break
    }
  }

  private func received(_ datagram: UnsafeBufferPointer<UInt8>) {
    if state == .closed { return }
    let now = EventLoop.now
    lastArrival = now
    // Shows that there is a path; whether the peer consents, its answers say.
    if state == .disconnected, consent.missCount > 0 { setState(.completed) }
    unsafe onDatagram(datagram, now)
  }
}
