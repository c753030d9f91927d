import Foundation
import Networking
import TestPeers
import TestSupport
import Testing

@testable import DemoAgent

/// The vendor's own Python SDK, unchanged, at the Python that ANTIPHON_PEERS names: `Scripts/test peers` sets it up.
@Suite(
  "ElevenLabs SDK", .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProcessInfo.processInfo.environment["ANTIPHON_PEERS"] != nil, "ANTIPHON_PEERS names no Python"))
struct ElevenLabsSDKTests {
  private struct Line: Decodable, Equatable {
    let event: String
    var text: String?
    var city: String?
    var reason: String?
    var code: Int?
    var id: String?
    var bytes: Int?
    var letters: String?
  }

  @Test("a call with a question, a tool and a goodbye", arguments: ["public", "signed"])
  func call(mode: String) async throws {
    let python = try #require(ProcessInfo.processInfo.environment["ANTIPHON_PEERS"])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("agent-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var paths: [String] = []
    for (index, question) in ["what is the weather in paris", "goodbye"].enumerated() {
      let file = folder.appendingPathComponent("\(index).pcm")
      try Data(Question.bytes(question)).write(to: file)
      paths.append(file.path)
    }
    var settings = DemoAgentSettings.forTests
    settings.elevenLabs.isPrivate = mode == "signed"
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: EventLoop())
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Peers/elevenlabs_sdk.py")
    let sdk = try SpawnedProgram(python, [script.path, "http://127.0.0.1:\(agent.port)", mode] + paths)
    var lines: [Line] = []
    while lines.last?.event != "summary" {
      let text = try #require(sdk.line(within: 40), "\(lines)")
      lines.append(try JSONDecoder().decode(Line.self, from: Data(text.utf8)))
    }
    let summary = lines.removeLast()
    #expect(
      lines == [
        Line(event: "agent", text: "Hello."), Line(event: "user", text: "what is the weather in paris"),
        Line(event: "tool", city: "Paris"), Line(event: "agent", text: "In Paris it is fine for a walk."),
        Line(event: "user", text: "goodbye"), Line(event: "agent", text: "Goodbye."),
        Line(event: "end", reason: "agent", code: 1000),
      ])
    #expect(summary.id?.hasPrefix("conv_") == true)
    #expect(summary.letters == "Hello.In Paris it is fine for a walk.Goodbye.")
    #expect((summary.bytes ?? 0) > 60_000)
    await agent.stop()
  }
}
