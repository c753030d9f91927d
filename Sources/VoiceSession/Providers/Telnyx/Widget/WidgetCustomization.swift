/// The app's own colours; what is `nil` is the theme's.
public struct WidgetCustomization: Sendable, Hashable {
  /// A gradient by its name: see `GradientPreset`.
  public var audioVisualizerColor: String?
  /// Behind the transcript.
  public var transcriptBackgroundColor: WidgetColor?
  /// Behind what the user said.
  public var userBubbleBackgroundColor: WidgetColor?
  /// Behind what the agent said.
  public var agentBubbleBackgroundColor: WidgetColor?
  /// What the user said.
  public var userBubbleTextColor: WidgetColor?
  /// What the agent said.
  public var agentBubbleTextColor: WidgetColor?
  /// The mute button.
  public var muteButtonBackgroundColor: WidgetColor?
  /// The mute button while muted.
  public var muteButtonActiveBackgroundColor: WidgetColor?
  /// Its picture.
  public var muteButtonIconColor: WidgetColor?
  /// The widget's surface.
  public var widgetSurfaceColor: WidgetColor?
  /// Text.
  public var primaryTextColor: WidgetColor?
  /// Lesser text.
  public var secondaryTextColor: WidgetColor?
  /// Behind the text that is being typed.
  public var inputBackgroundColor: WidgetColor?

  /// Colours.
  public init(
    audioVisualizerColor: String? = nil, transcriptBackgroundColor: WidgetColor? = nil,
    userBubbleBackgroundColor: WidgetColor? = nil, agentBubbleBackgroundColor: WidgetColor? = nil,
    userBubbleTextColor: WidgetColor? = nil, agentBubbleTextColor: WidgetColor? = nil,
    muteButtonBackgroundColor: WidgetColor? = nil, muteButtonActiveBackgroundColor: WidgetColor? = nil,
    muteButtonIconColor: WidgetColor? = nil, widgetSurfaceColor: WidgetColor? = nil,
    primaryTextColor: WidgetColor? = nil, secondaryTextColor: WidgetColor? = nil,
    inputBackgroundColor: WidgetColor? = nil
  ) {
    self.audioVisualizerColor = audioVisualizerColor
    self.transcriptBackgroundColor = transcriptBackgroundColor
    self.userBubbleBackgroundColor = userBubbleBackgroundColor
    self.agentBubbleBackgroundColor = agentBubbleBackgroundColor
    self.userBubbleTextColor = userBubbleTextColor
    self.agentBubbleTextColor = agentBubbleTextColor
    self.muteButtonBackgroundColor = muteButtonBackgroundColor
    self.muteButtonActiveBackgroundColor = muteButtonActiveBackgroundColor
    self.muteButtonIconColor = muteButtonIconColor
    self.widgetSurfaceColor = widgetSurfaceColor
    self.primaryTextColor = primaryTextColor
    self.secondaryTextColor = secondaryTextColor
    self.inputBackgroundColor = inputBackgroundColor
  }
}
