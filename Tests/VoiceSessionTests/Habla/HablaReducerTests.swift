import Foundation
import Testing

@testable import VoiceSession

@Suite("Habla's reducer and archive")
struct HablaReducerTests {
  private func state(after actions: [HablaAction]) -> HablaState {
    actions.reduce(into: HablaState()) { $0.reduce($1) }
  }

  private let line = HablaLine(id: "1", role: .callee, textOriginal: "Hola", timestamp: .distantPast)
  private let question = HablaConfirmation(factType: "amount", candidateValue: "15", prompt: "Is it 15?")
  private let fact = HablaFact(type: "time", value: "18:00", isVerified: true)

  @Test("a new call begins clean, and takes no second one in")
  func begin() {
    let used: [HablaAction] = [
      .initiateAgentCall(to: "+1", prompt: "", userName: ""), .callNamed("CA1", at: .distantPast),
      .statusChanged(.connected, isReconnecting: false), .durationChanged(9), .lineChanged(line),
      .factsChanged([fact]), .confirmationAsked(question), .levelsChanged(0.5, SessionLevels(user: [1])),
      .receivingChanged(true), .agentStatusChanged(.speaking),
    ]
    let busy = state(after: used + [.initiateCall(to: "+2")])
    #expect(busy == state(after: used))
    #expect(busy.agentTranscript == [line])
    let second = state(after: used + [.callFailed(SessionError(.network, "gone")), .initiateCall(to: "+2")])
    var clean = state(after: [.initiateCall(to: "+2")])
    clean.number = "+2"
    #expect(second == clean)
  }

  @Test("what a call tells counts only while there is one")
  func stale() {
    let told: [HablaAction] = [
      .callNamed("CA1", at: .distantPast), .statusChanged(.connected, isReconnecting: false),
      .callFailed(SessionError(.network, "gone")), .phaseChanged(.speaking), .agentStatusChanged(.speaking),
      .receivingChanged(true), .levelsChanged(1, SessionLevels(user: [1])), .durationChanged(7), .lineChanged(line),
      .confirmationAsked(question), .factsChanged([fact]),
    ]
    #expect(state(after: told) == HablaState())
    let ended = state(after: [.initiateCall(to: "+1"), .endCall])
    #expect(ended.callStatus == .ended)
    #expect(told.reduce(into: ended) { $0.reduce($1) } == ended)
  }

  @Test(
    "ends",
    arguments: [
      (HablaAction.endCall, HablaCallStatus.ended, HablaCallStatus.idle),
      (.statusChanged(.ended, isReconnecting: false), .ended, .idle),
      (.callFailed(SessionError(.network, "gone")), .failed("gone"), .failed("gone")),
    ])
  func ends(action: HablaAction, status: HablaCallStatus, released: HablaCallStatus) {
    var state = state(after: [
      .initiateCall(to: "+1"), .statusChanged(.connected, isReconnecting: false), .phaseChanged(.speaking),
      .setMuted(true), .levelsChanged(1, SessionLevels(user: [1])), action,
    ])
    #expect(state.callStatus == status)
    #expect(state.liveCallPhase == .idle)
    #expect(!state.isMuted && !state.isReceivingAudio && state.inputAudioLevel == 0)
    state.reduce(.callReleased)
    #expect(state.callStatus == released)
  }

  @Test("choices, with what is remembered of a callee before them")
  func preferences() {
    let memory = HablaCallerMemory(
      phoneNumber: "+1", languages: HablaLanguages(from: .englishUK, to: .german), voice: .male, consentedAt: .now)
    var state = state(after: [
      .selectSourceLanguage(.spanishUS), .selectVoice(.female), .selectBackend(.gemini), .selectCallerID("+3"),
      .rememberCaller(memory),
    ])
    #expect(state.preferences.languages == HablaLanguages(from: .spanishUS, to: .englishUS))
    #expect(state.preferences(for: "+1").languages.target == .german)
    #expect(state.preferences(for: "+1").callerID == "+3")
    #expect(state.preferences(for: "+2") == state.preferences)
    state.reduce(.forgetCaller("+1"))
    #expect(state.preferences(for: "+1") == state.preferences)
    state.reduce(.callerIDsLoaded([HablaCallerID(phoneNumber: "+3", sid: "PN3")]))
    state.reduce(.deleteCallerID(sid: "PN3"))
    #expect(state.preferences.callerID == nil)
  }

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("habla-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test("what was kept is there after the next launch")
  func archive() async throws {
    try await withFolder { folder in
      let id = try HablaFileArchive.deviceID(in: folder)
      #expect(try HablaFileArchive.deviceID(in: folder) == id)
      let first = HablaFileArchive(in: folder)
      var call = HablaState()
      call.number = "+1"
      call.conversation = [line]
      call.verifiedFactsSummary = [fact, HablaFact(type: "name", value: "Ana")]
      let records = (0..<3).map { _ in HablaCallRecord(call, id: UUID(), at: .now, failure: nil) }
      for record in records { try await first.add(record) }
      try await first.deleteRecord(records[1].id)
      let memory = HablaCallerMemory(phoneNumber: "+1", languages: HablaLanguages(), voice: .male, consentedAt: .now)
      try await first.remember(memory)
      try await first.remember(memory)

      let second = HablaFileArchive(in: folder)
      #expect(try await second.records() == [records[2], records[0]])
      #expect(try await second.records().first?.verifiedFacts == [fact])
      #expect(try await second.memories() == [memory])
      try await second.forget("+1")
      #expect(try await HablaFileArchive(in: folder).memories().isEmpty)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(files) == ["device.json", "history.json", "callees.json"])
    }
  }

  @Test("a damaged file is put aside, and the archive goes on")
  func damagedArchive() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appendingPathComponent("history.json")
      try Data("[{".utf8).write(to: file)
      let archive = HablaFileArchive(in: folder)
      #expect(try await archive.records().isEmpty)
      #expect(try Data(contentsOf: file.appendingPathExtension("damaged")) == Data("[{".utf8))
      try await archive.add(HablaCallRecord(HablaState(), id: UUID(), at: .now, failure: "gone"))
      #expect(try await HablaFileArchive(in: folder).records().count == 1)
    }
  }
}
