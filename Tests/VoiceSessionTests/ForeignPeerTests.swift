import Foundation
import Networking
import TestPeers
import Testing

@testable import VoiceSession

/// Sessions whose signalling is a test's and whose far end is somebody else's WebRTC: a tone is heard both ways.
@MainActor @Suite("Sessions with peers of others", .serialized, .timeLimit(.minutes(2)))
struct ForeignPeerTests {
  nonisolated static var hasAiortc: Bool { ProcessInfo.processInfo.environment["ANTIPHON_PEERS"] != nil }

  @Test("Telnyx' widget with aiortc", .enabled(if: hasAiortc, "ANTIPHON_PEERS names no Python"))
  func widgetWithAiortc() async throws { try await call(from: AiortcFarEnd()) }

  @Test("Telnyx' widget with Chromium")
  func widgetWithChromium() async throws { try await call(from: BrowserPeer(on: EventLoop(), frequency: 700)) }

  @Test("PolyAI's call with Chromium, candidates one by one")
  func voiceCallWithChromium() async throws {
    let far = try await BrowserPeer(on: EventLoop(), frequency: 700)
    let (server, sound) = (try await PolyTestServer.start(far), TestSound())
    let call = try await server.makeCall(sound)
    try await call.start()
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(await eventually { await near(440, far) })
    await call.end()
    await far.end()
    await server.stop()
  }

  private func call(from far: some FarEnd) async throws {
    let (server, sound) = (try await TelnyxTestServer.start(far), TestSound())
    let widget = await WidgetCallTests.makeWidget(server, sound)
    widget.initialize(assistantID: "assistant-7")
    #expect(await eventually { if case .collapsed = widget.widgetState { true } else { false } })
    widget.startCall()
    #expect(await eventually { if case .expanded = widget.widgetState { true } else { false } })
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(await eventually { await near(440, far) })
    await widget.disconnect()
    await far.end()
    await server.stop()
  }

  private nonisolated(nonsending) func near(_ frequency: Double, _ far: some FarEnd) async -> Bool {
    guard let heard = try? await far.heardFrequency() else { return false }
    return abs(heard - frequency) < 6
  }
}
