import Antiphon
import Foundation

/// Looks after one talk: shows what happens, answers the agent's tools, asks the questions, and measures.
actor TalkRunner {
  private let call: Call
  private let questions: QuestionSound?
  private let seconds: Double?
  private var view: TalkView
  private var figures: TalkFigures
  private let began = ContinuousClock.now
  private var draft = ""
  private var isMuted = false
  private var ear = AgentEar()
  private var questionEndedAt: ContinuousClock.Instant?
  private var wasSpeaking = false
  private var isOver = false

  init(_ call: Call, system: String, questions: QuestionSound?, seconds: Double?, isLive: Bool, isQuiet: Bool) {
    self.call = call
    self.questions = questions
    self.seconds = seconds
    view = TalkView(isLive: isLive, isQuiet: isQuiet)
    figures = TalkFigures(system: system)
  }

  /// Talks until the agent ends it, the time is over, the questions are answered, or `stop` returns.
  func run(keyboard: Keyboard?, stop: StopSignal) async throws -> TalkFigures {
    let events = call.events
    let levels = call.levels
    let work = [
      Task { for await event in events { try await take(event) } },
      Task { for await levels in levels { try view.show(levels: levels) } },
      Task { if let keyboard { for await key in keyboard.keys { try await take(key) } } },
      Task {
        await stop.wait()
        if !Task.isCancelled { finish("by a signal") }
      },
    ]
    do {
      try await call.begin()
      while !isOver { try await step() }
    } catch {
      if !isOver { figures.warnings.append("\(error)") }
    }
    figures.seconds = (ContinuousClock.now - began) / .seconds(1)
    figures.concealedSamples = await call.snapshot?.statistics.inboundRTP.concealedSamples ?? 0
    await call.end()
    try? await work[0].value
    for task in work { task.cancel() }
    try view.end()
    return figures
  }

  private func step() async throws {
    try await Task.sleep(for: .milliseconds(10))
    let now = ContinuousClock.now
    if let seconds, now - began > .seconds(seconds) { return finish("after the time that was asked for") }
    if let snapshot = await call.snapshot { hear(snapshot, at: now) }
    guard let questions else { return }
    if wasSpeaking, !questions.isSpeaking { questionEndedAt = now }
    wasSpeaking = questions.isSpeaking
    // Whoever has heard the answer takes a breath.
    guard !wasSpeaking, let quietSince = ear.quietSince, now - quietSince > .milliseconds(1_200) else { return }
    if let asked = questionEndedAt {
      guard now - asked > .seconds(8) else { return }
      figures.warnings.append("a question was not answered within 8 s")
      questionEndedAt = nil
    }
    if questions.speakNext() != nil {
      wasSpeaking = true
    } else if questions.isDone {
      finish("when all was answered")
    }
  }

  private func hear(_ snapshot: MediaSnapshot, at now: ContinuousClock.Instant) {
    guard ear.beginsToHear(snapshot.statistics.inboundRTP, at: now) else { return }
    if figures.startToVoiceMilliseconds == nil { figures.startToVoiceMilliseconds = (now - began) / .milliseconds(1) }
    if let asked = questionEndedAt {
      figures.answerMilliseconds.append((now - asked) / .milliseconds(1))
      questionEndedAt = nil
    }
  }

  private func finish(_ reason: String) {
    guard !isOver else { return }
    isOver = true
    figures.end = reason
  }

  private func take(_ event: CallEvent) async throws {
    switch event {
    case .state(let state): try take(state)
    case .mute(let mute):
      isMuted = mute.isMuted
      try view.show(muted: isMuted)
    case .agentState(let state): try view.show(agent: state)
    case .transcript(let item): try take(item)
    case .interruption: figures.interruptions += 1
    case .toolCall(let tool):
      figures.toolCalls.append(tool.name)
      try view.say("tool", "\(tool.name) \(tool.arguments)")
      let answer = TalkTools.answer(tool)
      try? await call.sendToolResult(answer.text, for: tool.id, isError: answer.isError)
    case .problem(let error): figures.warnings.append("\(error)")
    case .spoken, .notice, .released: break
    }
  }

  private func take(_ state: SessionState) throws {
    switch state {
    case .idle, .preparing, .connecting: try view.show(state: "connecting")
    case .ringing: try view.show(state: "ringing")
    case .active(let activity): try view.show(state: activity.contains(.reconnecting) ? "reconnecting" : "connected")
    // This end's own wish is noted before it is carried out.
    case .ended(.local): finish("when the agent hung up")
    case .ended(.remote): finish("when the agent hung up")
    case .failed(let error):
      figures.warnings.append("\(error)")
      finish("by a failure")
    }
  }

  private func take(_ item: TranscriptItem) throws {
    let who = item.role == .user ? "you" : "agent"
    guard item.isFinal else { return try view.say(partial: item.text, by: who) }
    // A correction comes as the same line again.
    if figures.transcript.last.map({ $0.who == who && $0.text == item.text }) ?? false { return }
    figures.transcript.append(
      TalkFigures.Line(who: who, text: item.text, seconds: (ContinuousClock.now - began) / .seconds(1)))
    try view.say(who, item.text)
  }

  private func take(_ key: Keyboard.Key) async throws {
    switch key {
    case .tab: await call.setMuted(!isMuted)
    case .backspace: if !draft.isEmpty { draft.removeLast() }
    case .character(let character): draft.append(character)
    case .enter:
      let text = draft
      draft = ""
      if !text.isEmpty {
        do { try await call.sendText(text) } catch { try view.say("", "\(error)") }
      }
    }
    try view.show(draft: draft)
  }
}

/// Hears when the agent's voice begins and ends, whatever its server says of it.
private struct AgentEar {
  /// Since when it is silent, once it was heard; `nil` while it speaks.
  private(set) var quietSince: ContinuousClock.Instant?
  private var isHeard = false
  private var heardAt: ContinuousClock.Instant?
  private var energy = 0.0
  private var seconds = 0.0

  /// -50 dBFS, as a power.
  private static let threshold = 1e-5

  /// Whether it has begun to be heard since the last call, behind 0.4 s of silence at least.
  mutating func beginsToHear(_ inbound: MediaStatistics.InboundRTP, at now: ContinuousClock.Instant) -> Bool {
    let (newEnergy, newSeconds) = (inbound.totalAudioEnergy - energy, inbound.totalSamplesDuration - seconds)
    (energy, seconds) = (inbound.totalAudioEnergy, inbound.totalSamplesDuration)
    // Between its answers a stream's time may stand still: that is silence too.
    if newSeconds > 0, newEnergy / newSeconds > Self.threshold {
      heardAt = now
      quietSince = nil
      defer { isHeard = true }
      return !isHeard
    }
    if isHeard, let heardAt, now - heardAt > .milliseconds(400) {
      isHeard = false
      quietSince = heardAt
    }
    return false
  }
}

/// The tools that the demonstration's app has.
enum TalkTools {
  static func answer(_ tool: ToolCall) -> (text: String, isError: Bool) {
    let arguments = (try? JSONSerialization.jsonObject(with: Data(tool.arguments.utf8))) as? [String: Any] ?? [:]
    switch tool.name {
    case "get_weather":
      let city = (arguments["city"] ?? arguments["location"]) as? String ?? ""
      let temperature = 8 + city.utf8.reduce(0) { ($0 * 31 + Int($1)) % 20 }
      return ("sunny, with \(temperature) degrees", false)
    case "get_time":
      let format = DateFormatter()
      format.dateFormat = "HH:mm"
      return (format.string(from: Date()), false)
    default: return ("there is no tool named \(tool.name)", true)
    }
  }
}
