import DemoAgent
import Foundation
import MediaEngine
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

/// The store against the demo agent's back end, which refuses what the vendor's would refuse.
@MainActor @Suite("Habla: the store and the demo agent", .timeLimit(.minutes(1)))
struct HablaDemoAgentTests {
  private let sound = TestSound()

  private func start(_ settings: DemoAgentSettings, secret: String = "sesame") async throws -> (
    DemoAgentServer, HablaStore
  ) {
    let agent = try await DemoAgentServer.start(as: .habla, settings: settings, on: EventLoop())
    var environment = SessionEnvironment(sound: sound.sound)
    environment.engine = .unprocessed
    let server = HablaServer(
      "http://127.0.0.1:\(agent.port)", secret: secret, bundleID: "com.example.habla", deviceID: UUID())
    return (agent, HablaStore(HablaConfiguration(nova: server), environment: environment))
  }

  private func settings(_ voice: AgentVoice) -> DemoAgentSettings {
    var settings = DemoAgentSettings()
    settings.voice = voice
    settings.habla.secret = "sesame"
    return settings
  }

  @Test("a live call with each back end, in odd sizes too", arguments: [true, false], [true, false])
  func live(isNova: Bool, hasOddSizes: Bool) async throws {
    var settings = settings(.tone(700))
    if isNova { settings.habla.backend = .nova }
    settings.misbehaviour.usesOddSizes = hasOddSizes
    let (agent, store) = try await start(settings)
    store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { store.state.callStatus == .connected })
    #expect(await eventually { sound.heardFrequency() == 700 })
    let packets = agent.received.compactMap(\.bytes)
    #expect(packets.count > 10 && packets.allSatisfy { $0.count == 640 })
    await store.endCall()
    #expect(store.state.callStatus == .idle)
    let paths = agent.received.compactMap { if case .request(let request) = $0.content { request.path } else { nil } }
    #expect(paths.last?.hasSuffix("/end") == true)
    await agent.stop()
  }

  @Test("the wrong secret; a translator that does not start; a back end that fails")
  func refusals() async throws {
    var (agent, store) = try await start(settings(.tone(700)), secret: "wrong")
    store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { store.state.callError?.code == "unauthorized" })
    await agent.stop()

    var broken = settings(.tone(700))
    broken.habla.translatorStarts = false
    (agent, store) = try await start(broken)
    store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { store.state.callError?.code == "translatorUnavailable" })
    await store.endCall()
    await agent.stop()
  }

  @Test("an agent's call, ended by the user")
  func agentCall() async throws {
    let (agent, store) = try await start(settings(.tone(700)))
    store.dispatch(.initiateAgentCall(to: "+15550100", prompt: "What time is it?", userName: "Ana"))
    #expect(await eventually { store.state.callStatus == .connected })
    store.dispatch(.instruct("Ask for a window seat"))
    #expect(await eventually { agent.received.contains { $0.text?.contains("window seat") == true } })
    await store.endCall()
    #expect(store.state.callStatus == .idle)
    await agent.stop()
  }
}
