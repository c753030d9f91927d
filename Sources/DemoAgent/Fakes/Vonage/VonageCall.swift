internal import Networking
internal import RealtimeCore
internal import VoiceSession

/// One call of the stand-in: a WebRTC peer and the agent behind it.
///
/// - Threads: the loop's.
final class VonageCall: @unchecked Sendable {
  let id: String
  let leg: String
  let number: Int
  let peer: AgentPeer
  let conversation: AgentConversation
  private(set) var hasMedia = false
  private var isAnswered = false
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - onCandidate: called with each of the agent's candidates; with an empty text behind the last.
  ///   - onEnd: the agent hangs up, or the path is lost.
  ///   - onRaw: what a script wants of the socket.
  init(
    _ id: String, _ context: FakeContext, onCandidate: @escaping @Sendable (String) -> Void,
    onEnd: @escaping @Sendable () -> Void, onRaw: @escaping @Sendable (AgentConversation.Output) -> Void
  ) throws {
    self.id = id
    leg = "LEG-" + id.dropFirst(4)
    number = context.log.newCall()
    let link = PeerLink()
    peer = try AgentPeer(trickles: true, on: context.loop) { link.call?.conversation.hear($0) }
    var mind = context.settings.mind
    mind.asksClient = false
    let (log, number) = (context.log, number)
    conversation = AgentConversation(context.settings.voice, mind, context.worker, on: context.loop) { output in
      guard case .mind(let output) = output else { return onRaw(output) }
      link.call?.peer.play(output)
      log.tell(output, call: number)
      if output == .hangUp { onEnd() }
    }
    link.call = self
    let events = peer.connection.events
    let loop = context.loop
    watching = Task { [weak self] in
      for await event in events {
        loop.perform { [weak self] in
          switch event {
          case .localCandidate(let candidate, _): onCandidate(candidate.description)
          case .endOfLocalCandidates: onCandidate("")
          case .state(.connected): self?.mediaConnected()
          case .state(.failed), .media(.remoteStreamEnded): onEnd()
          default: break
          }
        }
      }
    }
  }

  /// The callee's sound, which begins before the call is whole.
  private final class PeerLink: @unchecked Sendable { weak var call: VonageCall? }

  func accept(_ sdp: String) async throws -> String { try await peer.connection.accept(offer: sdp) }

  func add(candidate: String) async throws(Refusal) {
    do {
      if candidate.isEmpty {
        try await peer.connection.endOfCandidates()
      } else {
        try await peer.connection.add(candidate: candidate)
      }
    } catch { throw Refusal(1008, "call.candidate: \(error)") }
  }

  /// The far side has taken the call: the agent begins when there is a path too.
  func answered() {
    isAnswered = true
    if hasMedia { conversation.begin() }
  }

  private func mediaConnected() {
    guard !hasMedia else { return }
    hasMedia = true
    if isAnswered { conversation.begin() }
  }

  /// The figure at hang-up: a mean opinion score of what arrived.
  var quality: JSON {
    get async {
      let inbound = await peer.connection.snapshot?.statistics.inboundRTP
      let received = Double(inbound?.packetsReceived ?? 0)
      let lost = Double(max(0, inbound?.packetsLost ?? 0))
      let loss = received + lost > 0 ? 100 * lost / (received + lost) : 0
      return ["mos": .number((max(1, 4.4 - 0.1 * loss) * 100).rounded() / 100), "packets": .number(received)]
    }
  }

  func release() async {
    conversation.end()
    watching?.cancel()
    await peer.connection.close()
  }
}

extension AgentPeer {
  /// What a mind's output means for the sound.
  func play(_ output: MindOutput) {
    switch output {
    case .speech(_, let speech): say(speech)
    case .interrupted: flush()
    default: break
    }
  }
}

extension AgentLog {
  /// What a mind's output means for the log.
  func tell(_ output: MindOutput, call: Int) {
    switch output {
    case .state(let state): tell(.state, state.rawValue, call: call)
    case .heard(_, let text): tell(.heard, text, call: call)
    case .reply(_, let text): tell(.said, text, call: call)
    case .interrupted(_, _, let spoken): tell(.interrupted, spoken, call: call)
    case .toolCall(_, _, let name, _): tell(.toolCall, name, call: call)
    default: break
    }
  }
}
