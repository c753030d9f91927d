import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

/// The widget over real sockets and in real time, with a server whose far end hums.
@MainActor @Suite("Telnyx: calls of the widget", .timeLimit(.minutes(1)))
struct WidgetCallTests {
  /// One call over one connection.
  static func startAndStop() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await makeWidget(server, sound)
    widget.initialize(assistantID: "assistant-7")
    for await state in widget.states { if case .collapsed = state { break } }
    widget.startCall()
    for await state in widget.states { if case .expanded = state { break } }
    await widget.disconnect()
    await server.stop()
  }

  static func makeWidget(
    _ server: TelnyxTestServer, _ sound: TestSound, trickles: Bool = false
  ) async -> WidgetModel {
    var configuration = TelnyxConfiguration(assistantID: "")
    configuration.url = await server.address
    configuration.iceServers = []
    configuration.usesTrickleICE = trickles
    return WidgetModel(configuration: configuration, environment: .loopback(sound))
  }

  private func isExpanded(_ widget: WidgetModel) -> Bool {
    if case .expanded(_, true, _, _) = widget.widgetState { true } else { false }
  }

  private func isCollapsed(_ widget: WidgetModel) -> Bool {
    if case .collapsed = widget.widgetState { true } else { false }
  }

  @Test("a tone both ways, twice on one connection", arguments: [false, true])
  func twoCalls(trickles: Bool) async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await Self.makeWidget(server, sound, trickles: trickles)
    widget.initialize(assistantID: "assistant-7")
    #expect(widget.widgetState == .loading)
    #expect(await eventually { widget.widgetSettings.startCallText == "Talk to us" })
    for round in 1...2 {
      sound.forget()
      server.sound.forget()
      widget.startCall()
      #expect(await eventually { isExpanded(widget) })
      #expect(await eventually { sound.heardFrequency() == 700 }, "round \(round)")
      #expect(await eventually { server.sound.heardFrequency() == 440 })
      #expect(await eventually { widget.audioLevels.count == 10 && widget.audioLevels.contains { $0 > 0.2 } })
      if round == 1 { #expect(await eventually { widget.callQuality?.rating == .excellent }) }
      if round == 1 { widget.endCall() } else { await server.hangUp() }
      #expect(await eventually { isCollapsed(widget) })
      #expect(widget.audioLevels.isEmpty && widget.callQuality == nil)
    }
    #expect(await server.connectionCount == 1)
    #expect(await eventually { await server.frames("telnyx_rtc.bye").count == 1 })
    await widget.disconnect()
    #expect(widget.widgetState == .idle)
    await server.stop()
  }

  @Test func muteSendsSilenceAndNoFrame() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await Self.makeWidget(server, sound)
    widget.initialize(assistantID: "assistant-7", iconOnly: true)
    #expect(await eventually { isCollapsed(widget) })
    widget.startCall()
    #expect(await eventually { server.sound.heardFrequency() == 440 })
    guard case .transcriptView = widget.widgetState else {
      Issue.record("\(widget.widgetState)")
      return
    }
    let (frames, packets) = (await server.frames.count, await server.farSnapshot?.statistics.inboundRTP.packetsReceived)
    widget.toggleMute()
    #expect(await eventually { powerDecibels(Array(server.sound.samples.suffix(4_800))) < -80 })
    #expect(await server.frames.count == frames)
    let after = await server.farSnapshot?.statistics.inboundRTP.packetsReceived
    #expect(try #require(after) > #require(packets), "packets of silence keep coming")
    widget.toggleMute()
    #expect(await eventually { server.sound.heardFrequency() == 440 })
    await widget.disconnect()
    await server.stop()
  }

  @Test func whatIsSaidWrittenAndAsked() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await Self.makeWidget(server, sound)
    widget.onToolCall = { [weak widget] call in widget?.sendToolResult("rain", for: call.id) }
    widget.initialize(assistantID: "assistant-7")
    #expect(await eventually { isCollapsed(widget) })
    widget.startCall()
    #expect(await eventually { isExpanded(widget) })
    await server.converse([
      "type": "conversation.item.created",
      "item": ["id": "u1", "role": "user", "status": "completed", "content": "Hello"],
    ])
    #expect(await eventually { widget.agentStatusText == "Thinking…" })
    for word in ["Good", " day"] {
      await server.converse(["type": "response.text.delta", "delta": .string(word), "item_id": "a1"])
    }
    #expect(await eventually { widget.transcriptItems.map(\.text) == ["Hello", "Good day"] })
    widget.updateUserInput("  by hand ")
    widget.sendMessage()
    widget.sendMessage()
    #expect(widget.userInput.isEmpty)
    widget.sendMessageWithImages([Data("ABC".utf8)])
    #expect(await eventually { widget.transcriptItems.count == 4 })
    #expect(widget.transcriptItems[2].text == "by hand")
    #expect(widget.transcriptItems[3].attachments.first?.base64Data == "QUJD")
    await server.converse([
      "type": "conversation.item.created",
      "item": ["type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"],
    ])
    #expect(
      await eventually {
        await server.frames("ai_conversation").contains { $0["params"]["item"]["output"].string == "rain" }
      })
    widget.endCall()
    #expect(widget.transcriptItems.isEmpty)
    await widget.disconnect()
    await server.stop()
  }

  @Test func aDroppedSocketIsTakenUpAgainAndTheSoundGoesOn() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await Self.makeWidget(server, sound)
    widget.initialize(assistantID: "assistant-7")
    #expect(await eventually { isCollapsed(widget) })
    widget.startCall()
    #expect(await eventually { sound.heardFrequency() == 700 })
    await server.dropSocket()
    #expect(await eventually { !isExpanded(widget) })
    #expect(sound.heardFrequency() == 700)
    #expect(await eventually { isExpanded(widget) })
    #expect(await server.frames("telnyx_rtc.attach").count == 1)
    sound.forget()
    #expect(await eventually { sound.sampleCount > 24_000 && sound.heardFrequency() == 700 })
    await widget.disconnect()
    await server.stop()
  }

  @Test func shouldInitializeConnectsOnceAndLeavesAlone() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let widget = await Self.makeWidget(server, sound)
    widget.update(assistantID: "assistant-7", shouldInitialize: false)
    #expect(widget.widgetState == .idle)
    widget.update(assistantID: "assistant-7", shouldInitialize: true)
    widget.update(assistantID: "assistant-7", shouldInitialize: true)
    #expect(await eventually { isCollapsed(widget) })
    widget.update(assistantID: "assistant-7", shouldInitialize: false)
    try await Task.sleep(for: .milliseconds(100))
    #expect(isCollapsed(widget))
    #expect(await server.connectionCount == 1)
    widget.update(assistantID: "assistant-7", shouldInitialize: true)
    #expect(widget.widgetState == .loading)
    #expect(await eventually { await server.connectionCount == 2 })
    await widget.disconnect()
    await server.stop()
  }

  @Test func nobodyThereIsAnErrorAndARetryLoads() async throws {
    var configuration = TelnyxConfiguration(assistantID: "")
    configuration.url = "ws://127.0.0.1:1"
    let widget = WidgetModel(configuration: configuration, environment: .loopback(TestSound()))
    widget.initialize(assistantID: "assistant-7")
    #expect(await eventually { widget.widgetState == .error(message: "Connection lost", type: .connection) })
    #expect(widget.lastError?.isRetryable == true)
    widget.initialize(assistantID: "assistant-7")
    #expect(widget.widgetState == .loading)
    await widget.disconnect()
  }

  @Test func lettingGoHangsUp() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    var widget: WidgetModel? = await Self.makeWidget(server, sound)
    widget?.initialize(assistantID: "assistant-7")
    let states = try #require(widget?.states)
    for await state in states { if case .collapsed = state { break } }
    widget?.startCall()
    #expect(await eventually { sound.heardFrequency() == 700 })
    widget = nil
    #expect(await eventually { await server.frames("telnyx_rtc.bye").count == 1 })
    await server.stop()
  }

  @Test func theCommonFaceCallsToo() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    var configuration = TelnyxConfiguration(assistantID: "assistant-7")
    configuration.url = await server.address
    configuration.iceServers = []
    let call = try await Call.start(.telnyx(configuration), environment: .loopback(sound))
    #expect(await eventually { sound.heardFrequency() == 700 })
    await server.hangUp()
    var states: [SessionState] = []
    for await event in call.events { if case .state(let state) = event { states.append(state) } }
    #expect(states.last == .ended(.remote("NORMAL_CLEARING")))
    await server.stop()
  }
}

extension WidgetCallTests {
  @Test func theExampleRuns() async throws {
    let (server, sound) = (try await TelnyxTestServer.start(), TestSound())
    let screen = AssistantScreen(widget: await Self.makeWidget(server, sound))
    let following = Task { await screen.follow() }
    screen.appear()
    #expect(screen.widget.widgetState == .idle)
    screen.hasPermissions = true
    #expect(await eventually { screen.shown == "Talk to us" })
    #expect(screen.widget.gradient == .twilight)
    screen.tap()
    #expect(await eventually { screen.shown == "Mute" })
    screen.tap()
    screen.tap()
    #expect(await eventually { screen.widget.transcriptItems.map(\.text) == ["What can you do for me?"] })
    screen.hangUp()
    #expect(await eventually { screen.shown == "Talk to us" })
    following.cancel()
    await screen.widget.disconnect()
    await server.stop()
  }
}
