internal import Foundation
internal import Networking
internal import RealtimeCore

/// A call that the agent makes for the user: text only, the sound stays between backend and telephone.
///
/// The one who is called answers by the same script that the voice agent has, a breath later.
/// - Threads: the loop's.
final class HablaAgentCall: @unchecked Sendable {
  private let sid: String
  private let prompt: String
  private let userName: String
  private let isEnglish: Bool
  private let settings: HablaSettings
  private let context: FakeContext
  private let call: Int
  private var status = "initiating"
  private var agentStatus = "listening"
  private var transcript: [JSON] = []
  private var facts = HablaFacts()
  private var callee = Dialogue()
  private var links: [FakeLink] = []
  private var timers: [LoopTimer] = []
  private var isPlaying = false

  init(
    _ sid: String, prompt: String, userName: String, language: String, _ settings: HablaSettings, _ context: FakeContext
  ) {
    self.sid = sid
    self.prompt = prompt
    self.userName = userName
    isEnglish = language.hasPrefix("en")
    self.settings = settings
    self.context = context
    call = context.log.newCall()
  }

  /// As `GET …/status` tells it.
  var report: JSON {
    [
      "call_sid": .string(sid), "status": .string(status), "transcript": .array(transcript),
      "quality_metrics": ["turns": .integer(transcript.count)], "verified_facts": facts.list,
    ]
  }

  /// Serves a socket to its end; there may be several, one after the other or at once.
  func serve(_ link: FakeLink) async {
    attach(link)
    while let message = await link.next() {
      do throws(Refusal) { try take(message) } catch {
        context.log.tell(.refused, error.reason, call: call)
        link.close(error.code, error.reason)
        break
      }
    }
    links.removeAll { $0 === link }
    _ = await link.socket.ended()
  }

  private func attach(_ link: FakeLink) {
    links.append(link)
    // All that there is, for whoever comes again.
    func replay(_ event: JSON) { link.send(event["type"]?.string ?? "", event) }
    replay(["type": "status", "status": .string(status)])
    if case .script(let steps) = context.settings.voice { return play(steps[...], to: link) }
    for entry in transcript { replay(Self.event("transcript", entry)) }
    if !facts.isEmpty { replay(facts.summary) }
    guard !isPlaying else { return }
    isPlaying = true
    context.log.tell(.began, "agent call", call: call)
    after(settings.ringSeconds) { call in
      call.set(status: "ringing")
      call.after(call.settings.ringSeconds) { call in
        call.set(status: "connected")
        call.say("Hello, I am calling for \(call.userName). \(call.prompt)")
        call.hearAnswer(to: call.prompt)
      }
    }
  }

  private func take(_ message: WebSocketMessage) throws(Refusal) {
    guard case .text(let text) = message else { throw Refusal(1003, "text is expected") }
    guard let json = try? JSONReader.read(text), let type = json["type"]?.string else {
      throw Refusal(1007, "a JSON object with a type is expected")
    }
    switch type {
    case "instruction":
      guard let words = json["text"]?.string, !words.isEmpty else { throw Refusal(1007, "instruction without text") }
      context.log.tell(.heard, words, call: call)
      say(words)
      hearAnswer(to: words)
    case "end_conversation":
      guard json["text"] == nil || json["text"]?.string != nil else { throw Refusal(1007, "text must be a string") }
      say(json["text"]?.string ?? "Thank you. Goodbye.")
      after(settings.farewellSeconds) { $0.end("ended") }
    case "end_call": end("ended")
    default: throw Refusal(1007, "type '\(type.prefix(40))' is unknown")
    }
  }

  /// The call is over, for whatever reason.
  func end(_ status: String) {
    guard self.status != "ended", self.status != "failed" else { return }
    timers = []
    if !facts.isEmpty { tell(facts.summary) }
    set(status: status)
    context.log.tell(.ended, status, call: call)
    for link in links { link.close(1000, "") }
  }

  private func hearAnswer(to question: String) {
    set(agent: "thinking")
    after(0.3) { call in
      call.set(agent: "listening")
      let time = call.context.settings.mind.timeOfDay()
      let reply = call.callee.answer(question, at: .init(hour: time.hour, minute: time.minute))
      var sentences = reply.sentences
      if case .askWeather(let city) = reply.action { sentences = call.callee.answer(weather: nil, in: city) }
      call.add(sentences.joined(separator: " "), by: "callee")
    }
  }

  private func say(_ text: String) {
    set(agent: "speaking")
    add(text, by: "agent")
    context.log.tell(.said, text, call: call)
    set(agent: "listening")
  }

  /// The English text of other languages follows later.
  private func add(_ text: String, by role: String) {
    let timestamp = Date().formatted(.iso8601)
    func entry(_ english: JSON) -> JSON {
      ["role": .string(role), "text_original": .string(text), "text_en": english, "timestamp": .string(timestamp)]
    }
    let place = transcript.count
    transcript.append(entry(isEnglish ? .string(text) : .null))
    tell(Self.event("transcript", transcript[place]))
    if facts.note(text, by: role) { tell(facts.summary) }
    guard !isEnglish else { return }
    let whole = entry(.string(text))
    after(0.2) { call in
      call.transcript[place] = whole
      call.tell(Self.event("transcript_update", whole))
    }
  }

  private func set(status: String) {
    self.status = status
    tell(["type": "status", "status": .string(status)])
  }

  private func set(agent status: String) {
    guard agentStatus != status else { return }
    agentStatus = status
    tell(["type": "agent_status", "status": .string(status)])
  }

  private func tell(_ event: JSON) {
    for link in links { link.send(event["type"]?.string ?? "", event) }
  }

  private static func event(_ type: String, _ body: JSON) -> JSON {
    .object([.init(key: "type", value: .string(type))] + (body.members ?? []))
  }

  private func play(_ steps: ArraySlice<ScriptStep>, to link: FakeLink) {
    var steps = steps
    while let step = steps.popFirst() {
      switch step {
      case .raw(let text):
        link.send((try? JSONReader.read(text)["type"]?.string) ?? "raw", .text(text))
      case .rawBytes(let bytes): link.send(bytes)
      case .close(let code, let reason): link.close(code, reason)
      case .abort: link.abort()
      case .wait(let seconds):
        let rest = steps
        return after(seconds) { $0.play(rest, to: link) }
      case .waitFor, .put, .say: break  // there is no sound here, and no turn
      }
    }
  }

  private func after(_ seconds: Double, _ work: @escaping @Sendable (HablaAgentCall) -> Void) {
    timers.append(
      context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
        guard let self else { return }
        work(self)
      })
  }
}
