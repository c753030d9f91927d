/// What the widget shows, as a value: what the user does and what the session tells go in, in any order.
///
/// A call is told of by notices without a name. What was said of an earlier one is still on its way when the user hangs
/// up and calls again at once, so notices count only from a call's `new` to its end.
struct WidgetFlow: Sendable {
  private(set) var state = WidgetState.idle
  private(set) var settings = WidgetSettings.defaults
  private(set) var transcript = WidgetTranscript()
  /// Whether the call that is told of is the one that is shown.
  private(set) var isCallCurrent = false
  private var opensTranscript = false

  // MARK: what the user does

  /// From any state.
  mutating func initialize(iconOnly: Bool) {
    self = WidgetFlow()
    opensTranscript = iconOnly
    state = .loading
  }

  /// - Returns: whether a call is to be made; only a collapsed widget makes one.
  mutating func startCall() -> Bool {
    guard case .collapsed = state else { return false }
    forgetCall()
    state = .connecting(settings)
    return true
  }

  /// - Returns: whether there is a call to end. One that is still being made can be given up too.
  mutating func endCall() -> Bool {
    let isConnecting = if case .connecting = state { true } else { false }
    guard state.isInCall || isConnecting else { return false }
    forgetCall()
    state = .collapsed(settings)
    return true
  }

  /// - Returns: whether the microphone is muted now; `nil` outside a call.
  mutating func toggleMute() -> Bool? {
    var isNowMuted: Bool?
    change { call in
      call.isMuted.toggle()
      isNowMuted = call.isMuted
    }
    return isNowMuted
  }

  mutating func showTranscript() {
    guard case .expanded(let settings, let isConnected, let isMuted, let status) = state else { return }
    state = .transcriptView(settings, isConnected: isConnected, isMuted: isMuted, agentStatus: status)
  }

  mutating func collapseTranscript() {
    guard case .transcriptView(let settings, let isConnected, let isMuted, let status) = state else { return }
    state = .expanded(settings, isConnected: isConnected, isMuted: isMuted, agentStatus: status)
  }

  // MARK: what the session tells

  mutating func take(_ event: SessionEvent<TelnyxDialect.Notice>) {
    switch event {
    case .notice(.linkUp): state = .collapsed(settings)
    case .notice(.settings(let settings)): take(settings)
    case .notice(.call(let call)): take(call)
    case .notice(.agentStatus(let status)): if isCallCurrent { change { $0.status = status } }
    case .notice(.images(let images, let item)): if isCallCurrent { transcript.attach(images, to: item) }
    case .transcript(let item): if isCallCurrent { transcript.take(item) }
    case .state(.failed(let error)): fail(error)
    case .state, .mute, .agentState, .interruption, .toolCall, .spoken, .problem, .released: break
    }
  }

  mutating func fail(_ error: SessionError) {
    forgetCall()
    state = .error(message: error.message, type: .connection)
  }

  private mutating func take(_ new: WidgetSettings) {
    settings = new
    switch state {
    case .idle, .error: break
    case .loading, .collapsed: state = .collapsed(new)
    case .connecting: state = .connecting(new)
    case .expanded, .transcriptView: change { $0.settings = new }
    }
  }

  private mutating func take(_ call: TelnyxCallState) {
    if call == .new { isCallCurrent = true }
    guard isCallCurrent else { return }
    switch call {
    case .active, .held:
      if case .connecting = state {
        state =
          opensTranscript
          ? .transcriptView(settings, isConnected: true, isMuted: false, agentStatus: .waiting)
          : .expanded(settings, isConnected: true, isMuted: false, agentStatus: .waiting)
      } else {
        change { $0.isConnected = true }
      }
    case .reconnecting: change { $0.isConnected = false }
    case .done, .dropped:
      guard !isError else { return }
      forgetCall()
      // Also while it was being made, where the provider's own widget stays in that state for ever.
      state = .collapsed(settings)
    case .new, .connecting, .ringing: break
    }
  }

  private var isError: Bool { if case .error = state { true } else { false } }

  private mutating func forgetCall() {
    isCallCurrent = false
    transcript = WidgetTranscript()
  }

  /// The four values that both views of a call share.
  private struct CallView {
    var settings: WidgetSettings
    var isConnected, isMuted: Bool
    var status: WidgetAgentStatus
  }

  private mutating func change(_ edit: (inout CallView) -> Void) {
    switch state {
    case .expanded(let settings, let isConnected, let isMuted, let status):
      var view = CallView(settings: settings, isConnected: isConnected, isMuted: isMuted, status: status)
      edit(&view)
      state = .expanded(
        view.settings, isConnected: view.isConnected, isMuted: view.isMuted, agentStatus: view.status)
    case .transcriptView(let settings, let isConnected, let isMuted, let status):
      var view = CallView(settings: settings, isConnected: isConnected, isMuted: isMuted, status: status)
      edit(&view)
      state = .transcriptView(
        view.settings, isConnected: view.isConnected, isMuted: view.isMuted, agentStatus: view.status)
    case .idle, .loading, .collapsed, .connecting, .error: break
    }
  }
}
