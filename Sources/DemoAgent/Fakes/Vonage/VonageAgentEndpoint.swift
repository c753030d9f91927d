internal import Networking
internal import RealtimeCore

/// An application behind Vonage's Voice WebSocket: the agent, whom the platform dials.
///
/// Strict with the platform: the first frame must tell a known content type, each packet has its 20 ms.
actor VonageAgentEndpoint {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let link: FakeLink
  private let context: FakeContext
  private let call: Int
  private var conversation: AgentConversation?
  private var ports: Ports?
  private var waiting: [UInt8] = []
  private var pacing: LoopTimer?
  private var queuedUntil = MediaInstant.zero

  private final class Ports {
    var hearing: CallerSound
    var speaking: AgentSound
    let packetSize: Int

    init(_ format: FramedAudioFormat) {
      hearing = CallerSound(format)
      speaking = AgentSound(format)
      packetSize = format.packetByteCount(milliseconds: VonageWire.packetMilliseconds)
    }
  }

  init(_ link: FakeLink, _ context: FakeContext) {
    self.link = link
    self.context = context
    loop = context.loop
    call = context.log.newCall()
  }

  /// Serves the socket to its end.
  func run() async {
    context.log.tell(.began, "voice socket", call: call)
    while let message = await link.next() {
      do throws(Refusal) { try take(message) } catch {
        context.log.tell(.refused, error.reason, call: call)
        link.close(error.code, error.reason)
        break
      }
    }
    conversation?.end()
    pacing = nil
    context.log.tell(.ended, "\(await link.socket.ended())", call: call)
  }

  private func take(_ message: WebSocketMessage) throws(Refusal) {
    switch message {
    case .binary(let packet):
      guard let ports else { throw Refusal(1008, "a packet before websocket:connected") }
      guard packet.count == ports.packetSize else {
        throw Refusal(1003, "a packet of \(packet.count) bytes where each has \(ports.packetSize)")
      }
      conversation?.hear(ports.hearing.decode(packet))
    case .text(let text):
      guard let json = try? JSONReader.read(text), json.members != nil else {
        throw Refusal(1007, "text that is no JSON object")
      }
      try take(json)
      conversation?.noticed(text)
    }
  }

  private func take(_ json: JSON) throws(Refusal) {
    guard ports != nil else {
      guard json["event"] == "websocket:connected" else { throw Refusal(1008, "websocket:connected is expected first") }
      guard let type = json["content-type"]?.string, let format = VonageWire.format(contentType: type) else {
        throw Refusal(1003, "content-type must be audio/l16 at 8000, 16000 or 24000 Hz")
      }
      ports = Ports(format)
      return begin()
    }
    if let digit = json["dtmf"]?["digit"]?.string ?? (json["event"] == "websocket:dtmf" ? json["digit"]?.string : nil) {
      context.log.tell(.note, "key \(digit)", call: call)
      conversation?.attend()
      return
    }
    switch json["event"]?.string {
    case "websocket:connected": throw Refusal(1008, "websocket:connected twice")
    case "websocket:cleared": context.log.tell(.note, "cleared", call: call)
    case "websocket:notify": context.log.tell(.note, "played \(json["payload"]?.text ?? "")", call: call)
    default: break  // newer events are passed over
    }
  }

  private func begin() {
    var mind = context.settings.mind
    mind.asksClient = false
    let conversation = AgentConversation(context.settings.voice, mind, context.worker, on: loop) { [weak self] output in
      self?.assumeIsolated { $0.take(output) }
    }
    self.conversation = conversation
    conversation.begin()
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
    case .heard(_, let text): context.log.tell(.heard, text, call: call)
    case .reply(_, let text): context.log.tell(.said, text, call: call)
    case .speech(_, let speech):
      waiting += ports?.speaking.encode(speech) ?? []
      pace()
    case .complete(let turn):
      fill()
      pace()
      link.send("notify", ["action": "notify", "payload": ["turn": .integer(turn)]])
    case .interrupted(_, _, let spoken):
      context.log.tell(.interrupted, spoken, call: call)
      waiting = []
      queuedUntil = .zero
      link.send("clear", ["action": "clear"])
    case .hangUp: link.close(1000, "")
    case .voiceScore, .recognise, .synthesise, .toolCall: break
    }
  }

  /// The turn's last packet is filled up with silence.
  private func fill() {
    guard let size = ports?.packetSize, !waiting.isEmpty else { return }
    let rest = waiting.count % size
    if rest > 0 { waiting += [UInt8](repeating: 0, count: size - rest) }
  }

  /// Sends whole packets, faster than real time, and stops short of what the older platform queues.
  private func pace() {
    guard let size = ports?.packetSize else { return }
    let now = EventLoop.now
    queuedUntil = max(queuedUntil, now)
    let room = 1_000 - Int(queuedUntil.milliseconds(since: now)) / VonageWire.packetMilliseconds
    let count = min(max(0, room), waiting.count / size)
    let bytes = Array(waiting.prefix(count * size))
    waiting.removeFirst(bytes.count)
    queuedUntil = queuedUntil.advanced(byMilliseconds: Double(count * VonageWire.packetMilliseconds))
    for packet in link.cut(bytes, every: size) { link.send(packet) }
    pacing =
      waiting.count < size
      ? nil
      : loop.schedule(at: now.advanced(byMilliseconds: 200)) { [weak self] in self?.assumeIsolated { $0.pace() } }
  }
}
