internal import Foundation
internal import Networking
internal import RealtimeCore

/// One call's agent on the loop: gives a mind the time and the speech worker's results, or plays another voice's part.
///
/// - Threads: the loop's; `output` is called there too.
final class AgentConversation: @unchecked Sendable {
  /// What the session has to do.
  enum Output: Sendable {
    /// As a mind's.
    case mind(MindOutput)
    /// A script's frame.
    case raw(WebSocketMessage)
    /// A script's close.
    case close(Int, String)
    /// A script's crash.
    case abort
  }

  private let loop: EventLoop
  private let voice: AgentVoice
  private let worker: SpeechWorker?
  private let output: @Sendable (Output) -> Void
  private var mind: Mind
  private var timer: LoopTimer?
  private var hasEnded = false
  // Tone and echo.
  private var tonePhase = 0
  private var pending: [Float] = []
  // Script.
  private var steps: ArraySlice<ScriptStep> = []
  private var awaited: String?

  init(
    _ voice: AgentVoice, _ mind: MindSettings, _ worker: SpeechWorker?, on loop: EventLoop,
    output: @escaping @Sendable (Output) -> Void
  ) {
    self.voice = voice
    self.mind = Mind(mind)
    self.worker = worker
    self.loop = loop
    self.output = output
    if case .script(let steps) = voice { self.steps = steps[...] }
  }

  /// The call has begun.
  func begin(greeting: String? = nil) {
    switch voice {
    case .mind:
      mind.begin(greeting: greeting, at: EventLoop.now)
      drain()
    case .tone: tick(EventLoop.now)
    case .echo: break
    case .script: play()
    }
  }

  /// The caller's sound, 16 kHz.
  func hear(_ samples: [Float]) {
    switch voice {
    case .mind:
      mind.hear(samples, at: EventLoop.now)
      drain()
    case .echo:
      // In pieces of 20 ms, as some vendors' packets are.
      pending += samples
      let count = pending.count / 320 * 320
      guard count > 0 else { return }
      put(sound: Array(pending[..<count]))
      pending.removeFirst(count)
    case .tone, .script: break
    }
  }

  /// What the caller typed.
  func read(_ text: String) {
    guard case .mind = voice else { return }
    mind.read(text, at: EventLoop.now)
    drain()
  }

  /// The caller does something that stops the agent.
  func attend() {
    guard case .mind = voice else { return }
    mind.attend(at: EventLoop.now)
    drain()
  }

  /// Whether such a tool call waits for its answer; a script's tools may be answered at any time.
  func awaits(tool id: String) -> Bool { if case .mind = voice { mind.awaits(tool: id) } else { true } }

  func toolAnswered(id: String, _ text: String, isError: Bool) {
    guard case .mind = voice else { return }
    mind.toolAnswered(id: id, text, isError: isError, at: EventLoop.now)
    drain()
  }

  /// A message of the caller's, for a script that waits for one.
  func noticed(_ message: String) {
    guard let awaited, message.contains(awaited) else { return }
    self.awaited = nil
    play()
  }

  /// Nothing is put out any more.
  func end() {
    hasEnded = true
    timer = nil
    steps = []
  }

  private func put(_ what: Output) {
    guard !hasEnded else { return }
    output(what)
  }

  // MARK: mind

  private func drain() {
    while !hasEnded, let next = mind.next() {
      switch next {
      case .recognise(let job, let samples):
        guard let worker else { continue }
        worker.recognise(samples) { [weak self, loop] text in
          loop.perform { [weak self] in self?.recognised(job, text) }
        }
      case .synthesise(let job, let text):
        guard let worker else { continue }
        worker.speak(text) { [weak self, loop] speech in
          loop.perform { [weak self] in self?.spoken(job, speech) }
        }
      default: put(.mind(next))
      }
    }
    guard !hasEnded, let deadline = mind.deadline else {
      timer = nil
      return
    }
    timer = loop.schedule(at: deadline) { [weak self] in
      guard let self, !hasEnded else { return }
      mind.wake(at: EventLoop.now)
      drain()
    }
  }

  private func recognised(_ job: Int, _ text: String?) {
    mind.recognised(job: job, text, at: EventLoop.now)
    drain()
  }

  private func spoken(_ job: Int, _ speech: Speech?) {
    mind.spoken(job: job, speech, at: EventLoop.now)
    drain()
  }

  // MARK: tone and echo

  private func put(sound samples: [Float]) {
    put(.mind(.speech(turn: 1, Speech(text: "", samples: samples, sampleRate: .hz16000, words: []))))
  }

  /// 100 ms of tone at a time.
  private func tick(_ due: MediaInstant) {
    guard case .tone(let hertz) = voice, !hasEnded else { return }
    put(
      sound: (0..<1_600).map { Float(sin(2 * .pi * hertz * Double(tonePhase + $0) / 16_000)) * 0.25 })
    tonePhase += 1_600
    let next = due.advanced(byMilliseconds: 100)
    timer = loop.schedule(at: next) { [weak self] in self?.tick(next) }
  }

  // MARK: script

  private func play() {
    while !hasEnded, let step = steps.popFirst() {
      switch step {
      case .wait(let seconds):
        timer = loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
          self?.play()
        }
        return
      case .waitFor(let text):
        awaited = text
        return
      case .put(let what): put(.mind(what))
      case .say(let turn, let text):
        put(.mind(.reply(turn: turn, text)))
        guard let worker else { continue }
        worker.speak(text) { [weak self, loop] speech in
          loop.perform { [weak self] in
            guard let self else { return }
            if let speech { self.put(.mind(.speech(turn: turn, speech))) }
            self.put(.mind(.complete(turn: turn)))
            self.play()
          }
        }
        return
      case .raw(let text): put(.raw(.text(text)))
      case .rawBytes(let bytes): put(.raw(.binary(bytes)))
      case .close(let code, let reason): put(.close(code, reason))
      case .abort: put(.abort)
      }
    }
  }
}
