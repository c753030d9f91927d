internal import Networking

/// How the provider's portal wants the widget to look; each value may be missing.
public struct WidgetSettings: Sendable, Hashable {
  /// The moving bars.
  public struct AudioVisualizer: Sendable, Hashable {
    /// Whether they are shown.
    public var isEnabled: Bool?
    /// What kind.
    public var type: String?
    /// A gradient's name: see `GradientPreset`.
    public var color: String?
    /// Their shape.
    public var preset: String?

    /// Nothing said.
    public init() {}
  }

  /// Shown while the agent thinks.
  public var agentThinkingText: String?
  /// The moving bars.
  public var audioVisualizer: AudioVisualizer?
  /// "collapsed" or another.
  public var defaultState: String?
  /// Where the user may say how it was.
  public var giveFeedbackURL: String?
  /// A picture for the button.
  public var logoIconURL: String?
  /// "fixed" or another.
  public var position: String?
  /// Where the user may report a fault.
  public var reportIssueURL: String?
  /// Shown while the agent speaks.
  public var speakToInterruptText: String?
  /// On the button.
  public var startCallText: String?
  /// "dark" or "light".
  public var theme: String?
  /// Where the user may see earlier conversations.
  public var viewHistoryURL: String?

  /// Nothing said.
  public init() {}

  /// What to show where the portal says nothing.
  public static var defaults: WidgetSettings {
    var settings = WidgetSettings()
    settings.theme = "dark"
    settings.defaultState = "collapsed"
    settings.position = "fixed"
    settings.audioVisualizer = AudioVisualizer()
    settings.audioVisualizer?.color = GradientPreset.verdant.rawValue
    settings.audioVisualizer?.preset = "roundBars"
    return settings
  }
}

extension WidgetSettings {
  /// What is missing, or of another type than it should be, is left out.
  init(_ json: JSON) {
    agentThinkingText = json["agent_thinking_text"].string
    if json["audio_visualizer_config"].object != nil {
      let bars = json["audio_visualizer_config"]
      var visualizer = AudioVisualizer()
      visualizer.isEnabled = bars["enabled"].bool
      visualizer.type = bars["type"].string
      visualizer.color = bars["color"].string
      visualizer.preset = bars["preset"].string
      audioVisualizer = visualizer
    }
    defaultState = json["default_state"].string
    giveFeedbackURL = json["give_feedback_url"].string
    logoIconURL = json["logo_icon_url"].string
    position = json["position"].string
    reportIssueURL = json["report_issue_url"].string
    speakToInterruptText = json["speak_to_interrupt_text"].string
    startCallText = json["start_call_text"].string
    theme = json["theme"].string
    viewHistoryURL = json["view_history_url"].string
  }
}
