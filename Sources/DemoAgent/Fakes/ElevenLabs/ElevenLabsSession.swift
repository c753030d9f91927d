internal import Foundation
internal import Networking
internal import RealtimeCore

/// One conversation over ElevenLabs' WebSocket.
actor ElevenLabsSession {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let link: FakeLink
  let settings: ElevenLabsSettings
  let context: FakeContext
  let call: Int
  private(set) var conversation: AgentConversation?
  private(set) var initiation: ElevenLabsInitiation?
  private var hearing: CallerSound
  private var speaking: AgentSound
  private var pings: [Int: MediaInstant] = [:]
  private var pingCount = 0
  private var lastPing: Int?
  private var timers: [LoopTimer] = []
  /// Tool calls by id, and whether they wait still.
  var tools: [String: (name: String, turn: Int)] = [:]
  /// Turns whose answers may be rated.
  var answeredTurns: Set<Int> = []

  init(_ link: FakeLink, _ settings: ElevenLabsSettings, _ context: FakeContext) {
    guard let input = FramedAudioFormat(elevenLabs: settings.inputFormat),
      let output = FramedAudioFormat(elevenLabs: settings.outputFormat)
    else { preconditionFailure("the formats were checked when the fake was made") }
    self.link = link
    self.settings = settings
    self.context = context
    loop = context.loop
    call = context.log.newCall()
    hearing = CallerSound(input)
    speaking = AgentSound(output)
  }

  /// Serves the socket to its end.
  func run() async {
    context.log.tell(.began, "socket \(link.number)", call: call)
    while let message = await link.next() {
      do throws(Refusal) {
        // The vendor ignores bytes.
        if case .text(let text) = message { try take(text) }
      } catch {
        context.log.tell(.refused, error.reason, call: call)
        link.close(error.code, error.reason)
        break
      }
    }
    conversation?.end()
    timers = []
    context.log.tell(.ended, "\(await link.socket.ended())", call: call)
  }

  private func take(_ text: String) throws(Refusal) {
    let message: JSON
    do { message = try JSONReader.read(text) } catch { throw Refusal(1008, "Invalid message: \(error)") }
    guard message.members != nil else { throw Refusal(1008, "Invalid message: an object is expected") }
    if initiation == nil {
      guard message["type"]?.string == "conversation_initiation_client_data" else {
        throw Refusal(1008, "Invalid message: conversation_initiation_client_data is expected first")
      }
      try begin(ElevenLabsInitiation(message, allowed: settings.allowedOverrides))
    } else {
      try receive(message)
    }
    conversation?.noticed(text)
  }

  private func begin(_ initiation: ElevenLabsInitiation) throws(Refusal) {
    self.initiation = initiation
    let id = "conv_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    let conversation = AgentConversation(context.settings.voice, context.settings.mind, context.worker, on: loop) {
      [weak self] output in self?.assumeIsolated { $0.take(output) }
    }
    self.conversation = conversation
    send(ElevenLabsMessages.metadata(id, output: settings.outputFormat, input: settings.inputFormat))
    ping()
    if let seconds = settings.maximumSeconds {
      timers.append(
        after(seconds) { session in
          session.send(
            ElevenLabsMessages.error("max_duration_exceeded", code: 1_000, "The longest duration is reached"))
          session.link.close(1000, "max_duration_exceeded")
        })
    }
    conversation.begin(greeting: initiation.firstMessage)
  }

  /// The caller's sound, in base64.
  func hear(_ base64: String) throws(Refusal) {
    guard let bytes = Data(base64Encoded: base64) else {
      throw Refusal(1008, "Invalid message: user_audio_chunk is no base64")
    }
    conversation?.hear(hearing.decode(Array(bytes)))
  }

  // MARK: sending

  /// Sends a message, if the caller wants its kind.
  func send(_ message: JSON) {
    let type = message["type"]?.string ?? ""
    let isAlways = ["conversation_initiation_metadata", "ping", "error", "client_error"].contains(type)
    if !isAlways, let wanted = initiation?.clientEvents, !wanted.contains(type) { return }
    link.send(type, message)
  }

  /// One sentence as a burst of events, each with its part of the sound and of the character times.
  func send(_ speech: Speech, turn: Int) {
    let bytes = speaking.encode(speech)
    let bytesPerMillisecond = Double(speaking.format.sampleRate.hertz * speaking.format.bytesPerSample) / 1_000
    var size = Int(bytesPerMillisecond * Double(max(10, settings.chunkMilliseconds)))
    size -= size % speaking.format.bytesPerSample
    var start = 0
    for piece in link.cut(bytes, every: size) {
      let isLast = start + piece.count == bytes.count
      let from = Double(start) / bytesPerMillisecond
      let to = isLast ? .infinity : Double(start + piece.count) / bytesPerMillisecond
      let alignment = settings.sendsAlignment ? Self.alignment(speech, from: from, to: to) : nil
      send(ElevenLabsMessages.audio(Data(piece).base64EncodedString(), turn: turn, alignment: alignment))
      start += piece.count
    }
  }

  /// The characters that begin within a part of the sound, in ms from its beginning.
  private static func alignment(_ speech: Speech, from: Double, to: Double) -> JSON? {
    let characters = speech.characters.filter { Double($0.start) >= from && Double($0.start) < to }
    guard !characters.isEmpty else { return nil }
    return [
      "chars": .array(characters.map { .string(String($0.character)) }),
      "char_start_times_ms": .array(characters.map { .integer($0.start - Int(from)) }),
      "char_durations_ms": .array(characters.map { .integer($0.duration) }),
    ]
  }

  // MARK: pings

  func pong(_ id: Int) throws(Refusal) {
    guard let sent = pings.removeValue(forKey: id) else {
      throw Refusal(1008, "Invalid message: pong for event \(id), of which there was no ping")
    }
    lastPing = Int(EventLoop.now.milliseconds(since: sent).rounded())
  }

  private func ping() {
    let now = EventLoop.now
    if let oldest = pings.values.min(), now.milliseconds(since: oldest) > settings.pongSeconds * 1_000 {
      return link.close(1008, "No pong within \(settings.pongSeconds) s")
    }
    pingCount += 1
    pings[pingCount] = now
    send(ElevenLabsMessages.ping(pingCount, milliseconds: lastPing))
    timers.removeAll { $0 === pingTimer }
    let timer = after(settings.pingSeconds) { $0.ping() }
    pingTimer = timer
    timers.append(timer)
  }

  private var pingTimer: LoopTimer?

  private func after(_ seconds: Double, _ work: @escaping @Sendable (isolated ElevenLabsSession) -> Void) -> LoopTimer {
    loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
      self?.assumeIsolated { work($0) }
    }
  }
}
