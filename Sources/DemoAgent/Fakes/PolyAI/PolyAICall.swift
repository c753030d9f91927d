internal import Networking
internal import RealtimeCore
internal import VoiceSession

/// A call at the gateway: offer and answer, candidates as they are found, and the agent.
///
/// - Threads: the loop's.
final class PolyAICall: @unchecked Sendable {
  let id: String
  let callSID: String
  let number: Int
  private let peer: AgentPeer
  private let conversation: AgentConversation
  private let settings: PolyAISettings
  private let context: FakeContext
  private unowned let fake: PolyAIFake
  private var link: FakeLink?
  private var messaging: PolyAIMessaging?
  private var watching: Task<Void, Never>?
  private var timer: LoopTimer?
  /// Candidates that wait for a socket.
  private var waiting: [JSON] = []
  private var hasBegun = false

  private final class Place: @unchecked Sendable { weak var call: PolyAICall? }

  init(
    _ id: String, callSID: String, _ link: FakeLink, _ settings: PolyAISettings, _ context: FakeContext,
    on fake: PolyAIFake
  ) throws {
    self.id = id
    self.callSID = callSID
    self.link = link
    self.settings = settings
    self.context = context
    self.fake = fake
    number = context.log.newCall()
    let place = Place()
    peer = try AgentPeer(trickles: true, on: context.loop) { place.call?.conversation.hear($0) }
    var mind = context.settings.mind
    mind.asksClient = false
    conversation = AgentConversation(context.settings.voice, mind, context.worker, on: context.loop) {
      place.call?.take($0)
    }
    place.call = self
    context.log.tell(.began, "call \(callSID)", call: number)
  }

  /// Answers the offer; candidates follow.
  func answer(_ sdp: String) async throws {
    let answer = try await peer.connection.accept(offer: sdp)
    let frame: JSON = [
      "type": "answer", "sessionId": .string(id), "data": ["type": "answer", "sdp": .string(answer)],
    ]
    if settings.answerSeconds > 0 {
      // Its candidates do not wait, and are there first.
      timer = context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: settings.answerSeconds * 1_000)) {
        [weak self] in self?.send("answer", frame)
      }
    } else {
      send("answer", frame)
    }
    let events = peer.connection.events
    let loop = context.loop
    watching = Task { [weak self] in
      for await event in events { loop.perform { [weak self] in self?.take(event) } }
    }
  }

  func attach(_ link: FakeLink) {
    guard self.link !== link else { return }
    self.link = link
    timer = nil
    for frame in waiting { send("ice-candidate", frame) }
    waiting = []
  }

  /// The sound goes on; the call waits for another socket.
  func detach(_ link: FakeLink) {
    guard self.link === link else { return }
    self.link = nil
    timer = context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: settings.patienceSeconds * 1_000)) {
      [weak self] in self?.end(tells: false)
    }
  }

  func take(_ type: String, _ json: JSON) async throws(Refusal) {
    switch type {
    case "ice-candidate":
      let data = json["data"]
      guard let candidate = data?["candidate"]?.string else { throw Refusal(1008, "candidate without text") }
      for (key, isRight) in [
        ("sdpMid", { (value: JSON) in value.string != nil }),
        ("sdpMLineIndex", { (value: JSON) in value.integer != nil }),
      ] {
        guard let value = data?[key], value.isNull || isRight(value) else { throw Refusal(1008, "missing key \(key)") }
      }
      do {
        if candidate.isEmpty {
          try await peer.connection.endOfCandidates()
        } else {
          try await peer.connection.add(candidate: candidate)
        }
      } catch { throw Refusal(1008, "candidate: \(error)") }
    case "close": await fake.end(self, tells: false)
    default: throw Refusal(1008, "unknown type \(type.prefix(40))")
    }
  }

  func sayGoodbye() {
    send("close", ["type": "close"])
    link?.close(1000, "")
  }

  func release() async {
    timer = nil
    conversation.end()
    watching?.cancel()
    await peer.connection.close()
  }

  private func end(tells: Bool) { Task { [fake] in await fake.end(self, tells: tells) } }

  private func take(_ event: PeerConnectionEvent) {
    switch event {
    case .localCandidate(let candidate, let mid):
      let frame: JSON = [
        "type": "ice-candidate", "sessionId": .string(id),
        "data": [
          "candidate": .string(candidate.description), "sdpMid": .string(mid ?? "0"), "sdpMLineIndex": 0,
        ],
      ]
      if link == nil { waiting.append(frame) } else { send("ice-candidate", frame) }
    case .state(.connected): begin()
    case .state(.failed), .media(.remoteStreamEnded): end(tells: true)
    default: break
    }
  }

  private func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    Task { [fake, callSID, loop = context.loop] in
      let session = await fake.session(of: callSID)
      loop.perform { [weak self] in
        guard let self else { return }
        messaging = session
        session?.reader = { [weak self] in self?.conversation.read($0) }
        session?.joined()
        conversation.begin()
      }
    }
  }

  private func take(_ output: AgentConversation.Output) {
    switch output {
    case .mind(let output): take(output)
    case .raw(let message): link?.send("raw", message)
    case .close(let code, let reason): link?.close(code, reason)
    case .abort: link?.abort()
    }
  }

  private func take(_ output: MindOutput) {
    peer.play(output)
    context.log.tell(output, call: number)
    switch output {
    case .state(.thinking): messaging?.thinking()
    case .heard(_, let text): messaging?.tellUser(text)
    case .reply(_, let text): messaging?.tellAgent(text)
    case .hangUp: end(tells: true)
    default: break
    }
  }

  private func send(_ kind: String, _ frame: JSON) { link?.send(kind, frame) }
}
