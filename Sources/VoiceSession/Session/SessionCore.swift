package import RealtimeCore

/// The session core: one state machine for every system, without socket, thread or clock.
///
/// Input and the time go in; actions come out, to be carried out in order. What holds whatever comes, in any order:
/// - The state only moves along its line, and nothing is told behind the end but `released`.
/// - `end` leads to `release` from any state; after the answer to that, `released` is the last event.
/// - What comes from a socket that was given up or superseded changes nothing.
/// - The microphone is on only when neither the user nor the system has muted it, from the first sound on.
/// - Threads: any, one at a time.
package struct SessionCore<D: SessionDialect>: Sendable {
  private var dialect: D
  private var context: SessionContext<D>
  private var isReleasing = false
  private var isReleased = false

  package init(_ dialect: D, settings: SessionSettings = SessionSettings(), at now: MediaInstant = .zero) {
    self.dialect = dialect
    context = SessionContext(settings, at: now)
  }

  /// Where the session stands.
  package var state: SessionState { context.state }
  /// Who mutes the microphone.
  package var mute: SessionMute { context.mute }
  /// What the agent does.
  package var agentState: AgentState { context.agentState }
  /// When `timePassed` is wanted.
  package var nextDeadline: MediaInstant? { context.timers.next }
  /// The dialect, for what only it knows.
  package var ownState: D { dialect }

  /// Takes what the app wants.
  /// - Returns: what to do, and why the wish is refused, if it is.
  package mutating func perform(
    _ command: SessionCommand<D.Command>, at now: MediaInstant
  ) -> (actions: [SessionAction<D>], refusal: SessionError?) {
    var refusal: SessionError?
    let actions = step(at: now) { core in
      do throws(SessionError) { try core.take(command) } catch { refusal = error }
    }
    return (actions, refusal)
  }

  /// Takes what has happened.
  package mutating func handle(_ input: SessionInput<D>, at now: MediaInstant) -> [SessionAction<D>] {
    if case .command(let command) = input { return perform(command, at: now).actions }
    return step(at: now) { $0.take(input) }
  }

  private mutating func step(at now: MediaInstant, _ body: (inout Self) -> Void) -> [SessionAction<D>] {
    context.now = max(context.now, now)
    body(&self)
    if context.state.isOver, !isReleasing { release() }
    defer { context.actions.removeAll(keepingCapacity: true) }
    return context.actions
  }

  private mutating func release() {
    isReleasing = true
    if case .ended(.remote) = context.state {
    } else {
      dialect.goodbye(&context)
    }
    context.timers.cancelAll()
    context.actions.append(.release)
  }

  private mutating func take(_ command: SessionCommand<D.Command>) throws(SessionError) {
    switch command {
    case .start:
      guard !context.state.isOver else { throw .over }
      guard context.state == .idle else { throw .alreadyStarted }
      context.become(.preparing)
      dialect.start(&context)
    case .end: context.finish(.local)
    case .mute(let isMuted): change { $0.byUser = isMuted }
    case .systemMute(let isMuted): change { $0.bySystem = isMuted }
    default:
      guard !context.state.isOver else { throw .over }
      try dialect.command(command, &context)
    }
  }

  private mutating func change(_ edit: (inout SessionMute) -> Void) {
    let before = context.mute
    edit(&context.mute)
    guard context.mute != before else { return }
    context.publish(.mute(context.mute))
    guard context.mute.isMuted != before.isMuted, !context.state.isOver else { return }
    if context.isMediaOpen { context.media(.mute(context.mute.isMuted)) }
    dialect.muted(&context)
  }

  private mutating func take(_ input: SessionInput<D>) {
    if case .released = input {
      guard isReleasing, !isReleased else { return }
      isReleased = true
      context.actions.append(.publish(.released))
      return
    }
    guard !context.state.isOver else {
      if case .answered(let purpose, let result) = input, !isReleased, D.outlivesEnd(purpose) {
        dialect.answeredAfterEnd(purpose, result, &context)
      }
      return
    }
    switch input {
    case .command, .released: break
    case .answered(let purpose, let result): dialect.answered(purpose, result, &context)
    case .opened(let key):
      guard context.noteOpened(key) else { return }
      dialect.opened(key.purpose, &context)
    case .received(let key, let message):
      guard context.isCurrent(key) else { return }
      dialect.received(message, from: key.purpose, &context)
    case .closed(let key, let ending):
      guard context.noteClosed(key) else { return }
      dialect.closed(key.purpose, ending, &context)
    case .media(let event): take(event)
    case .timePassed: runTimers()
    }
  }

  private mutating func runTimers() {
    let now = context.now
    // Each sees the moment it was due at, so that a driver that comes late does not bend the times between them.
    while !context.state.isOver, let due = context.timers.popDue(at: now) {
      context.now = due.deadline
      switch due.name {
      case .own(let timer): dialect.elapsed(timer, &context)
      case .resumeAgent: context.media(.resume)
      }
    }
    context.now = now
  }

  private mutating func take(_ event: SessionMediaEvent) {
    switch event {
    case .playout(let playout): context.playout = playout
    case .speechStarted: holdAgent()
    case .speechEnded:
      if context.isSilenced {
        context.timers.set(.resumeAgent, at: after(context.settings.holdSecondsAfterSpeech))
      }
    default: break
    }
    dialect.media(event, &context)
  }

  /// The user speaks while the agent does: silent first, sure later.
  private mutating func holdAgent() {
    guard context.settings.holdsAgentOnSpeech, context.playout != nil, !context.mute.isMuted else { return }
    if !context.isSilenced { context.media(.hold) }
    context.timers.set(.resumeAgent, at: after(context.settings.holdSeconds))
  }

  private func after(_ seconds: Double) -> MediaInstant {
    context.now.advanced(byNanoseconds: Int64(seconds * 1e9))
  }
}
