import Foundation
import VoiceSession

// The vendor's published sample, step by step. It is compiled and run, so that the page about moving over stays true.

/// What a screen with the widget on it does: connects once the user allows it, shows the state, and has the buttons.
@MainActor final class AssistantScreen {
  let widget: WidgetModel
  var hasPermissions = false { didSet { appear() } }
  private(set) var shown = ""

  init(widget: WidgetModel = WidgetModel()) { self.widget = widget }

  func appear() {
    let customization = WidgetCustomization(
      audioVisualizerColor: "twilight", userBubbleBackgroundColor: WidgetColor(0x007AFF),
      agentBubbleBackgroundColor: WidgetColor(0xE5E5EA))
    widget.update(assistantID: "your-assistant-id", shouldInitialize: hasPermissions, customization: customization)
  }

  func follow() async {
    for await state in widget.states {
      switch state {
      case .idle: shown = ""
      case .loading: shown = "Loading…"
      case .collapsed(let settings): shown = settings.startCallText ?? "Let's talk"
      case .connecting: shown = "Calling…"
      case .expanded(_, _, let isMuted, _): shown = isMuted ? "Unmute" : "Mute"
      case .transcriptView:
        shown = widget.transcriptItems.map { ($0.isUser ? "> " : "") + $0.text }.joined(separator: "\n")
      case .error(let message, _): shown = "\(message). Try again"
      }
    }
  }

  func tap() {
    switch widget.widgetState {
    case .collapsed: widget.startCall()
    case .expanded: widget.showTranscriptView()
    case .transcriptView: widget.sendTextMessage("What can you do for me?")
    case .error: widget.initialize(assistantID: "your-assistant-id")
    case .idle, .loading, .connecting: break
    }
  }

  func hangUp() { widget.endCall() }
}
