/// The one life line that every system's own states stand on:
/// idle → preparing → connecting → ringing? → active → ended or failed. It never goes back.
public enum SessionState: Sendable, Hashable {
  /// Nothing was asked yet.
  case idle
  /// Credentials, tokens and addresses are being fetched.
  case preparing
  /// The agent's end is being reached.
  case connecting
  /// The far end is being called.
  case ringing
  /// Both can hear each other, but for what `activity` says.
  case active(SessionActivity)
  /// It is over as it should be.
  case ended(SessionEnding)
  /// It is over, or did not begin, because something went wrong.
  case failed(SessionError)

  /// Ended or failed: nothing changes any more.
  public var isOver: Bool {
    switch self {
    case .ended, .failed: true
    case .idle, .preparing, .connecting, .ringing, .active: false
    }
  }

  /// Whether the call stands, held or not.
  public var isActive: Bool { if case .active = self { true } else { false } }

  /// How far along the line it is; a state may only follow one that is not further.
  var rank: Int {
    switch self {
    case .idle: 0
    case .preparing: 1
    case .connecting: 2
    case .ringing: 3
    case .active: 4
    case .ended, .failed: 5
    }
  }
}

/// What is special about an active call at the moment.
public struct SessionActivity: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int
  /// From bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The network has gone, and is being waited for.
  public static let reconnecting = SessionActivity(rawValue: 1)
  /// Held by either end.
  public static let held = SessionActivity(rawValue: 2)
}

/// Why a session ended as it should.
public enum SessionEnding: Sendable, Hashable {
  /// This end wanted it.
  case local
  /// The far end wanted it; its words or code, where it gave any.
  case remote(String?)
}

/// Who has switched the microphone off. It is on only when neither has.
public struct SessionMute: Sendable, Hashable {
  /// The user.
  public var byUser = false
  /// The system, as during another call.
  public var bySystem = false

  /// Neither.
  public init() {}

  /// Whether the far end hears silence.
  public var isMuted: Bool { byUser || bySystem }
}

/// What the agent does, as far as it is known.
public enum AgentState: String, Sendable, Hashable, CaseIterable {
  /// It waits for the user, or hears them.
  case listening
  /// It makes up an answer, or uses a tool.
  case thinking
  /// Its voice is being played.
  case speaking
}
