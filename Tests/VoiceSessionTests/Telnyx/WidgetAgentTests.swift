import DemoAgent
import Foundation
import Networking
import Synchronization
import TestSupport
import Testing

@testable import VoiceSession

/// The widget with the local agent, which is as strict as the vendor and misbehaves when it is told to.
@MainActor @Suite("Telnyx: the widget and the local agent", .timeLimit(.minutes(2)))
struct WidgetAgentTests {
  private let sound = TestSound()

  private func meet(
    trickles: Bool = false, _ change: (inout DemoAgentSettings) -> Void = { _ in }
  ) async throws -> (widget: WidgetModel, agent: DemoAgentServer, refusals: Refusals) {
    var settings = DemoAgentSettings()
    settings.voice = .tone(700)
    change(&settings)
    let agent = try await DemoAgentServer.start(as: .telnyx, settings: settings, on: EventLoop())
    var configuration = TelnyxConfiguration(assistantID: "")
    configuration.url = agent.url
    configuration.iceServers = []
    configuration.usesTrickleICE = trickles
    let widget = WidgetModel(configuration: configuration, environment: .loopback(sound))
    widget.initialize(assistantID: "assistant-7")
    return (widget, agent, Refusals(agent))
  }

  private func callUp(_ widget: WidgetModel) async {
    #expect(await eventually { if case .collapsed = widget.widgetState { true } else { false } })
    widget.startCall()
    #expect(await eventually { isConnected(widget) })
  }

  private func isConnected(_ widget: WidgetModel) -> Bool {
    if case .expanded(_, true, _, _) = widget.widgetState { true } else { false }
  }

  @Test(
    "twice over one connection, and nothing that the vendor would refuse", arguments: [false, true], [false, true])
  func calls(trickles: Bool, earlyMedia: Bool) async throws {
    let (widget, agent, refusals) = try await meet(trickles: trickles) { $0.telnyx.sendsEarlyMedia = earlyMedia }
    for _ in 1...2 {
      sound.forget()
      await callUp(widget)
      #expect(await eventually { sound.heardFrequency() == 700 })
      widget.toggleMute()
      widget.endCall()
    }
    #expect(widget.widgetSettings.startCallText == "Talk to us")
    await widget.disconnect()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test func aGatewayThatTakesItsTimeAndOneThatNeverComes() async throws {
    let (widget, agent, refusals) = try await meet { $0.telnyx.gatewayStates = ["NOREG", "REGED"] }
    #expect(await eventually { if case .collapsed = widget.widgetState { true } else { false } })
    // The invitation waits for the gateway.
    widget.startCall()
    #expect(await eventually { isConnected(widget) })
    await widget.disconnect()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test func anotherCodecIsAnError() async throws {
    let (widget, agent, _) = try await meet { $0.telnyx.codecs = ["EVS"] }
    #expect(await eventually { if case .collapsed = widget.widgetState { true } else { false } })
    widget.startCall()
    #expect(await eventually { if case .error(_, .connection) = widget.widgetState { true } else { false } })
    #expect(widget.lastError == .serverError(.signalingServerError(message: "INCOMPATIBLE_DESTINATION", code: -32_002)))
    await agent.stop()
  }

  @Test("a connection that breaks is made anew, and the call taken up over a new path")
  func reattach() async throws {
    let (widget, agent, refusals) = try await meet { settings in
      settings.telnyx.pingSeconds = 2
      settings.misbehaviour.abortsAt = Misbehaviour.Step("telnyx_rtc.ping")
    }
    await callUp(widget)
    #expect(await eventually { !isConnected(widget) })
    #expect(await eventually { isConnected(widget) })
    sound.forget()
    #expect(await eventually { sound.heardFrequency() == 700 })
    await widget.disconnect()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test("written words are answered in writing and by voice, once each, though every frame comes twice")
  func words() async throws {
    // What the agent hears beside is none of the matter.
    sound.hum(0)
    let (widget, agent, refusals) = try await meet { settings in
      settings.voice = .mind
      settings.mind.greeting = "Hello."
      settings.mind.timeOfDay = { (10, 30) }
      settings.misbehaviour.duplicateEvery = 1
    }
    await callUp(widget)
    #expect(await eventually { widget.transcriptItems.contains { $0.text.hasPrefix("Hello.") } })
    sound.forget()
    widget.sendTextMessage("what time is it")
    #expect(await eventually { widget.transcriptItems.count == 3 })
    #expect(await eventually { sound.lastLoudSample > 0 })
    #expect(widget.transcriptItems.map(\.isUser) == [false, true, false], "\(widget.transcriptItems.map(\.text))")
    #expect(widget.transcriptItems[1].text == "what time is it")
    #expect(await eventually { widget.transcriptItems.last?.isPartial == false })
    await widget.disconnect()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test("numbers as texts and truths as numbers: no crash, and the call can end")
  func wrongTypes() async throws {
    let (widget, agent, _) = try await meet { $0.misbehaviour.usesWrongTypes = true }
    await callUp(widget)
    widget.endCall()
    await widget.disconnect()
    #expect(widget.widgetState == .idle)
    await agent.stop()
  }
}

/// What an agent did not accept.
final class Refusals: Sendable {
  private let words = Mutex<[String]>([])

  init(_ agent: DemoAgentServer) {
    let events = agent.events
    Task { for await event in events where event.kind == .refused { words.withLock { $0.append(event.text) } } }
  }

  var all: [String] { words.withLock { $0 } }
}
