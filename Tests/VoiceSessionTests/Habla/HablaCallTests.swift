import Foundation
import MediaEngine
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

/// The store with sound, over real sockets and in real time.
@MainActor @Suite("Habla: calls of the store", .timeLimit(.minutes(1)))
struct HablaCallTests {
  @Test("a tone both ways, in strict packets at a steady pace")
  func toneBothWays() async throws {
    let call = try await HablaScriptedCall()
    call.store.dispatch(.initiateCall(to: "+15550100"))
    #expect(call.store.state.callStatus == .initiating)
    #expect(await eventually { call.store.state.callStatus == .connecting && call.server.isAttached })
    #expect(await eventually { call.server.packetCount > 20 })
    let (before, start) = (call.server.packetCount, ContinuousClock.now)
    // Pieces of any size, of which none need end with a sample.
    let tone = tonePCM(700, seconds: 6, sampleRate: 16_000)
    var rest = tone[...]
    for size in [1, 3, 999, 10_000, 1, 2, 4_321] {
      try await call.server.say(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    try await call.server.say(Array(rest))
    #expect(await eventually { call.store.state.callStatus == .connected })
    #expect(await eventually { call.store.state.liveCallPhase == .speaking })
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    try await Task.sleep(for: .seconds(1))
    let packets = call.server.packetCount - before
    let expected = (ContinuousClock.now - start) / .milliseconds(20)
    #expect(abs(Double(packets) - expected) < 6)
    #expect(call.server.noted.withLock { $0.packetSizes } == [640])
    #expect(strongestFrequency(Array(call.server.microphone.suffix(8_000)), sampleRate: 16_000) == 440)
    #expect(call.store.state.inputAudioLevel > 0.5)
    await call.store.endCall()
    #expect(call.store.state.callStatus == .idle)
    #expect(call.server.noted.withLock { $0.closeCode } == 1001)
    #expect(call.server.lines == ["POST /call", "GET /ws/CA1", "POST /call/CA1/end"])
    let (headers, body) = call.server.noted.withLock { ($0.requests[1].headers, $0.requests[0].body) }
    #expect(headers["Authorization"]?.count == 64)
    #expect(headers["X-Habla-Device-ID"] != nil)
    #expect(body["source_language"] == "en-US" && body["target_language"] == "es-US")
    #expect(call.store.state.history.count == 1)
    #expect(call.store.state.summary?.phoneNumber == "+15550100")
  }

  @Test("two seconds at once are cut by an interruption within 20 ms")
  func interruption() async throws {
    let call = try await HablaScriptedCall()
    try await call.connect()
    try await call.server.say(tonePCM(700, seconds: 2, sampleRate: 16_000))
    #expect(await eventually { call.sound.lastLoudSample > 0 && call.sound.heardFrequency() == 700 })
    let phases = call.store.actions
    let told = Task { () -> Int in
      for await action in phases { if action == .receivingChanged(false) { return call.sound.sampleCount } }
      return 0
    }
    try await call.server.send(["type": "interrupted"])
    let at = await told.value
    try await Task.sleep(for: .milliseconds(300))
    // Two blocks of 10 ms may have been handed over between the order and the count.
    #expect(call.sound.lastLoudSample - at < 40 * 48, "the far end is heard after it was cut")
    call.sound.forget()
    try await call.server.say(tonePCM(900, seconds: 5, sampleRate: 16_000))
    #expect(await eventually { call.sound.heardFrequency() == 900 })
    await call.store.endCall()
  }

  @Test("the progress tone is heard, and is cut by the far end")
  func progressTone() async throws {
    let call = try await HablaScriptedCall(tone: true)
    call.store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { call.sound.lastLoudSample > 4_800 })
    #expect(await eventually { call.server.isAttached })
    try await call.server.say(tonePCM(900, seconds: 5, sampleRate: 16_000))
    #expect(await eventually { call.sound.heardFrequency() == 900 })
    try await call.server.send(["type": "interrupted"])
    #expect(await eventually { call.sound.heardFrequency() == 0 })
    call.sound.forget()
    // Longer than a period: no further burst comes.
    try await Task.sleep(for: .seconds(2.5))
    #expect(powerDecibels(call.sound.samples) < -80)
    await call.store.endCall()
  }

  @Test("mute before the call and in it: no packets, within 20 ms")
  func mute() async throws {
    let call = try await HablaScriptedCall()
    call.store.dispatch(.setMuted(true))
    try await call.connect()
    try await Task.sleep(for: .milliseconds(300))
    #expect(call.server.packetCount == 0)
    call.store.dispatch(.setMuted(false))
    #expect(await eventually { call.server.packetCount > 20 })
    call.store.dispatch(.setMuted(true))
    try await Task.sleep(for: .milliseconds(20))
    let muted = call.server.packetCount
    try await Task.sleep(for: .milliseconds(500))
    #expect(call.server.packetCount - muted <= 1)
    await call.store.endCall()
    #expect(!call.store.state.isMuted)
  }

  @Test("bursts, then a stall: what came is heard whole, and the next is heard soon")
  func stall() async throws {
    let call = try await HablaScriptedCall()
    try await call.connect()
    try await call.server.say(tonePCM(700, seconds: 2, sampleRate: 16_000))
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    try await Task.sleep(for: .seconds(2.5))
    let loud = call.sound.samples.count { abs($0) > 0.02 }
    // Of a sine of 0.3, 4 % of the samples lie below 0.02.
    #expect(abs(Double(loud) / 48_000 - 1.92) < 0.1)
    call.sound.forget()
    try await call.server.say(tonePCM(900, seconds: 1, sampleRate: 16_000))
    #expect(await eventually { call.sound.lastLoudSample >= 0 })
    let first = call.sound.samples.firstIndex { abs($0) > 0.02 } ?? .max
    #expect(first < 48 * 300, "heard after \(first / 48) ms")
    await call.store.endCall()
  }

  @Test("20 ms are 20 ms at any rate of the device", arguments: [16_000, 44_100, 48_000])
  func framing(hertz: Int) async throws {
    let server = try await HablaScriptedServer()
    var environment = SessionEnvironment(sound: .clock(sampleRate: try SampleRate(hertz: hertz)) { .null })
    environment.engine = .unprocessed
    let store = HablaStore(
      HablaConfiguration(nova: HablaServer(await server.url, deviceID: UUID())), environment: environment)
    store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { server.packetCount > 5 })
    let (before, start) = (server.packetCount, ContinuousClock.now)
    try await Task.sleep(for: .seconds(2))
    let expected = (ContinuousClock.now - start) / .milliseconds(20)
    #expect(abs(Double(server.packetCount - before) - expected) < 5)
    #expect(server.noted.withLock { $0.packetSizes } == [640])
    await store.endCall()
  }

  @Test("an agent's call: transcript, facts, a question, words for the agent")
  func agentCall() async throws {
    let call = try await HablaScriptedCall()
    call.store.dispatch(.initiateAgentCall(to: "+15550100", prompt: "Book a table", userName: "Ana"))
    #expect(await eventually { call.server.isAttached })
    try await call.server.send(["type": "status", "status": "connected"])
    try await call.server.send(["type": "agent_status", "status": "speaking"])
    let entry: JSON = [
      "type": "transcript", "role": "callee", "text_original": "¿A qué hora?", "text_en": .null,
      "timestamp": 1_700_000_000,
    ]
    try await call.server.send(entry)
    try await call.server.send([
      "type": "transcript_update", "role": "callee", "text_original": "¿A qué hora?", "text_en": "At what time?",
      "timestamp": 1_700_000_001,
    ])
    try await call.server.send([
      "type": "critical_confirmation", "fact_type": "time", "candidate_value": "18:00", "prompt_en": "Is it 18:00?",
    ])
    try await call.server.send([
      "type": "verified_facts_summary", "facts": [["type": "time", "value": "18:00", "verified": true]],
    ])
    #expect(await eventually { !call.store.state.verifiedFactsSummary.isEmpty })
    #expect(call.store.state.agentStatus == .speaking)
    #expect(call.store.state.agentTranscript.map(\.textEnglish) == ["At what time?"])
    #expect(call.store.state.activeCriticalConfirmation?.prompt == "Is it 18:00?")
    call.store.dispatch(.answerConfirmation(true))
    call.store.dispatch(.instruct("Ask for a window seat"))
    call.store.dispatch(.hangUpAgent)
    #expect(await eventually { call.server.texts.count == 3 })
    #expect(call.server.texts.map { $0["type"] } == ["instruction", "instruction", "end_call"])
    #expect(call.server.texts[0]["text"] == "The user confirms the time: 18:00")
    try await call.server.send(["type": "status", "status": "ended"])
    #expect(await eventually { call.store.state.callStatus == .idle })
    #expect(call.store.state.summary?.verifiedFacts.count == 1)
    #expect(call.server.packetCount == 0)
  }

  @Test("an end before the call has a name still ends it at the back end")
  func earlyEnd() async throws {
    let call = try await HablaScriptedCall()
    call.server.answerDelay.withLock { $0 = 0.3 }
    call.store.dispatch(.initiateCall(to: "+15550100"))
    #expect(await eventually { call.server.lines == ["POST /call"] })
    await call.store.endCall()
    #expect(call.server.lines == ["POST /call", "POST /call/CA1/end"])
    #expect(call.store.state.callStatus == .idle)
  }

  @Test(
    "closes that are no agreed end",
    arguments: [(1008, "does not let"), (4004, "no such call"), (1011, "translator"), (4321, "lost")])
  func closes(code: Int, words: String) async throws {
    let call = try await HablaScriptedCall()
    try await call.connect()
    await call.server.close(code)
    #expect(
      await eventually {
        if case .failed(let text) = call.store.state.callStatus { text.contains(words) } else { false }
      })
    let failure = call.store.state.history.first?.failure
    #expect(failure?.contains(words) == true, "\(failure ?? "none")")
    // And the next call may begin.
    try await call.connect()
    await call.store.endCall()
    #expect(call.store.state.history.count == 2)
  }

  @Test("a refusal of the back end is told in its words, a second start is none")
  func refusal() async throws {
    let call = try await HablaScriptedCall()
    call.server.answers.withLock { $0["POST /call"] = (422, ["detail": "unsupported language"]) }
    call.store.dispatch(.initiateCall(to: "+15550100"))
    call.store.dispatch(.initiateCall(to: "+15550199"))
    #expect(await eventually { call.store.state.callError != nil })
    #expect(call.store.state.callError?.message.contains("unsupported language") == true)
    #expect(call.server.lines == ["POST /call"])
  }

  @Test("numbers that callees see")
  func callerIDs() async throws {
    let call = try await HablaScriptedCall()
    call.server.answers.withLock {
      $0["GET /caller-id/list"] = (
        200, ["caller_ids": [["phone_number": "+15550111", "friendly_name": "Work", "sid": "PN1"], ["sid": 7]]]
      )
      $0["POST /caller-id/verify/start"] = (200, ["status": "pending", "validation_code": "123456"])
      $0["GET /caller-id/verify/status/+15550111"] = (200, ["verified": true])
      $0["DELETE /caller-id/PN1"] = (204, "")
    }
    call.store.dispatch(.verifyCallerID(phoneNumber: "+15550111", friendlyName: "Work"))
    #expect(await eventually { call.store.state.callerIDVerification?.validationCode == "123456" })
    call.store.dispatch(.checkCallerID(phoneNumber: "+15550111"))
    #expect(await eventually { call.store.state.callerIDVerification?.isVerified == true })
    #expect(await eventually { call.store.state.callerIDs.map(\.friendlyName) == ["Work"] })
    call.store.dispatch(.selectCallerID("+15550111"))
    try await call.connect()
    let body = call.server.noted.withLock { $0.requests.last { $0.line == "POST /call" }?.body }
    #expect(body?["from"] == "+15550111")
    call.store.dispatch(.deleteCallerID(sid: "PN1"))
    #expect(call.store.state.preferences.callerID == nil)
    #expect(await eventually { call.server.lines.contains("DELETE /caller-id/PN1") })
    await call.store.endCall()
  }
}

@MainActor struct HablaScriptedCall {
  let server: HablaScriptedServer
  let sound = TestSound()
  let store: HablaStore

  init(tone: Bool = false, archive: (any HablaArchive)? = nil, middleware: [any HablaMiddleware] = []) async throws {
    server = try await HablaScriptedServer()
    var environment = SessionEnvironment(sound: sound.sound)
    environment.engine = .unprocessed
    var configuration = HablaConfiguration(
      nova: HablaServer(await server.url, secret: "sesame", bundleID: "app.habla", deviceID: UUID()))
    configuration.session.playsProgressTone = tone
    store = HablaStore(
      configuration, environment: environment, archive: archive ?? MemoryArchive(), middleware: middleware)
  }

  func connect() async throws {
    let before = server.noted.withLock { $0.sockets.count }
    store.dispatch(.initiateCall(to: "+15550100"))
    try #require(await eventually { server.noted.withLock { $0.sockets.count } > before })
    try await server.send(["type": "status", "status": "connected"])
    try #require(await eventually { store.state.callStatus == .connected })
  }
}

private actor MemoryArchive: HablaArchive {
  private var calls: [HablaCallRecord] = []

  func records() -> [HablaCallRecord] { calls }
  func add(_ record: HablaCallRecord) { calls.insert(record, at: 0) }
  func deleteRecord(_ id: UUID) { calls.removeAll { $0.id == id } }
  func memories() -> [HablaCallerMemory] { [] }
  func remember(_ memory: HablaCallerMemory) {}
  func forget(_ phoneNumber: String) {}
}
