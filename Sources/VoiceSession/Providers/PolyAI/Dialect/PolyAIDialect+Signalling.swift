internal import Networking

// The gateway: an offer, an answer, candidates both ways, and a socket that may break while the sound goes on.
extension PolyAIDialect {
  struct Signalling: Sendable {
    var hasOffered = false
    /// The offer that is still to be delivered.
    var offer: String?
    /// The gateway's name for the call.
    var sessionID: String?
    var isAnswered = false
    /// Own candidates, oldest first, and how many of them this socket has taken.
    var localCandidates: [(line: String, mid: String?)] = []
    var sentCount = 0
    /// The far end's that came before its answer.
    var remoteCandidates: [String] = []
    /// How often the socket was opened in vain since it was open last.
    var attempts = 0
  }

  /// More of them than any peer has.
  private static let candidateLimit = 256
  private static let openSeconds = 5.0
  private static let graceSeconds = 5.0
  private static let reconnectSeconds = [1.0, 2, 4]
  /// Agent's sound below this is silence; dBFS.
  private static let silenceLevel = -50.0
  /// A pause between words is shorter.
  private static let silenceSeconds = 0.5

  mutating func openSignalling(_ session: inout Session) {
    session.open(.signalling, SocketRequest(addresses.signalling))
    session.setTimer(.signallingOpen, after: Self.openSeconds)
  }

  mutating func signallingOpened(_ session: inout Session) {
    session.cancelTimer(.signallingOpen)
    signalling.attempts = 0
    if let offer = signalling.offer {
      let frame = PolyFrames.offer(offer, token: options.webrtcToken, call: callSID)
      if session.send(frame.text, to: .signalling) { signalling.offer = nil }
    }
    // What the last socket took may have gone down with it; that a candidate comes twice does no harm.
    if !wasConnected { signalling.sentCount = 0 }
    flushCandidates(&session)
  }

  mutating func takeSignal(_ frame: JSON, _ session: inout Session) {
    let data = frame["data"]
    switch frame["type"].string {
    case "answer":
      guard let sdp = data["sdp"].string, signalling.hasOffered, !signalling.isAnswered else { return }
      if let id = frame["sessionId"].string { signalling.sessionID = id }
      signalling.isAnswered = true
      flushCandidates(&session)
      session.media(.acceptAnswer(sdp))
      for line in signalling.remoteCandidates { session.media(.addCandidate(line)) }
      signalling.remoteCandidates = []
    case "ice-candidate":
      guard let line = data["candidate"].string, !line.isEmpty else { return }
      if signalling.isAnswered {
        session.media(.addCandidate(line))
      } else if signalling.remoteCandidates.count < Self.candidateLimit {
        signalling.remoteCandidates.append(line)
      }
    case "error":
      session.fail(SessionError(PolyError.voice(.signalingFailed(data["message"].string ?? "Connection failed"))))
    case "close": session.finish(.remote(nil))
    default: break
    }
  }

  private mutating func flushCandidates(_ session: inout Session) {
    guard let id = signalling.sessionID else { return }
    for (line, mid) in signalling.localCandidates.dropFirst(signalling.sentCount) {
      guard session.send(PolyFrames.candidate(line, mid: mid, session: id).text, to: .signalling) else { return }
      signalling.sentCount += 1
    }
  }

  mutating func signallingClosed(_ ending: SocketEnding, _ session: inout Session) {
    session.cancelTimer(.signallingOpen)
    switch ending.code {
    case 1000: session.finish(.remote(nil))
    case 1002, 1003, 1007, 1008, 1009, .some(4000...4999): session.fail(signallingLost(ending.reason))
    default: reconnectSignalling(&session)
    }
  }

  mutating func reconnectSignalling(_ session: inout Session) {
    guard signalling.attempts < Self.reconnectSeconds.count else {
      return session.fail(signallingLost("the gateway cannot be reached"))
    }
    session.setTimer(.signallingReconnect, after: Self.reconnectSeconds[signalling.attempts])
    signalling.attempts += 1
  }

  private func signallingLost(_ reason: String) -> SessionError {
    let failure: PolyError.Voice =
      wasConnected ? .disconnected : .signalingFailed(reason.isEmpty ? "the gateway has hung up" : reason)
    return SessionError(PolyError.voice(failure))
  }

  // MARK: the sound

  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {
    switch event {
    case .offer(let text):
      guard !signalling.hasOffered else { return }
      (signalling.hasOffered, signalling.offer) = (true, text)
      openSignalling(&session)
    case .localCandidate(let line, let mid):
      signalling.localCandidates.append((line, mid))
      flushCandidates(&session)
    case .connected:
      wasConnected = true
      for timer in [Timer.connect, .grace] { session.cancelTimer(timer) }
      if session.state.isActive { session.setReconnecting(false) } else { session.become(.active([])) }
    case .disconnected:
      guard session.state.isActive, !session.isRunning(.grace) else { return }
      session.setReconnecting(true)
      session.setTimer(.grace, after: Self.graceSeconds)
    case .failed(let error):
      session.fail(SessionError(PolyError.voice(wasConnected ? .disconnected : .mediaFailed(error.message))))
    case .agentLevel(let level):
      if level > Self.silenceLevel {
        session.setAgentState(.speaking)
        session.setTimer(.silence, after: Self.silenceSeconds)
      }
    default: break
    }
  }
}
