internal import Networking
internal import RealtimeCore

/// A live call: the caller's sound in, the far side's voice out, as bytes (s16le, 16 kHz), and the Gemini backend's texts.
actor HablaLiveSession {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let link: FakeLink
  private let settings: HablaSettings
  private let context: FakeContext
  private let call: Int
  private var conversation: AgentConversation?
  private var hearing = CallerSound(FramedAudioFormat(.pcm16, .hz16000))
  private var speaking = AgentSound(FramedAudioFormat(.pcm16, .hz16000))
  private var facts = HablaFacts()
  private var timer: LoopTimer?

  init(_ link: FakeLink, _ settings: HablaSettings, _ context: FakeContext) {
    self.link = link
    self.settings = settings
    self.context = context
    loop = context.loop
    call = context.log.newCall()
  }

  /// Serves the socket to its end.
  func run() async {
    context.log.tell(.began, "live call", call: call)
    after(settings.ringSeconds) { session in
      session.send(["type": "status", "status": "ringing"])
      session.after(session.settings.ringSeconds) { $0.connect() }
    }
    while let message = await link.next() {
      switch message {
      case .binary(let bytes): conversation?.hear(hearing.decode(bytes))
      case .text:
        // The vendor's server waits for bytes alone, and its loop breaks.
        context.log.tell(.refused, "text on the live socket", call: call)
        link.close(1011, "")
      }
      if link.isOver { break }
    }
    conversation?.end()
    timer = nil
    context.log.tell(.ended, "\(await link.socket.ended())", call: call)
  }

  private func connect() {
    send(["type": "status", "status": "connected"])
    var mind = context.settings.mind
    mind.asksClient = false
    let conversation = AgentConversation(context.settings.voice, mind, context.worker, on: loop) { [weak self] output in
      self?.assumeIsolated { $0.take(output) }
    }
    self.conversation = conversation
    conversation.begin()
  }

  /// A text event, if the backend has such.
  private func send(_ event: JSON) {
    guard settings.backend == .gemini else { return }
    link.send(event["type"]?.string ?? "", event)
  }

  private func take(_ output: AgentConversation.Output) {
    switch output {
    case .mind(let output): take(output)
    case .raw(let message): link.send("raw", message)
    case .close(let code, let reason): link.close(code, reason)
    case .abort: link.abort()
    }
  }

  private func take(_ output: MindOutput) {
    switch output {
    case .state(let state): context.log.tell(.state, state.rawValue, call: call)
    case .heard(_, let text):
      context.log.tell(.heard, text, call: call)
      send(["type": "transcription", "text": .string(text)])
    case .reply(_, let text):
      context.log.tell(.said, text, call: call)
      send(["type": "translation", "text": .string(text)])
      if facts.note(text, by: "callee") { send(facts.summary) }
    case .speech(_, let speech):
      let size = settings.chunkMilliseconds * 32
      for piece in link.cut(speaking.encode(speech), every: max(2, size)) { link.send(piece) }
    case .interrupted(_, _, let spoken):
      context.log.tell(.interrupted, spoken, call: call)
      send(["type": "interrupted"])
    case .hangUp:
      send(["type": "status", "status": "completed"])
      link.close(1000, "")
    case .voiceScore, .recognise, .synthesise, .complete, .toolCall: break
    }
  }

  private func after(_ seconds: Double, _ work: @escaping @Sendable (isolated HablaLiveSession) -> Void) {
    timer = loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
      self?.assumeIsolated { work($0) }
    }
  }
}
