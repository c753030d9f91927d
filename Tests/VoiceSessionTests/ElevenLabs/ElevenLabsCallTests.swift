import Foundation
import MediaEngine
import Networking
import RealtimeCore
import Synchronization
import TestSupport
import Testing

@testable import VoiceSession

/// Conversations over real sockets and in real time, with a server that does what the test says.
@MainActor @Suite("ElevenLabs: conversations", .timeLimit(.minutes(1)))
struct ElevenLabsCallTests {
  @Test func aToneBothWaysInUnequalFormats() async throws {
    let call = try await ScriptedConversation(input: "pcm_24000", output: "pcm_8000")
    try await call.conversation.startConversation()
    #expect(call.conversation.state == .active(CallInfo(agentID: "agent-7")))
    #expect(!call.conversation.isMuted)
    try await call.server.say(tonePCM(700, seconds: 2, sampleRate: 8_000), turn: 1)
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    #expect(await eventually { call.server.microphone.count > 48_000 })
    #expect(strongestFrequency(Array(call.server.microphone.suffix(12_000)), sampleRate: 24_000) == 440)
    #expect(call.conversation.agentState == .speaking)
    await call.conversation.endConversation()
    #expect(call.conversation.state == .ended(.userEnded))
    #expect(await eventually { call.server.closeCode == 1000 })
  }

  @Test func theFirstSampleIsHeardAndNothingBeforeIt() async throws {
    let call = try await ScriptedConversation()
    try await call.conversation.startConversation()
    var pulse = [UInt8](repeating: 0, count: 16_000)
    pulse[1] = 0x60  // in the first sample
    try await call.server.say(pulse, turn: 1)
    #expect(await eventually { call.sound.lastLoudSample >= 0 })
    await call.conversation.endConversation()
  }

  @Test func tenSecondsAtOnceAreCutWithinTwentyMilliseconds() async throws {
    let call = try await ScriptedConversation()
    try await call.conversation.startConversation()
    try await call.server.say(tonePCM(700, seconds: 10, sampleRate: 16_000), turn: 3)
    #expect(await eventually { call.sound.lastLoudSample > 9_600 })
    let events = call.conversation.events
    let told = Task { () -> Int in
      for await event in events { if case .interruption = event { return call.sound.sampleCount } }
      return 0
    }
    try await call.server.send(["type": "interruption", "interruption_event": ["event_id": 3]])
    let at = await told.value
    // What comes late of the same turn may not sound.
    try await call.server.say(tonePCM(900, seconds: 1, sampleRate: 16_000), turn: 3)
    try await Task.sleep(for: .milliseconds(300))
    // Two blocks of 10 ms may have been handed over between the order and the count.
    #expect(call.sound.lastLoudSample - at < 40 * 48, "the agent is heard after it was cut")
    call.sound.forget()
    try await call.server.say(tonePCM(900, seconds: 1, sampleRate: 16_000), turn: 4)
    #expect(await eventually { call.sound.heardFrequency() == 900 })
    await call.conversation.endConversation()
  }

  @Test func mutedZerosFlowAtTheSamePace() async throws {
    let call = try await ScriptedConversation()
    try await call.conversation.setMuted(true)
    try await call.conversation.startConversation()
    #expect(call.conversation.isMuted)
    #expect(await eventually { call.server.microphone.count > 8_000 })
    #expect(powerDecibels(call.server.microphone) < -90)
    try await call.conversation.toggleMute()
    #expect(await eventually { strongestFrequency(call.server.microphone.suffix(4_000), sampleRate: 16_000) == 440 })
    let before = call.server.microphone.count
    try await Task.sleep(for: .seconds(1))
    #expect(abs(call.server.microphone.count - before - 16_000) < 1_600)
    await call.conversation.endConversation()
  }

  @Test func toolsMessagesAndPongs() async throws {
    var config = ConversationConfig()
    config.callbacks.onToolCall = { _ in }
    let call = try await ScriptedConversation(config: config)
    try await call.conversation.startConversation()
    try await call.conversation.sendMessage("Hello!")
    try await call.server.send([
      "type": "client_tool_call",
      "client_tool_call": ["tool_name": "get_weather", "tool_call_id": "t1", "parameters": ["city": "Lima"]],
    ])
    try await call.server.send(["type": "ping", "ping_event": ["event_id": 9]])
    #expect(await eventually { call.conversation.pendingToolCalls.count == 1 })
    try await call.conversation.sendToolResult(for: "t1", result: "22°C")
    #expect(call.conversation.pendingToolCalls.isEmpty)
    #expect(await eventually { call.server.received.contains { $0["type"].string == "client_tool_result" } })
    #expect(await eventually { call.server.received.contains(["type": "pong", "event_id": 9]) })
    #expect(call.conversation.messages.map(\.content) == ["Hello!"])
    await call.conversation.endConversation()
    await #expect(throws: ConversationError.notConnected) { try await call.conversation.sendMessage("late") }
  }

  @Test func aLostServerIsToldAndANewConversationMayBegin() async throws {
    let call = try await ScriptedConversation()
    try await call.conversation.startConversation()
    await call.server.close(1011)
    #expect(await eventually { call.conversation.state == .ended(.remoteDisconnected) })
    try await call.conversation.startConversation()
    #expect(call.conversation.state.isActive)
    await #expect(throws: ConversationError.alreadyActive) { try await call.conversation.startConversation() }
    await call.conversation.endConversation()
  }

  @Test func givingUpInMidStartReleasesAll() async throws {
    let call = try await ScriptedConversation(isSilent: true)
    let start = Task { try await call.conversation.startConversation() }
    #expect(await eventually { call.server.received.count == 1 })
    start.cancel()
    await #expect(throws: ConversationError.self) { try await start.value }
    #expect(call.conversation.state == .idle)
    #expect(await eventually { call.server.closeCode != nil })
  }

  @Test func lettingGoEndsIt() async throws {
    let server: ScriptedServer
    do {
      let call = try await ScriptedConversation()
      try await call.conversation.startConversation()
      server = call.server
    }
    #expect(await eventually { server.closeCode == 1000 })
  }

  /// One conversation from start to end, with all that it needs.
  static func startAndStop() async throws {
    let call = try await ScriptedConversation()
    try await call.conversation.startConversation()
    await call.conversation.endConversation()
    await call.server.stop()
  }

  @Test func nobodyListensThere() async throws {
    let conversation = Conversation(
      with: { .open(id: "a") }, host: ElevenLabsHost("http://127.0.0.1:9"),
      environment: SessionEnvironment(sound: .none))
    await #expect {
      try await conversation.startConversation()
    } throws: { error in
      if case .connectionFailed(let words)? = error as? ConversationError {
        words.contains("127.0.0.1:9")
      } else {
        false
      }
    }
    guard case .error(let error) = conversation.state else {
      Issue.record("the state is \(conversation.state)")
      return
    }
    #expect(error.isRetryable)
  }
}

@MainActor private struct ScriptedConversation {
  let server: ScriptedServer
  let sound = TestSound()
  let conversation: Conversation

  init(
    input: String = "pcm_16000", output: String = "pcm_16000", config: ConversationConfig = ConversationConfig(),
    isSilent: Bool = false
  ) async throws {
    let server = try await ScriptedServer(input: input, output: output, isSilent: isSilent)
    self.server = server
    var environment = SessionEnvironment(sound: sound.sound)
    environment.engine = .unprocessed
    environment.holdsAgentOnSpeech = false
    conversation = Conversation(
      with: { .open(id: "agent-7") }, host: ElevenLabsHost("http://127.0.0.1:\(await server.port)"), config: config,
      environment: environment)
  }
}

/// A server of the conversation's socket that answers the initiation, notes all and says what the test wants.
private final class ScriptedServer: Sendable {
  private struct State {
    var socket: WebSocket?
    var received: [JSON] = []
    var microphone: [Float] = []
    var closeCode: Int?
  }

  private let state = Mutex(State())
  private let server: HTTPServer

  init(input: String, output: String, isSilent: Bool) async throws {
    let box = Box()
    // The handler is the server's: it must not hold on to its owner.
    server = try await HTTPServer.start(on: EventLoop(), port: 0) { request in
      .webSocket(subprotocol: "convai") { socket in
        await box.owner.withLock { $0.server }?.serve(socket, input, output, isSilent)
      }
    }
    box.owner.withLock { $0.server = self }
  }

  private struct Weak { weak var server: ScriptedServer? }

  private final class Box: Sendable {
    let owner = Mutex<Weak>(Weak())
  }

  var port: UInt16 { get async { await server.port } }
  var received: [JSON] { state.withLock { $0.received } }
  var microphone: [Float] { state.withLock { $0.microphone } }
  var closeCode: Int? { state.withLock { $0.closeCode } }

  func send(_ json: JSON) async throws { try await state.withLock { $0.socket }?.send(json.text) }

  func say(_ pcm: [UInt8], turn: Int) async throws {
    try await send([
      "type": "audio",
      "audio_event": ["audio_base_64": .string(Data(pcm).base64EncodedString()), "event_id": .number(Double(turn))],
    ])
  }

  func stop() async { await server.stop() }

  func close(_ code: Int) async { await state.withLock { $0.socket }?.close(code: code) }

  private func serve(_ socket: WebSocket, _ input: String, _ output: String, _ isSilent: Bool) async {
    state.withLock {
      $0.socket = socket
      $0.closeCode = nil
    }
    while let message = await socket.next() {
      guard case .text(let text) = message, let json = try? JSON(parsing: text) else { continue }
      if let chunk = json["user_audio_chunk"].string, let bytes = Data(base64Encoded: chunk) {
        let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
          Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
        }
        state.withLock { $0.microphone += samples }
        continue
      }
      state.withLock { $0.received.append(json) }
      if json["type"].string == "conversation_initiation_client_data", !isSilent {
        try? await socket.send(ElevenLabsHarness.metadata(input: input, output: output).text)
      }
    }
    let ending = await socket.ended()
    state.withLock { if case .closed(_, let code, _) = ending { $0.closeCode = code } else { $0.closeCode = 0 } }
  }
}
