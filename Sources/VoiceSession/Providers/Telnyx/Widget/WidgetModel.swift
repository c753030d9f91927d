public import Foundation
internal import Networking
public import Observation

/// A voice widget's state and actions, for an assistant of Telnyx: what a view shows, and what its buttons do.
///
/// ```swift
/// let widget = WidgetModel()
/// widget.initialize(assistantID: "assistant-7")        // connects; then widgetState is .collapsed
/// widget.startCall()                                   // .connecting, then .expanded
/// widget.sendTextMessage("What are your hours?")
/// widget.endCall()                                     // .collapsed; the connection stays for the next call
/// ```
/// Views observe it; code without views reads `states`.
/// - Threads: the main actor. Sockets and sound have their own. Letting go of it ends all.
@MainActor @Observable
public final class WidgetModel {
  /// What to show.
  public private(set) var widgetState = WidgetState.idle
  /// What the provider's portal wants; the defaults until it says.
  public private(set) var widgetSettings = WidgetSettings.defaults
  /// What was said, oldest first; without what is blank. Empty outside a call.
  public private(set) var transcriptItems: [WidgetTranscriptItem] = []
  /// What is being typed.
  public var userInput = ""
  /// Ten bands of the agent's voice, 0...1, lowest first; empty outside a call.
  public private(set) var audioLevels: [Float] = []
  /// How good the call sounds, each second; `nil` outside a call.
  public private(set) var callQuality: CallQuality?
  /// The app's own colours.
  public private(set) var customization: WidgetCustomization?
  /// Why the last error came about, as the provider's clients name it.
  public private(set) var lastError: TelnyxError?

  /// A function that the assistant wants called; answer with `sendToolResult`.
  @ObservationIgnored public var onToolCall: (@MainActor (ToolCall) -> Void)?

  @ObservationIgnored private let base: TelnyxConfiguration
  @ObservationIgnored private let environment: SessionEnvironment
  @ObservationIgnored private var callParameters = TelnyxCallParameters()
  @ObservationIgnored private var flow = WidgetFlow()
  @ObservationIgnored private var link: WidgetLink?
  /// Tells the connection of now from those that were given up.
  @ObservationIgnored private var linkNumber = 0
  @ObservationIgnored private var isWanted = false
  @ObservationIgnored private var levels = VisualizerLevels()
  @ObservationIgnored private var levelsAt: ContinuousClock.Instant?
  @ObservationIgnored private let stateBroadcast = EventBroadcast<WidgetState>(limit: 256) { _ in EventKind(0) }

  /// A widget that does nothing yet.
  /// - Parameters:
  ///   - configuration: servers, region and the like; `initialize` names the assistant.
  ///   - environment: the sound and the network; the system's devices if not given.
  public init(
    configuration: TelnyxConfiguration = TelnyxConfiguration(assistantID: ""),
    environment: SessionEnvironment = .devices
  ) {
    base = configuration
    var environment = environment
    environment.engine.bandCount = 10
    self.environment = environment
    stateBroadcast.publish(.idle)
  }

  /// Each state, the present one first.
  public nonisolated var states: AsyncStream<WidgetState> { stateBroadcast.stream }

  // MARK: the connection

  /// Connects; from any state. A connection that there was is given up, with its call.
  /// - Parameter iconOnly: a call opens in the transcript at once.
  public func initialize(
    assistantID: String, iconOnly: Bool = false, callParameters: TelnyxCallParameters? = nil,
    customization: WidgetCustomization? = nil
  ) {
    isWanted = true
    self.callParameters = callParameters ?? TelnyxCallParameters()
    self.customization = customization
    var configuration = base
    configuration.assistantID = assistantID
    flow.initialize(iconOnly: iconOnly)
    lastError = nil
    show()
    let link = WidgetLink(configuration, environment)
    self.link = link
    linkNumber += 1
    let number = linkNumber
    link.read(
      events: { [weak self] in self?.take($0, from: number) }, levels: { [weak self] in self?.take($0, from: number) },
      refusals: { [weak self] in self?.refused($0, $1, from: number) },
      quality: { [weak self] in self?.take(quality: $0, from: number) })
    link.perform(.start)
  }

  /// For a view that is told each time whether it may connect: connects when that becomes true, and leaves a connection
  /// alone when it becomes false.
  public func update(
    assistantID: String, shouldInitialize: Bool, iconOnly: Bool = false, callParameters: TelnyxCallParameters? = nil,
    customization: WidgetCustomization? = nil
  ) {
    let begins = shouldInitialize && !isWanted
    isWanted = shouldInitialize
    if begins {
      initialize(
        assistantID: assistantID, iconOnly: iconOnly, callParameters: callParameters, customization: customization)
    }
  }

  /// Gives up the connection; returns when sockets and sound are released. `initialize` makes a new one.
  public func disconnect() async {
    let old = link
    link = nil
    linkNumber += 1
    flow = WidgetFlow()
    isWanted = false
    show()
    await old?.end()
  }

  // MARK: the call

  /// Calls the assistant; without effect unless collapsed.
  public func startCall() {
    guard flow.startCall() else { return }
    show()
    link?.perform(.mute(false))
    link?.perform(.own(.call(callParameters)))
  }

  /// Hangs up. The connection stays.
  public func endCall() {
    guard flow.endCall() else { return }
    show()
    link?.perform(.own(.hangUp))
  }

  /// Mutes or unmutes the microphone; the far end hears silence, and is told nothing.
  public func toggleMute() {
    guard let isMuted = flow.toggleMute() else { return }
    show()
    link?.perform(.mute(isMuted))
  }

  /// From the bars to what was said.
  public func showTranscriptView() {
    flow.showTranscript()
    show()
  }

  /// And back.
  public func collapseFromTranscriptView() {
    flow.collapseTranscript()
    show()
  }

  /// This machine has gone to another network: a call is taken up again there.
  public func networkChanged() { link?.perform(.own(.networkChanged)) }

  // MARK: text and pictures

  /// What is being typed.
  public func updateUserInput(_ text: String) { userInput = text }

  /// Sends what was typed, and clears the field; blank text stays unsent.
  public func sendMessage() {
    let text = userInput
    userInput = ""
    sendTextMessage(text)
  }

  /// Sends a text, without the blanks around it; in a call only.
  public func sendTextMessage(_ text: String) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if !trimmed.isEmpty { link?.perform(.sendText(trimmed)) }
  }

  /// Shows the assistant pictures, with what was typed or else a question about them, and clears the field.
  /// - Parameter images: JPEG files; a quality of 0.8 serves.
  public func sendMessageWithImages(_ images: [Data]) {
    guard !images.isEmpty else { return sendMessage() }
    let text = userInput.trimmingCharacters(in: .whitespacesAndNewlines)
    userInput = ""
    let pictures = images.map { TelnyxImage(base64Data: $0.base64EncodedString()) }
    link?.perform(.own(.show(pictures, text: text.isEmpty ? "What can you see here?" : text)))
  }

  /// Answers a function call of the assistant's.
  /// - Parameter result: text, or JSON as text.
  public func sendToolResult(_ result: String, for id: String) {
    link?.perform(.toolResult(id: id, result: result, isError: false))
  }

  /// The gradient of the bars: the app's, else the portal's.
  public var gradient: GradientPreset {
    GradientPreset(named: customization?.audioVisualizerColor ?? widgetSettings.audioVisualizer?.color)
  }

  // MARK: what comes

  private func take(_ event: SessionEvent<TelnyxDialect.Notice>, from number: Int) {
    guard number == linkNumber else { return }
    if case .toolCall(let call) = event { onToolCall?(call) }
    if case .state(.failed(let error)) = event { lastError = TelnyxError(error) }
    flow.take(event)
    show()
  }

  private func take(_ new: SessionLevels, from number: Int) {
    guard number == linkNumber, flow.state.isInCall else { return }
    let now = ContinuousClock.now
    let passed = levelsAt.map { now - $0 } ?? .zero
    levelsAt = now
    levels.take(new.agent, seconds: Double(passed.components.attoseconds) * 1e-18 + Double(passed.components.seconds))
    audioLevels = levels.values
  }

  private func take(quality: CallQuality?, from number: Int) {
    if number == linkNumber, flow.state.isInCall { callQuality = quality }
  }

  private func refused(
    _ command: SessionCommand<TelnyxDialect.Command>, _ error: SessionError, from number: Int
  ) {
    guard number == linkNumber else { return }
    lastError = TelnyxError(error)
    // A call that cannot even begin is an error to be seen; a text that comes too late is not.
    guard case .own(.call) = command else { return }
    flow.fail(error)
    show()
  }

  private func show() {
    if widgetState != flow.state {
      widgetState = flow.state
      stateBroadcast.publish(flow.state)
    }
    if widgetSettings != flow.settings { widgetSettings = flow.settings }
    let items = flow.transcript.shown
    if transcriptItems != items { transcriptItems = items }
    guard !flow.state.isInCall else { return }
    (levels, levelsAt) = (VisualizerLevels(), nil)
    if !audioLevels.isEmpty { audioLevels = [] }
    if callQuality != nil { callQuality = nil }
  }
}

extension WidgetModel {
  /// What to say of the agent: the portal's words, else ours; empty when it does nothing.
  public var agentStatusText: String {
    let status: WidgetAgentStatus
    switch widgetState {
    case .expanded(_, _, _, let shown), .transcriptView(_, _, _, let shown): status = shown
    case .idle, .loading, .collapsed, .connecting, .error: return ""
    }
    return switch status {
    case .idle: ""
    case .thinking: widgetSettings.agentThinkingText ?? "Thinking…"
    case .waiting: widgetSettings.speakToInterruptText ?? "Just speak to interrupt"
    case .processingImage: "Looking…"
    }
  }
}
