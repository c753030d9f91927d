public import Foundation

/// How far a call is.
public enum HablaCallStatus: Sendable, Hashable {
  /// There is none.
  case idle
  /// The back end is asked for it.
  case initiating
  /// It has a name, and the way to it is being opened.
  case connecting
  /// It rings at the callee's.
  case ringing
  /// Both sides can be heard.
  case connected
  /// It is over, and is being released.
  case ended
  /// It is over, or did not begin, for this reason.
  case failed(String)

  /// Whether there is a call to end.
  public var isOn: Bool {
    switch self {
    case .initiating, .connecting, .ringing, .connected: true
    case .idle, .ended, .failed: false
    }
  }
}

/// What the agent does that calls for the user.
public enum HablaAgentStatus: String, Sendable, Hashable, CaseIterable {
  /// There is no call of its.
  case idle
  case listening
  case thinking
  case speaking
}

/// One thing that was said.
public struct HablaLine: Sendable, Hashable, Identifiable, Codable {
  /// Unique in the call; a later version has the same.
  public var id: String
  /// Who.
  public var role: HablaRole
  /// The words as they were said.
  public var textOriginal: String
  /// The words in English, where they were others.
  public var textEnglish: String?
  /// When the first version came.
  public var timestamp: Date

  /// A line.
  public init(id: String, role: HablaRole, textOriginal: String, textEnglish: String? = nil, timestamp: Date) {
    self.id = id
    self.role = role
    self.textOriginal = textOriginal
    self.textEnglish = textEnglish
    self.timestamp = timestamp
  }
}

/// What the user has chosen, for the calls to come.
public struct HablaPreferences: Sendable, Hashable, Codable {
  /// Who translates.
  public var backend = HablaBackend.nova
  /// Spoken here and there.
  public var languages = HablaLanguages()
  /// Speaks for the user.
  public var voice = HablaVoice.female
  /// The verified number that callees see; `nil`: the back end's.
  public var callerID: String?

  /// The defaults.
  public init() {}
}

/// The single source of truth of an app: what its views show, and what every action changes.
public struct HablaState: Sendable, Hashable {
  /// How far the call is.
  public var callStatus = HablaCallStatus.idle
  /// What goes on in a live call.
  public var liveCallPhase = HablaLivePhase.idle
  /// What the agent does, in a call of its.
  public var agentStatus = HablaAgentStatus.idle
  /// Whether the call's socket was lost and is being opened again.
  public var isReconnecting = false
  /// The number that is or was called.
  public var number = ""
  /// Whether an agent speaks.
  public var isAgentCall = false
  /// The back end's name for the call.
  public var callSID: String?
  /// When the call was named.
  public var startedAt: Date?
  /// Seconds since it was connected.
  public var callDuration = 0
  /// Why the last call failed.
  public var callError: SessionError?
  /// Whether the far end hears nothing of the user.
  public var isMuted = false
  /// Whether the user wants the loudspeaker. The route itself is the app's to choose.
  public var isSpeaker = false
  /// The microphone's scalar level, 0...1.
  public var inputAudioLevel = 0.0
  /// Whether the far end's sound is coming.
  public var isReceivingAudio = false
  /// True bands of both voices.
  public var levels = SessionLevels()
  /// What was said in the call.
  public var conversation: [HablaLine] = []
  /// What the back end asks the user.
  public var activeCriticalConfirmation: HablaConfirmation?
  /// What was agreed on, in order.
  public var verifiedFactsSummary: [HablaFact] = []

  /// For the calls to come.
  public var preferences = HablaPreferences()
  /// Earlier calls, the newest first.
  public var history: [HablaCallRecord] = []
  /// The call that ended last: what a screen behind it shows.
  public var summary: HablaCallRecord?
  /// What is remembered of callees, with their consent, by number.
  public var callerMemory: [String: HablaCallerMemory] = [:]
  /// Verified numbers of this device.
  public var callerIDs: [HablaCallerID] = []
  /// A number that is being verified.
  public var callerIDVerification: HablaVerification?
  /// Why something beside the call did not work.
  public var problem: SessionError?

  /// No call, no history.
  public init() {}

  /// What was said in an agent's call.
  public var agentTranscript: [HablaLine] { conversation.filter { $0.role == .agent || $0.role == .callee } }

  /// The choices for a call to `number`: the user's, but for what is remembered of this callee.
  public func preferences(for number: String) -> HablaPreferences {
    var preferences = preferences
    if let memory = callerMemory[number] {
      preferences.languages = memory.languages
      preferences.voice = memory.voice
    }
    return preferences
  }
}
