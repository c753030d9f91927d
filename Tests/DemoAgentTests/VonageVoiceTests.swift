import Foundation
import Networking
import RealtimeCore
import TestPeers
import Testing

@testable import DemoAgent

/// Vonage's Voice WebSocket: the platform and the agent that it dials.
@Suite("Vonage voice socket", .timeLimit(.minutes(2))) struct VonageVoiceTests {
  let loop = EventLoop()

  private func endpoint(_ settings: DemoAgentSettings = .forTests) async throws -> (DemoAgentServer, String) {
    let agent = try await DemoAgentServer.start(as: .vonage, settings: settings, on: loop)
    return (agent, "ws://127.0.0.1:\(agent.port)/socket")
  }

  @Test(
    "our platform calls our agent: greeting, question, clear at barge-in, farewell", arguments: [8_000, 16_000, 24_000])
  func call(rate: Int) async throws {
    var agentSettings = DemoAgentSettings.forTests
    agentSettings.mind.greeting = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen."
    let (agent, url) = try await endpoint(agentSettings)
    var events = agent.events.makeAsyncIterator()
    var settings = VonagePlatform.Settings()
    settings.sampleRate = rate
    let platform = try await VonagePlatform.dial(url, settings, on: loop)
    while let event = await events.next(), event != AgentEvent(call: 1, kind: .state, text: "speaking") {}
    try await Task.sleep(for: .seconds(1))
    // Telephone speech, whose band ends at 4 kHz, is understood less well: typed is what counts there.
    await platform.say(try Question.bytes("goodbye", rate: SampleRate(hertz: rate)))
    var heard: [AgentEvent.Kind: String] = [:]
    while heard[.ended] == nil, let event = await events.next() {
      heard[event.kind] = event.text
      if event.kind == .said, event.text != "Goodbye." { break }
    }
    let report = await platform.report
    #expect(report.refusal == nil && report.lostPackets == 0)
    #expect(report.clearCount == 1, "the question cuts the greeting")
    let spoken = heard[.interrupted] ?? ""
    #expect(spoken.hasPrefix("One two") && !spoken.contains("fourteen"), "\(spoken)")
    let sounding = report.played.filter { $0 != nil }.count
    #expect(sounding > 30)
    if rate > 8_000 {
      #expect(heard[.heard] == "goodbye" || heard[.heard] == "good bye")
      #expect(await platform.ended() == .closed(by: .peer, code: 1000, reason: ""))
    }
    await platform.hangUp()
    await agent.stop()
  }

  @Test(
    "frames that the platform never sends are refused",
    arguments: [
      ([Frame.bytes(640)], 1008), ([.text("{")], 1007), ([.text(#"{"event":"hello"}"#)], 1008),
      ([.text(#"{"event":"websocket:connected"}"#)], 1003),
      ([.text(#"{"event":"websocket:connected","content-type":"audio/l16;rate=44100"}"#)], 1003),
      ([.text(#"{"event":"websocket:connected","content-type":"audio/pcmu;rate=8000"}"#)], 1003),
      ([.connected, .bytes(320)], 1003), ([.connected, .bytes(641)], 1003), ([.connected, .bytes(0)], 1003),
      ([.connected, .connected], 1008), ([.connected, .text("[]")], 1007),
    ])
  func refused(frames: [Frame], code: Int) async throws {
    let (agent, url) = try await endpoint(.script([]))
    let caller = try await RawCaller(url, on: loop)
    for frame in frames { try await caller.socket.send(frame.message) }
    let ending = await caller.ended()
    guard case .closed(.peer, code, _) = ending else {
      Issue.record("\(frames): \(ending)")
      return
    }
    await agent.stop()
  }

  enum Frame: Sendable, Equatable {
    case text(String)
    case bytes(Int)

    static var connected: Frame {
      .text(#"{"event":"websocket:connected","content-type":"audio/l16;rate=16000","caller":"1"}"#)
    }

    var message: WebSocketMessage {
      switch self {
      case .text(let text): .text(text)
      case .bytes(let count): .binary([UInt8](repeating: 0, count: count))
      }
    }
  }

  @Test("both shapes of keys, marks and unknown events are taken") func events() async throws {
    let (agent, url) = try await endpoint(.script([]))
    var notes = agent.events.makeAsyncIterator()
    let caller = try await RawCaller(url, on: loop)
    try await caller.socket.send(Frame.connected.message)
    for text in [
      #"{"event":"websocket:dtmf","digit":"5","duration":260}"#, ##"{"dtmf":{"digit":"#"}}"##,
      #"{"event":"websocket:new"}"#,
      #"{"event":"websocket:cleared"}"#, #"{"event":"websocket:notify","payload":{"mark":"m1"}}"#,
    ] { try await caller.send(text) }
    var words: [String] = []
    while words.count < 4, let event = await notes.next() { if event.kind == .note { words.append(event.text) } }
    #expect(words == ["key 5", "key #", "cleared", #"played {"mark":"m1"}"#])
    await caller.socket.close()
    await agent.stop()
  }

  @Test("the platform refuses wrong packets and actions, and answers clear and notify") func platform() async throws {
    for (frame, code) in [
      (Frame.bytes(639), 1003), (.text("x"), 1007), (.text(#"{"action":"stop"}"#), 1008),
      (.text(#"{"action":"notify"}"#), 1008),
    ] {
      let server = try await HTTPServer.start(on: loop) { _ in
        .webSocket { socket in
          try? await socket.send(frame.message)
          while await socket.next() != nil {}
        }
      }
      let platform = try await VonagePlatform.dial("ws://127.0.0.1:\(await server.port)/", on: loop)
      guard case .closed(.us, code, _) = await platform.ended() else {
        Issue.record("\(frame) was taken")
        return
      }
      #expect(await platform.report.refusal != nil)
      await server.stop()
    }
  }

  @Test("queue, marks and clear on virtual time") func playout() {
    var playout = VonagePlayout(limit: 3)
    #expect(playout.tick().packet == nil)
    for byte in 1...4 as ClosedRange<UInt8> {
      let isTaken = playout.push([byte])
      #expect(isTaken == (byte < 4))
    }
    playout.mark(["m": 1])
    #expect(playout.lostCount == 1 && playout.count == 3)
    #expect(playout.tick().packet == [1])
    _ = playout.push([5])
    for byte in [2, 3] as [UInt8] {
      let step = playout.tick()
      #expect(step.packet == [byte] && step.marks.isEmpty)
    }
    let last = playout.tick()
    #expect(last.packet == [5] && last.marks == [["m": 1]])
    playout.mark(["m": 2])
    let isTaken = playout.push([6])
    #expect(isTaken)
    playout.clear()
    let cleared = playout.tick()
    #expect(cleared.packet == nil && cleared.marks.isEmpty && playout.count == 0)
    playout.mark(["m": 3])
    #expect(playout.tick().marks == [["m": 3]])
    // Many packets: the memory of those that were played goes.
    var long = VonagePlayout(limit: 10_000)
    for index in 0..<5_000 { _ = long.push([UInt8(index % 251)]) }
    for index in 0..<5_000 { #expect(long.tick().packet == [UInt8(index % 251)]) }
  }

  @Test("webhooks and the REST call") func webhooks() async throws {
    let (agent, _) = try await endpoint(.script([]))
    let client = RawClient(agent, on: loop)
    let list = try await client.send(.get, "/answer?to=15550100&from_user=Alice&conversation_uuid=CON-1&uuid=U-1")
    let action = try #require(list.body.array?.first)
    #expect(action["action"] == "connect" && action["eventType"] == "synchronous")
    let target = action["endpoint"]?.array?.first
    #expect(target?["content-type"] == "audio/l16;rate=16000" && target?["headers"]?["caller"] == "Alice")
    #expect(target?["uri"]?.string == "ws://127.0.0.1:\(agent.port)/socket")
    #expect(try await client.send(.get, "/answer?to=1").status == 400)
    #expect(try await client.send(.post, "/event", #"{"status":"started"}"#).status == 204)
    #expect(try await client.send(.post, "/event", #"{"status":"failed"}"#).body.array?.first?["action"] == "talk")
    #expect(try await client.send(.post, "/event", "x").status == 400)
    #expect(try await client.send(.put, "/v1/calls/none", #"{"action":"hangup"}"#).status == 404)
    #expect(try await client.send(.put, "/v1/calls/none", "{}").status == 400)
    await agent.stop()
  }

  @Test(
    "a platform in Python, by PyPI's websockets, holds a whole call",
    .enabled(if: ProcessInfo.processInfo.environment["ANTIPHON_PEERS"] != nil, "ANTIPHON_PEERS names no Python"))
  func python() async throws {
    struct Line: Decodable {
      let event: String
      var code: Int?
      var packets: Int?
    }
    let python = try #require(ProcessInfo.processInfo.environment["ANTIPHON_PEERS"])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("agent-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var paths: [String] = []
    for question in ["what time is it", "goodbye"] {
      let file = folder.appendingPathComponent("\(paths.count).pcm")
      try Data(Question.bytes(question, rate: .hz24000)).write(to: file)
      paths.append(file.path)
    }
    let (agent, url) = try await endpoint()
    let log = Task { [events = agent.events] in
      var lines: [String] = []
      for await event in events where [.heard, .said].contains(event.kind) { lines.append(event.text) }
      return lines
    }
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Peers/vonage_platform.py")
    let platform = try SpawnedProgram(python, [script.path, url, "24000"] + paths)
    var lines: [Line] = []
    while lines.last?.event != "end" {
      let text = try #require(platform.line(within: 30))
      lines.append(try JSONDecoder().decode(Line.self, from: Data(text.utf8)))
    }
    #expect(lines.map(\.event) == ["notify", "notify", "notify", "end"])
    #expect(lines.last?.code == 1000 && (lines.last?.packets ?? 0) > 100)
    await agent.stop()
    #expect(await log.value == ["Hello.", "what time is it", "It is 10:30 in the morning.", "goodbye", "Goodbye."])
  }
}
