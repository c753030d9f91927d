/// A call to be made.
public enum HablaCall: Sendable, Hashable {
  /// The user speaks and is translated.
  case live(HablaLiveCall)
  /// An agent speaks for the user, who reads along and steers.
  case agent(HablaAgentCall)

  /// The number that is called.
  public var number: String {
    switch self {
    case .live(let call): call.to
    case .agent(let call): call.to
    }
  }

  /// Whether an agent speaks.
  public var isAgent: Bool { if case .agent = self { true } else { false } }
}

/// A call in which the user is translated.
public struct HablaLiveCall: Sendable, Hashable {
  /// The number to call, in E.164 form.
  public var to: String
  /// The verified number that the callee sees; `nil`: the back end's.
  public var from: String?
  /// Spoken here and there.
  public var languages: HablaLanguages
  /// Speaks for the user.
  public var voice: HablaVoice

  /// A call.
  public init(
    to: String, from: String? = nil, languages: HablaLanguages = HablaLanguages(), voice: HablaVoice = .female
  ) {
    self.to = to
    self.from = from
    self.languages = languages
    self.voice = voice
  }
}

/// A call that an agent makes for the user.
public struct HablaAgentCall: Sendable, Hashable {
  /// The number to call, in E.164 form.
  public var to: String
  /// The verified number that the callee sees; `nil`: the back end's.
  public var from: String?
  /// What the agent is to achieve.
  public var prompt: String
  /// In whose name it speaks.
  public var userName: String
  /// Spoken with the callee.
  public var language: HablaLanguage
  /// The agent's.
  public var voice: HablaVoice

  /// A call.
  public init(
    to: String, prompt: String, userName: String, from: String? = nil, language: HablaLanguage = .spanishUS,
    voice: HablaVoice = .female
  ) {
    self.to = to
    self.prompt = prompt
    self.userName = userName
    self.from = from
    self.language = language
    self.voice = voice
  }
}

/// How a session treats what the system leaves open.
public struct HablaSessionSettings: Sendable {
  /// What goes out while the microphone is muted.
  public enum MutedMicrophone: Sendable, Hashable {
    /// No packets, as the vendor's app does.
    case nothing
    /// Packets of silence, for translators that want an even stream.
    case silence
  }

  /// What goes out while the microphone is muted.
  public var mutedMicrophone = MutedMicrophone.nothing
  /// Whether a tone is heard until the callee is.
  public var playsProgressTone = true
  /// Seconds before each try to attach to an agent's call again when its socket was lost: the call goes on without us, and
  /// the server tells again what was said. A live call has no such way back, as its sound is lost.
  public var reattachSeconds: [Double] = [1, 2, 4]
  /// Whether what is heard falls silent as soon as the user begins to speak. Off: the far end is a person too.
  public var holdsFarEndOnSpeech = false

  /// The defaults.
  public init() {}
}
