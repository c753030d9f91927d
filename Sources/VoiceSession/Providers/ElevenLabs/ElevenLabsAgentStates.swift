/// How it is told what the agent does.
public enum AgentStateMode: Sendable, Hashable {
  /// By what is heard of it: speaking while its voice is played, and until 1 s after.
  case playout
  /// By the server's events: voice activity, transcripts, answers.
  case events
}

/// Works out what the agent does.
struct ElevenLabsAgentStates: Sendable {
  let mode: AgentStateMode
  private var isPlaying = false

  /// Seconds of silence after which a voice that was played is over.
  private static let pause = 1.0
  /// From which score on the user speaks.
  private static let threshold = 0.5
  /// For how many seconds the score must stay.
  private static let (speech, silence, ending) = (0.15, 0.05, 0.5)

  init(_ mode: AgentStateMode) { self.mode = mode }

  typealias Session = SessionContext<ElevenLabsDialect>

  mutating func playout(isOn: Bool, _ session: inout Session) {
    guard isOn != isPlaying else { return }
    isPlaying = isOn
    if isOn {
      session.cancelTimer(.listening)
      session.cancelTimer(.speechEnded)
      session.setAgentState(.speaking)
    } else if mode == .playout {
      session.setTimer(.listening, after: Self.pause)
    } else {
      session.setTimer(.speechEnded, after: Self.ending)
    }
  }

  mutating func vadScore(_ score: Double, _ session: inout Session) {
    guard mode == .events else { return }
    if score > Self.threshold {
      session.cancelTimer(.silenceHeld)
      if !session.isRunning(.speechHeld), session.agentState != .listening {
        session.setTimer(.speechHeld, after: Self.speech)
      }
    } else {
      session.cancelTimer(.speechHeld)
      if !session.isRunning(.silenceHeld), session.agentState == .listening {
        session.setTimer(.silenceHeld, after: Self.silence)
      }
    }
  }

  mutating func answered(_ session: inout Session) {
    guard mode == .events else { return }
    session.cancelTimer(.silenceHeld)
    session.setAgentState(.speaking)
  }

  mutating func userSaid(_ session: inout Session) {
    guard mode == .events, session.agentState != .speaking else { return }
    session.setAgentState(.thinking)
  }

  mutating func usesTool(_ session: inout Session) { session.setAgentState(.thinking) }

  mutating func toolAnswered(_ session: inout Session) {
    session.setAgentState(isPlaying ? .speaking : .listening)
  }

  mutating func interrupted(_ session: inout Session) {
    isPlaying = false
    for timer in [ElevenLabsDialect.Timer.listening, .speechHeld, .silenceHeld, .speechEnded] {
      session.cancelTimer(timer)
    }
    session.setAgentState(.listening)
  }

  mutating func elapsed(_ timer: ElevenLabsDialect.Timer, _ session: inout Session) {
    switch timer {
    case .listening, .speechEnded: if session.agentState == .speaking { session.setAgentState(.listening) }
    case .speechHeld: session.setAgentState(.listening)
    case .silenceHeld: if session.agentState != .speaking { session.setAgentState(.thinking) }
    case .metadata, .openAgain: break
    }
  }
}
