internal import Networking

/// What an agent's call remembers of its socket.
struct HablaAttachment: Sendable {
  /// What the user wants said, oldest first, until there is a socket.
  var waiting: [JSON] = []
  /// Tries to attach again since the socket was open.
  var tries = 0
}

// The agent's call goes on at the back end, whether this end listens or not.
extension HablaDialect {
  mutating func attached(_ session: inout Session) {
    agent.tries = 0
    session.setReconnecting(false)
    for message in agent.waiting { session.send(message.text, to: .call) }
    agent.waiting = []
  }

  /// Tells the agent something, now or as soon as it can be reached.
  mutating func steer(_ message: JSON, _ session: inout Session) {
    if !session.send(message.text, to: .call) { agent.waiting.append(message) }
  }

  /// - Returns: false when it was tried often enough.
  mutating func reattach(_ session: inout Session) -> Bool {
    guard agent.tries < settings.reattachSeconds.count else { return false }
    session.setTimer(.reattachment, after: settings.reattachSeconds[agent.tries])
    agent.tries += 1
    session.setReconnecting(true)
    return true
  }
}
