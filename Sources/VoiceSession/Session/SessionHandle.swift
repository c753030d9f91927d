internal import Networking

/// What all sessions have in common, whatever their system.
protocol SessionHandle: Sendable {
  var commonEvents: AsyncStream<CallEvent> { get }
  var levels: AsyncStream<SessionLevels> { get }
  var currentSnapshot: MediaSnapshot? { get async }
  func performCommon(_ command: SessionCommand<Never>) async throws(SessionError)
  func end() async
}

extension SessionDriver: SessionHandle {
  /// The events without what only one system tells.
  nonisolated var commonEvents: AsyncStream<CallEvent> {
    let events = events
    return AsyncStream { continuation in
      let reading = Task {
        for await event in events { if let event = event.common { continuation.yield(event) } }
        continuation.finish()
      }
      continuation.onTermination = { _ in reading.cancel() }
    }
  }

  var currentSnapshot: MediaSnapshot? { get async { await snapshot } }

  func performCommon(_ command: SessionCommand<Never>) throws(SessionError) {
    switch command {
    case .start: try perform(.start)
    case .end: try perform(.end)
    case .mute(let isMuted): try perform(.mute(isMuted))
    case .systemMute(let isMuted): try perform(.systemMute(isMuted))
    case .sendText(let text): try perform(.sendText(text))
    case .toolResult(let id, let result, let isError):
      try perform(.toolResult(id: id, result: result, isError: isError))
    case .hold(let isHeld): try perform(.hold(isHeld))
    case .pressKeys(let keys): try perform(.pressKeys(keys))
    }
  }
}

extension SessionEvent {
  /// `nil` for what only one system tells.
  var common: CallEvent? {
    switch self {
    case .state(let state): .state(state)
    case .mute(let mute): .mute(mute)
    case .agentState(let state): .agentState(state)
    case .transcript(let item): .transcript(item)
    case .interruption(let interruption): .interruption(interruption)
    case .toolCall(let call): .toolCall(call)
    case .spoken(let text): .spoken(text)
    case .notice: nil
    case .problem(let error): .problem(error)
    case .released: .released
    }
  }
}
