import DemoAgent
import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

/// Calls with the local agent, which is as strict as the vendor and misbehaves when it is told to.
@MainActor @Suite("PolyAI: calls with the local agent", .timeLimit(.minutes(2)))
struct VoiceCallAgentTests {
  private let sound = TestSound()

  private func meet(
    _ change: (inout DemoAgentSettings) -> Void = { _ in }
  ) async throws -> (call: VoiceCall, agent: DemoAgentServer, refusals: Refusals) {
    var settings = DemoAgentSettings()
    settings.voice = .tone(700)
    change(&settings)
    let agent = try await DemoAgentServer.start(as: .polyAI, settings: settings, on: EventLoop())
    let place = "127.0.0.1:\(agent.port)"
    let call = try PolyVoice.call(
      config: PolyConfiguration(
        apiKey: "connector", environment: .custom(rest: agent.url, messaging: "ws://\(place)/ws")),
      options: VoiceOptions(webrtcToken: "web", signalingHost: "http://\(place)"), environment: .loopback(sound))
    return (call, agent, Refusals(agent))
  }

  @Test("a call, and nothing that the vendor would refuse", arguments: [0, 0.3])
  func plainCall(answerSeconds: Double) async throws {
    let (call, agent, refusals) = try await meet { $0.polyAI.answerSeconds = answerSeconds }
    try await call.start()
    #expect(await eventually { sound.heardFrequency() == 700 })
    await call.end()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test func aServerThatFailsTwiceIsAskedAgain() async throws {
    let (call, agent, refusals) = try await meet {
      $0.misbehaviour.failsRequest = (Misbehaviour.Step("POST /api/v1/sessions", 2), 503)
    }
    try await call.start()
    await call.end()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test func wrongTokens() async throws {
    let (call, agent, _) = try await meet { $0.polyAI.connectorToken = "another" }
    await #expect(throws: PolyError.auth(.unauthorized)) { try await call.start() }
    await agent.stop()
    let (other, gateway, _) = try await meet { $0.polyAI.webCallingToken = "another" }
    await #expect(throws: PolyError.voice(.signalingFailed("bad token"))) { try await other.start() }
    await gateway.stop()
  }

  @Test func theGatewaysSocketBreaksWhileCandidatesAreOnTheirWay() async throws {
    let (call, agent, refusals) = try await meet {
      $0.misbehaviour.abortsAt = Misbehaviour.Step("ice-candidate")
      $0.polyAI.answerSeconds = 0
    }
    // Its own candidates are lost on each socket; ours reach it, and suffice.
    try await call.start()
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(call.state == .connected)
    await call.end()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test("written words are answered in writing and by voice, once each, though every event comes twice")
  func words() async throws {
    // What the agent hears beside is none of the matter.
    sound.hum(0)
    let (call, agent, refusals) = try await meet { settings in
      settings.voice = .mind
      settings.mind.greeting = "Hello."
      settings.mind.timeOfDay = { (10, 30) }
      settings.misbehaviour.duplicateEvery = 1
    }
    try await call.start()
    #expect(await eventually { call.transcript.contains { $0.text == "Hello." && $0.isFinal } })
    sound.forget()
    try await call.sendText("what time is it")
    #expect(await eventually { call.transcript.count == 3 && call.transcript[2].isFinal })
    #expect(call.transcript.map(\.role) == [.agent, .user, .agent])
    #expect(await eventually { sound.lastLoudSample > 0 })
    await call.end()
    #expect(refusals.all == [])
    await agent.stop()
  }

  @Test func wrongTypes() async throws {
    let (call, agent, _) = try await meet { $0.misbehaviour.usesWrongTypes = true }
    try await call.start()
    await call.end()
    #expect(call.state == .ended)
    await agent.stop()
  }
}
