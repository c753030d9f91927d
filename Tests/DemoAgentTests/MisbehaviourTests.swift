import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// What a fake does wrong when it is asked to.
@Suite("Misbehaviour", .timeLimit(.minutes(1))) struct MisbehaviourTests {
  let loop = EventLoop()

  /// The kinds and ids of what comes of a script of ten numbered frames.
  private func run(_ misbehaviour: Misbehaviour) async throws -> (
    ids: [Int], ending: WebSocketEnding, milliseconds: Double
  ) {
    let steps = (1...10).map { ScriptStep.raw(#"{"type":"n","id":\#($0)}"#) } + [.close(1000, "")]
    var settings = DemoAgentSettings.script(steps)
    settings.misbehaviour = misbehaviour
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    let began = EventLoop.now
    try await caller.send(ElevenLabsTests.initiation)
    var ids: [Int] = []
    while let message = try await caller.next(within: 1) {
      guard case .text(let text) = message, let json = try? JSONReader.read(text) else { continue }
      if let id = json["id"] { ids.append(id.integer ?? -1) }
    }
    let ending = await caller.socket.ended()
    await agent.stop()
    return (ids, ending, EventLoop.now.milliseconds(since: began))
  }

  @Test("order, loss and doubles") func order() async throws {
    var wrong = Misbehaviour()
    #expect(try await run(wrong).ids == Array(1...10))
    wrong.reorderEvery = 5  // counted from the metadata and the first ping on
    #expect(try await run(wrong).ids == [1, 2, 4, 3, 5, 6, 7, 9, 8, 10])
    wrong = Misbehaviour()
    wrong.dropEvery = 4
    #expect(try await run(wrong).ids == [1, 3, 4, 5, 7, 8, 9])
    wrong = Misbehaviour()
    wrong.duplicateEvery = 6
    #expect(try await run(wrong).ids == [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10])
  }

  @Test("delay, closes, crash and silence at a step") func steps() async throws {
    var wrong = Misbehaviour()
    wrong.delaySeconds = 0.3
    let late = try await run(wrong)
    #expect(late.ids == Array(1...10) && late.milliseconds >= 300)
    wrong = Misbehaviour()
    wrong.closesAt = (.init("n", 3), 1011)
    let closed = try await run(wrong)
    #expect(closed.ids == [1, 2] && closed.ending == .closed(by: .peer, code: 1011, reason: "as it was told to"))
    wrong = Misbehaviour()
    wrong.abortsAt = .init("n", 4)
    let aborted = try await run(wrong)
    guard case .lost = aborted.ending else {
      Issue.record("\(aborted.ending)")
      return
    }
    wrong = Misbehaviour()
    wrong.fallsSilentAt = .init("n", 2)
    let silent = try await run(wrong)
    #expect(silent.ids == [1])
    #expect(silent.ending == .closed(by: .peer, code: 1000, reason: ""))
  }

  @Test("wrong types, and odd sizes of sound whose bytes are whole") func types() async throws {
    var settings = DemoAgentSettings.forTests
    settings.voice = .tone(440)
    settings.misbehaviour.usesWrongTypes = true
    settings.misbehaviour.usesOddSizes = true
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(ElevenLabsTests.initiation)
    #expect(try await caller.next("ping")["ping_event"]?["event_id"] == "1")
    var bytes: [UInt8] = []
    var sizes: Set<Int> = []
    while bytes.count < 3_200 {
      let audio = try await caller.next("audio")["audio_event"]
      #expect(audio?["event_id"] == "1")
      let piece = Array(Data(base64Encoded: audio?["audio_base_64"]?.string ?? "") ?? Data())
      sizes.insert(piece.count)
      bytes += piece
    }
    #expect(sizes.contains(1) && sizes.contains { $0 > 1 && $0 % 2 == 1 })
    #expect(bytes.count == 3_200 && bytes.prefix(2) == [0, 0])
    await caller.socket.close()
    await agent.stop()
  }

  @Test("requests that fail so many times") func requests() async throws {
    var settings = DemoAgentSettings.script([])
    settings.misbehaviour.failsRequest = (.init("GET /v1/convai/conversation/token", 2), 503)
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let client = HTTPClient(on: loop)
    var statuses: [Int] = []
    for _ in 0..<3 {
      statuses.append(
        try await client.send(
          HTTPRequest(.get, "http://127.0.0.1:\(agent.port)/v1/convai/conversation/token?agent_id=a")
        ).status)
    }
    #expect(statuses == [503, 503, 200])
    await agent.stop()
  }
}
