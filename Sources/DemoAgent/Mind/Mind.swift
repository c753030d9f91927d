public import RealtimeCore

/// The agent: hears, understands, answers and lets itself be interrupted. No thread, clock, socket or library in it.
///
/// Its driver gives it the caller's sound (16 kHz), results of work, and the time; after each call it takes all outputs by
/// `next()` and calls `wake(at:)` at `deadline`. Recognition and synthesis are outputs too, so a test can take as long over
/// them as it likes, on virtual time. The answer is taken as heard in real time from the moment its first sentence is
/// handed out, whatever pace the transport has: vendors reckon in the same way.
public struct Mind: ~Copyable, Sendable {
  private let settings: MindSettings
  private var dialogue = Dialogue()
  private var ears: EndPointer
  private var outputs: [MindOutput] = []
  private var firstOutput = 0
  private var answer: Answer?
  private var tool: ToolQuestion?
  /// The utterances at the recogniser.
  private var recognitions: [Int] = []
  private var state = AgentState.listening
  private var turn = 0
  private var job = 0
  private var lastSound: MediaInstant?
  private var scoreSampleCount = 0
  private var hasHungUp = false

  private struct ToolQuestion {
    let id: String
    let turn: Int
    let city: String
    let deadline: MediaInstant
  }

  /// A mind that says nothing until `begin`.
  public init(_ settings: MindSettings = MindSettings()) {
    self.settings = settings
    ears = EndPointer(
      pauseMilliseconds: settings.endPauseMilliseconds, beginMilliseconds: settings.interruptionMilliseconds)
  }

  /// The next output; `nil` when there is none for now.
  public mutating func next() -> MindOutput? {
    guard firstOutput < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      firstOutput = 0
      return nil
    }
    firstOutput += 1
    return outputs[firstOutput - 1]
  }

  /// When `wake` must be called at the latest; `nil`: not until something else happens.
  public var deadline: MediaInstant? {
    var times = [tool?.deadline, answer?.end].compactMap { $0 }
    if ears.isSpeech, let lastSound { times.append(lastSound.advanced(byMilliseconds: pauseMilliseconds)) }
    return times.min()
  }

  // MARK: what happens

  /// The call has begun: says the greeting.
  /// - Parameter greeting: instead of the settings'.
  public mutating func begin(greeting: String? = nil, at now: MediaInstant) {
    let greeting = greeting ?? settings.greeting
    guard !greeting.isEmpty else { return }
    turn += 1
    let sentences = Self.sentences(greeting)
    dialogue.note(sentences)
    say(Dialogue.Reply(sentences: sentences), at: now)
  }

  /// The caller's sound, 16 kHz.
  public mutating func hear(_ samples: [Float], at now: MediaInstant) {
    lastSound = now
    var events: [EndPointer.Event] = []
    ears.process(samples) { events.append($0) }
    for event in events { take(event, at: now) }
    scoreSampleCount += samples.count
    if scoreSampleCount >= 1_600 {
      scoreSampleCount %= 1_600
      put(.voiceScore(ears.probability))
    }
  }

  /// A text that the caller has typed.
  public mutating func read(_ text: String, at now: MediaInstant) {
    interrupt(at: now)
    turn += 1
    respond(to: text, at: now)
  }

  /// The caller does something that stops the agent: typing, or a key.
  public mutating func attend(at now: MediaInstant) { interrupt(at: now) }

  /// The recogniser's result; `nil` when the words are none that the agent knows.
  public mutating func recognised(job: Int, _ text: String?, at now: MediaInstant) {
    guard let place = recognitions.firstIndex(of: job) else { return }
    recognitions.remove(at: place)
    turn += 1
    put(.heard(turn: turn, text ?? "..."))
    // Who goes on speaking is answered when he has done.
    guard !ears.isSpeech, recognitions.isEmpty, !hasHungUp else { return }
    respond(to: text ?? "", at: now)
  }

  /// The synthesizer's result; `nil` when it failed.
  public mutating func spoken(job: Int, _ speech: Speech?, at now: MediaInstant) {
    guard answer?.job == job else { return }
    answer?.add(speech, at: now)
    if let speech {
      if answer?.spoken.count == 1 { change(to: .speaking) }
      put(.speech(turn: turn, speech))
    }
    synthesiseNext(at: now)
  }

  /// The client's answer to a tool call.
  public mutating func toolAnswered(id: String, _ text: String, isError: Bool, at now: MediaInstant) {
    guard let tool, tool.id == id else { return }
    self.tool = nil
    say(Dialogue.Reply(sentences: dialogue.answer(weather: isError ? nil : text, in: tool.city)), at: now)
  }

  /// Whether a tool call of that id waits for its answer.
  public func awaits(tool id: String) -> Bool { tool?.id == id }

  /// The time is `now`.
  public mutating func wake(at now: MediaInstant) {
    if let tool, now >= tool.deadline {
      self.tool = nil
      say(Dialogue.Reply(sentences: dialogue.answer(weather: nil, in: tool.city)), at: now)
    }
    if ears.isSpeech, let lastSound, now.milliseconds(since: lastSound) >= pauseMilliseconds {
      // A muted caller may send nothing at all.
      var events: [EndPointer.Event] = []
      ears.finish { events.append($0) }
      for event in events { take(event, at: now) }
    }
    if let end = answer?.end, now >= end {
      let isLast = answer?.action == .hangUp
      answer = nil
      change(to: recognitions.isEmpty ? .listening : .thinking)
      if isLast {
        hasHungUp = true
        put(.hangUp)
      }
    }
  }

  // MARK: the rest

  private var pauseMilliseconds: Double { Double(settings.endPauseMilliseconds) }

  private mutating func put(_ output: MindOutput) { outputs.append(output) }

  private mutating func change(to new: AgentState) {
    guard state != new else { return }
    state = new
    put(.state(new))
  }

  private mutating func take(_ event: EndPointer.Event, at now: MediaInstant) {
    switch event {
    case .began:
      if settings.canBeInterrupted { interrupt(at: now) }
    case .ended(let samples):
      // Spoken into an answer that goes on: not meant for us.
      guard answer == nil, !hasHungUp else { return }
      job += 1
      recognitions.append(job)
      change(to: .thinking)
      put(.recognise(job: job, samples))
    }
  }

  private mutating func interrupt(at now: MediaInstant) {
    if tool != nil {
      tool = nil
      change(to: .listening)
    }
    guard let answer else { return }
    self.answer = nil
    put(.interrupted(turn: turn, reply: answer.text, spoken: answer.said(at: now)))
    change(to: .listening)
  }

  private mutating func respond(to text: String, at now: MediaInstant) {
    let time = settings.timeOfDay()
    let reply = dialogue.answer(text, at: .init(hour: time.hour, minute: time.minute))
    guard case .askWeather(let city) = reply.action else { return say(reply, at: now) }
    guard settings.asksClient else {
      return say(Dialogue.Reply(sentences: dialogue.answer(weather: nil, in: city)), at: now)
    }
    let id = "call_\(turn)"
    tool = ToolQuestion(
      id: id, turn: turn, city: city, deadline: now.advanced(byMilliseconds: settings.toolSeconds * 1_000))
    change(to: .thinking)
    put(.toolCall(turn: turn, id: id, name: "get_weather", parameters: ["city": city]))
  }

  private mutating func say(_ reply: Dialogue.Reply, at now: MediaInstant) {
    answer = Answer(reply)
    change(to: .thinking)
    put(.reply(turn: turn, answer?.text ?? ""))
    synthesiseNext(at: now)
  }

  private mutating func synthesiseNext(at now: MediaInstant) {
    guard let sentence = answer?.takeSentence() else {
      answer?.job = nil
      put(.complete(turn: turn))
      if answer?.spoken.isEmpty == true { wakeSilently(at: now) }
      return
    }
    job += 1
    answer?.job = job
    put(.synthesise(job: job, sentence))
  }

  /// The voice has failed: the answer is text only.
  private mutating func wakeSilently(at now: MediaInstant) {
    answer?.start = now
    wake(at: now)
  }

  /// Cuts a text behind full stops, question and exclamation marks.
  static func sentences(_ text: String) -> [String] {
    var sentences: [String] = []
    var rest = Substring(text)
    while let stop = rest.indices.first(where: { index in
      let next = rest.index(after: index)
      return ".?!".contains(rest[index]) && (next == rest.endIndex || rest[next] == " ")
    }) {
      sentences.append(String(rest[...stop]))
      rest = rest[rest.index(after: stop)...].drop { $0 == " " }
    }
    if !rest.isEmpty { sentences.append(String(rest)) }
    return sentences
  }
}
