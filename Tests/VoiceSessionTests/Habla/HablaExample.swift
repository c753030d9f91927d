import Foundation
import Testing
import VoiceSession

// An app in the vendor's architecture, step by step: one state, actions, a middleware of its own. It is compiled and run,
// so that the page about moving over stays true.

/// What the app adds: it counts the calls that it makes, by looking at the state before each action.
@MainActor final class CallCounter: HablaMiddleware {
  private(set) var calls = 0

  func handle(
    _ action: HablaAction, before state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void
  ) {
    if case .initiateCall = action, !state.callStatus.isOn { calls += 1 }
  }
}

@MainActor final class TranslatedCalls {
  let store: HablaStore
  let counter = CallCounter()

  init(backend url: String, secret: String, folder: URL, environment: SessionEnvironment) throws {
    let server = HablaServer(
      url, secret: secret, bundleID: "com.example.app", deviceID: try HablaFileArchive.deviceID(in: folder))
    store = HablaStore(
      HablaConfiguration(nova: server), environment: environment, archive: HablaFileArchive(in: folder),
      middleware: [counter])
  }

  /// What the call screen shows in one line.
  var banner: String {
    let state = store.state
    return switch state.callStatus {
    case .idle: "Ready"
    case .initiating, .connecting: "Connecting…"
    case .ringing: "Ringing…"
    case .connected: "\(state.liveCallPhase.rawValue.capitalized), \(state.callDuration) s"
    case .ended: "Call ended"
    case .failed(let reason): "Failed: \(reason)"
    }
  }

  func callInSpanish(_ number: String) {
    store.dispatch(.selectSourceLanguage(.englishUS))
    store.dispatch(.selectTargetLanguage(.spanishUS))
    store.dispatch(.selectVoice(.female))
    store.dispatch(.initiateCall(to: number))
  }

  func bookATable(_ number: String) {
    store.dispatch(.initiateAgentCall(to: number, prompt: "Book a table for two at eight", userName: "Ana"))
    store.dispatch(.instruct("Ask for a window seat"))
  }

  func summary() -> [String] {
    (store.state.summary?.verifiedFacts ?? []).map { "\($0.type): \($0.value)" }
  }
}

@MainActor @Suite("Habla: the example", .timeLimit(.minutes(1)))
struct HablaExampleTests {
  @Test("a call of the example, kept over a launch")
  func example() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("habla-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await HablaScriptedServer()
    let environment = SessionEnvironment(sound: .none)
    let app = try TranslatedCalls(
      backend: await server.url, secret: "sesame", folder: folder, environment: environment)
    #expect(app.banner == "Ready")
    app.callInSpanish("+15550100")
    app.callInSpanish("+15550100")
    #expect(app.counter.calls == 1)
    #expect(app.banner == "Connecting…")
    #expect(await eventually { server.isAttached })
    try await server.send(["type": "status", "status": "connected"])
    // Silence at this end means that the translator works.
    #expect(await eventually { app.banner == "Listening, 0 s" || app.banner == "Translating, 0 s" })
    try await server.send([
      "type": "verified_facts_summary", "facts": [["type": "time", "value": "20:00", "verified": true]],
    ])
    #expect(await eventually { !app.store.state.verifiedFactsSummary.isEmpty })
    await app.store.endCall()
    #expect(app.summary() == ["time: 20:00"])
    #expect(await eventually { (try? await HablaFileArchive(in: folder).records().count) == 1 })

    let later = try TranslatedCalls(
      backend: await server.url, secret: "sesame", folder: folder, environment: environment)
    #expect(await eventually { later.store.state.history.count == 1 })
    later.bookATable("+15550100")
    #expect(await eventually { server.texts.count == 1 })
    await later.store.endCall()
    #expect(later.store.state.summary?.isAgentCall == true)
  }
}
