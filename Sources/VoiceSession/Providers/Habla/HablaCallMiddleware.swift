internal import Foundation

/// Makes the calls: one session each, whose events become actions.
@MainActor final class HablaCallMiddleware: HablaMiddleware {
  private let configuration: HablaConfiguration
  private let environment: SessionEnvironment
  private var current: Running?
  /// Calls that are over and not yet released.
  private var ending: [Task<Void, Never>] = []

  private struct Running {
    let held: HeldSession<HablaDialect>
    /// What the user wants, in order.
    let commands: AsyncStream<SessionCommand<HablaDialect.Command>>.Continuation
  }

  init(_ configuration: HablaConfiguration, _ environment: SessionEnvironment) {
    self.configuration = configuration
    var environment = environment
    environment.holdsAgentOnSpeech = configuration.session.holdsFarEndOnSpeech
    self.environment = environment
  }

  func handle(
    _ action: HablaAction, before state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void
  ) {
    switch action {
    case .initiateCall(let number):
      guard !state.callStatus.isOn else { return }
      let chosen = state.preferences(for: number)
      let call = HablaLiveCall(to: number, from: chosen.callerID, languages: chosen.languages, voice: chosen.voice)
      begin(.live(call), state, dispatch)
    case .initiateAgentCall(let number, let prompt, let userName):
      guard !state.callStatus.isOn else { return }
      let chosen = state.preferences(for: number)
      begin(
        .agent(
          HablaAgentCall(
            to: number, prompt: prompt, userName: userName, from: chosen.callerID, language: chosen.languages.target,
            voice: chosen.voice)), state, dispatch)
    case .endCall: current?.commands.yield(.end)
    case .setMuted(let isMuted): current?.commands.yield(.mute(isMuted))
    case .setSystemMuted(let isMuted): current?.commands.yield(.systemMute(isMuted))
    case .instruct(let text): current?.commands.yield(.sendText(text))
    case .endConversation(let text): current?.commands.yield(.own(.endConversation(text)))
    case .hangUpAgent: current?.commands.yield(.own(.endCall))
    case .answerConfirmation(let isRight):
      // The back end has no message for it; the agent is told in words.
      guard state.isAgentCall, let asked = state.activeCriticalConfirmation else { return }
      current?.commands.yield(.sendText(asked.answer(isRight)))
    default: break
    }
  }

  /// When all calls that were ended are released.
  func released() async {
    while let task = ending.first {
      await task.value
      ending.removeAll { $0 == task }
    }
  }

  private func begin(
    _ call: HablaCall, _ state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void
  ) {
    guard let server = configuration.server(for: state.preferences.backend) else {
      return dispatch(.callFailed(SessionError(.configuration, "no back end is configured; give one to the store")))
    }
    let driver = SessionDriver(HablaDialect(call, at: server, configuration.session), environment)
    let held = HeldSession(driver)
    // Asked for before the first wish, so that nothing is missed.
    let (events, levels) = (driver.events, driver.levels)
    let (wishes, commands) = AsyncStream.makeStream(of: SessionCommand<HablaDialect.Command>.self)
    let isCurrent: @MainActor () -> Bool = { [weak self, weak held] in
      held != nil && self?.current?.held === held
    }
    current = Running(held: held, commands: commands)
    if state.isMuted { commands.yield(.mute(true)) }
    commands.yield(.start)
    Task {
      for await command in wishes {
        do throws(SessionError) { try await driver.perform(command) } catch {
          // A wish that came too late is no news.
          if isCurrent(), error != .over { dispatch(.problemOccurred(error)) }
        }
      }
    }
    Task {
      for await bands in levels {
        let level = await driver.ownState.inputLevel
        if isCurrent() { dispatch(.levelsChanged(level, bands)) }
      }
    }
    ending.append(
      Task { [weak self] in
        for await event in events {
          if isCurrent(), let action = HablaAction(event, isAgentCall: call.isAgent) { dispatch(action) }
        }
        commands.finish()
        if isCurrent() {
          self?.current = nil
          dispatch(.callReleased)
        }
      })
  }
}

extension HablaAction {
  /// `nil`: nothing that the state shows.
  init?(_ event: SessionEvent<HablaNotice>, isAgentCall: Bool) {
    switch event {
    case .state(let state):
      switch state {
      case .idle: return nil
      case .preparing: self = .statusChanged(.initiating, isReconnecting: false)
      case .connecting: self = .statusChanged(.connecting, isReconnecting: false)
      case .ringing: self = .statusChanged(.ringing, isReconnecting: false)
      case .active(let activity):
        self = .statusChanged(.connected, isReconnecting: activity.contains(.reconnecting))
      case .ended: self = .statusChanged(.ended, isReconnecting: false)
      case .failed(let error): self = .callFailed(error)
      }
    case .agentState(let state):
      guard isAgentCall, let status = HablaAgentStatus(rawValue: state.rawValue) else { return nil }
      self = .agentStatusChanged(status)
    case .transcript(let item): self = .lineChanged(HablaLine(item, isAgentCall: isAgentCall))
    case .notice(.callNamed(let sid)): self = .callNamed(sid, at: Date())
    case .notice(.phase(let phase)): self = .phaseChanged(phase)
    case .notice(.receiving(let isReceiving)): self = .receivingChanged(isReceiving)
    case .notice(.duration(let seconds)): self = .durationChanged(seconds)
    case .notice(.confirmation(let confirmation)): self = .confirmationAsked(confirmation)
    case .notice(.facts(let facts)): self = .factsChanged(facts)
    case .problem(let error): self = .problemOccurred(error)
    case .mute, .interruption, .toolCall, .spoken, .released: return nil
    }
  }
}

extension HablaLine {
  init(_ item: TranscriptItem, isAgentCall: Bool) {
    let role: HablaRole =
      switch item.role {
      case .user: isAgentCall ? .callee : .caller
      case .agent: isAgentCall ? .agent : .interpreter
      }
    self.init(
      id: item.id, role: role, textOriginal: item.text, textEnglish: item.translation, timestamp: item.timestamp)
  }
}

extension HablaConfirmation {
  func answer(_ isRight: Bool) -> String {
    let value = candidateValue ?? sourceValue ?? ""
    return isRight
      ? "The user confirms the \(factType): \(value)" : "The \(factType) is not \(value). Please ask for it again."
  }
}
