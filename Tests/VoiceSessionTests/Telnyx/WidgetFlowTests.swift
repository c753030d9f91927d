import Foundation
import Testing

@testable import VoiceSession

/// One case a row of the widget's table of states.
@Suite("Telnyx: the widget's states")
struct WidgetFlowTests {
  typealias Event = SessionEvent<TelnyxDialect.Notice>

  private var settings: WidgetSettings {
    var settings = WidgetSettings()
    settings.startCallText = "Talk to us"
    return settings
  }

  private static let lost = Event.state(
    .failed(SessionError(TelnyxError.socketConnectionFailed(.socketNotConnected))))

  /// `#expect` lends its arguments without the right to change them.
  private func check(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
  }

  private func flow(iconOnly: Bool = false, _ events: Event...) -> WidgetFlow {
    var flow = WidgetFlow()
    flow.initialize(iconOnly: iconOnly)
    for event in events { flow.take(event) }
    return flow
  }

  private func inCall(iconOnly: Bool = false) -> WidgetFlow {
    var flow = flow(iconOnly: iconOnly, .notice(.linkUp))
    check(flow.startCall())
    flow.take(.notice(.call(.new)))
    flow.take(.notice(.call(.connecting)))
    flow.take(.notice(.call(.active)))
    return flow
  }

  private func expanded(
    _ settings: WidgetSettings = .defaults, isConnected: Bool = true, isMuted: Bool = false,
    _ status: WidgetAgentStatus = .waiting
  ) -> WidgetState { .expanded(settings, isConnected: isConnected, isMuted: isMuted, agentStatus: status) }

  private func transcriptView(isMuted: Bool = false, _ status: WidgetAgentStatus = .waiting) -> WidgetState {
    .transcriptView(.defaults, isConnected: true, isMuted: isMuted, agentStatus: status)
  }

  @Test func initializeLoadsFromAnyState() {
    for var start in [WidgetFlow(), flow(.notice(.linkUp)), inCall(), flow(Self.lost)] {
      start.initialize(iconOnly: false)
      #expect(start.state == .loading)
    }
  }

  @Test func theLinkOrTheSettingsCollapseALoadingWidget() {
    #expect(flow(.notice(.linkUp)).state == .collapsed(.defaults))
    #expect(flow(.notice(.settings(settings))).state == .collapsed(settings))
    #expect(flow(.notice(.settings(settings)), .notice(.linkUp)).state == .collapsed(settings))
  }

  @Test func settingsKeepTheState() {
    var collapsed = flow(.notice(.linkUp), .notice(.settings(settings)))
    #expect(collapsed.state == .collapsed(settings))
    collapsed.take(.notice(.settings(.defaults)))
    _ = collapsed.startCall()
    collapsed.take(.notice(.settings(settings)))
    #expect(collapsed.state == .connecting(settings))

    var call = inCall()
    call.take(.notice(.settings(settings)))
    #expect(call.state == expanded(settings))
    call.showTranscript()
    call.take(.notice(.settings(.defaults)))
    #expect(call.state == transcriptView())

    var failed = flow(Self.lost)
    let before = failed.state
    failed.take(.notice(.settings(settings)))
    #expect(failed.state == before)
    #expect(failed.settings == settings)
  }

  @Test func onlyACollapsedWidgetCalls() {
    for var other in [WidgetFlow(), flow(), inCall(), flow(Self.lost)] {
      let before = other.state
      check(!other.startCall())
      #expect(other.state == before)
    }
  }

  @Test func anActiveCallIsExpandedOrShownInTheTranscript() {
    #expect(inCall().state == expanded())
    #expect(inCall(iconOnly: true).state == transcriptView())
  }

  @Test func aCallThatCannotBeginIsAnError() {
    var flow = flow(.notice(.linkUp))
    _ = flow.startCall()
    flow.fail(SessionError(.media, "no microphone"))
    #expect(flow.state == .error(message: "no microphone", type: .connection))
  }

  @Test func aCallThatEndsCollapsesInEveryState() {
    var connecting = flow(.notice(.linkUp))
    _ = connecting.startCall()
    connecting.take(.notice(.call(.new)))
    connecting.take(.notice(.call(.done(nil))))
    #expect(connecting.state == .collapsed(.defaults))
    for shows in [false, true] {
      var call = inCall()
      if shows { call.showTranscript() }
      call.take(.notice(.call(.done(TelnyxTermination(.normalClearing)))))
      #expect(call.state == .collapsed(.defaults))
    }
  }

  @Test func hangingUpForgetsTheCall() {
    var call = inCall()
    call.take(.transcript(TranscriptItem(id: "a", role: .agent, text: "Hello", timestamp: .now)))
    _ = call.toggleMute()
    #expect(call.transcript.shown.count == 1)
    check(call.endCall())
    #expect(call.state == .collapsed(.defaults))
    #expect(call.transcript.shown.isEmpty)
    check(!call.endCall())
    // And calling again begins unmuted.
    _ = call.startCall()
    for state in [TelnyxCallState.new, .active] { call.take(.notice(.call(state))) }
    #expect(call.state == expanded())
  }

  @Test func whatIsStillToldOfTheLastCallDoesNotTouchTheNext() {
    var call = inCall()
    _ = call.endCall()
    _ = call.startCall()
    call.take(.notice(.agentStatus(.thinking)))
    call.take(.transcript(TranscriptItem(id: "a", role: .agent, text: "late", timestamp: .now)))
    call.take(.notice(.call(.done(nil))))
    #expect(call.state == .connecting(.defaults))
    #expect(call.transcript.shown.isEmpty)
  }

  @Test func muteFlipsInACallOnly() {
    var call = inCall()
    check(call.toggleMute() == true)
    #expect(call.state == expanded(isMuted: true))
    check(call.toggleMute() == false)
    var collapsed = flow(.notice(.linkUp))
    check(collapsed.toggleMute() == nil)
  }

  @Test func theFourValuesGoAlongBetweenTheViews() {
    var call = inCall()
    _ = call.toggleMute()
    call.take(.notice(.agentStatus(.thinking)))
    call.showTranscript()
    #expect(call.state == transcriptView(isMuted: true, .thinking))
    call.collapseTranscript()
    #expect(call.state == expanded(isMuted: true, .thinking))
  }

  @Test func aLostLinkOrAnyErrorIsShown() {
    #expect(flow(.notice(.linkUp), Self.lost).state == .error(message: "Connection lost", type: .connection))
    #expect(flow(Self.lost).state == .error(message: "Connection lost", type: .connection))
    var call = inCall()
    // The call's own end comes first.
    call.take(.notice(.call(.dropped(.networkLost))))
    call.take(Self.lost)
    #expect(call.state == .error(message: "Connection lost", type: .connection))
    call.take(.notice(.call(.done(nil))))
    #expect(call.state == .error(message: "Connection lost", type: .connection))
  }

  @Test func aCallThatIsBeingSavedIsShownAsNotConnected() {
    var call = inCall()
    call.take(.notice(.call(.reconnecting(.networkLost))))
    #expect(call.state == expanded(isConnected: false))
    call.take(.notice(.call(.active)))
    #expect(call.state == expanded())
  }

  @Test func theStatusCountsInACallOnly() {
    var collapsed = flow(.notice(.linkUp), .notice(.agentStatus(.thinking)))
    #expect(collapsed.state == .collapsed(.defaults))
    _ = collapsed.startCall()
    collapsed.take(.notice(.call(.new)))
    collapsed.take(.notice(.agentStatus(.thinking)))
    #expect(collapsed.state == .connecting(.defaults))
  }

  @Test func theTranscriptIsSortedAndHasNoBlanks() {
    var call = inCall()
    func item(_ id: String, _ text: String, at seconds: Double) -> Event {
      .transcript(
        TranscriptItem(id: id, role: .user, text: text, timestamp: Date(timeIntervalSince1970: seconds)))
    }
    call.take(item("b", "second", at: 2))
    call.take(item("a", "first", at: 1))
    call.take(item("c", " \n", at: 3))
    call.take(.notice(.images(["data:image/jpeg;base64,QUJD", "https://x/y.png"], item: "d")))
    call.take(item("d", "", at: 4))
    call.take(item("e", "same time", at: 2))
    #expect(call.transcript.shown.map(\.id) == ["a", "b", "e", "d"])
    #expect(call.transcript.shown.last?.attachments.map(\.base64Data) == ["QUJD", ""])
    #expect(call.transcript.shown.last?.attachments.last?.url == "https://x/y.png")
  }
}
