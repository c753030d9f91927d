import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

typealias ElevenLabsHarness = SessionHarness<ElevenLabsDialect>

extension ElevenLabsHarness {
  static func make(_ config: ConversationConfig = ConversationConfig()) -> ElevenLabsHarness {
    ElevenLabsHarness(
      ElevenLabsDialect(.open(id: "agent-7"), host: ElevenLabsHost("http://127.0.0.1:1"), config: config))
  }

  static func active(
    _ config: ConversationConfig = ConversationConfig(), input: String = "pcm_16000", output: String = "pcm_16000"
  ) throws -> ElevenLabsHarness {
    var harness = make(config)
    try harness.perform(.start)
    harness.open(.conversation)
    harness.receive(metadata(input: input, output: output), from: .conversation)
    _ = harness.news()
    return harness
  }

  static func metadata(input: String = "pcm_16000", output: String = "pcm_16000") -> JSON {
    [
      "type": "conversation_initiation_metadata",
      "conversation_initiation_metadata_event": [
        "conversation_id": "conv_1", "agent_output_audio_format": .string(output),
        "user_input_audio_format": .string(input),
      ],
    ]
  }

  mutating func receive(_ json: JSON) { receive(json, from: .conversation) }

  mutating func audio(_ bytes: [UInt8], turn: Int, alignment: JSON = .null) {
    receive([
      "type": "audio",
      "audio_event": [
        "audio_base_64": .string(Data(bytes).base64EncodedString()), "event_id": .number(Double(turn)),
        "alignment": alignment,
      ],
    ])
  }
}

@Suite("ElevenLabs: the wire") struct ElevenLabsDialectTests {
  @Test func theSocketIsAskedForWithAgentSourceAndVersion() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    let request = try #require(harness.actions.opens().first)
    let parts = try #require(URLComponents(string: request.url))
    #expect(parts.scheme == "ws" && parts.path == "/v1/convai/conversation")
    let names = (parts.queryItems ?? []).map(\.name)
    #expect(names == ["agent_id", "source", "version"])
    #expect(request.subprotocols == ["convai"])
  }

  @Test func aTokenGoesAsSubprotocolAndAKeyFetchesASignedURL() throws {
    let host = ElevenLabsHost("https://agent.example")
    var token = ElevenLabsHarness(ElevenLabsDialect(.token("t0", id: "a"), host: host))
    try token.perform(.start)
    #expect(token.actions.opens().first?.subprotocols == ["convai", "bearer.t0"])

    var key = ElevenLabsHarness(ElevenLabsDialect(.apiKey("k0", id: "a"), host: host))
    try key.perform(.start)
    let (purpose, request) = try #require(key.actions.requests().first)
    #expect(request.url == "https://agent.example/v1/convai/conversation/get-signed-url?agent_id=a")
    #expect(request.headers["xi-api-key"] == "k0")
    key.answer(
      purpose, ["signed_url": "wss://agent.example/v1/convai/conversation?agent_id=a&conversation_signature=s"])
    let url = try #require(key.actions.opens().first?.url)
    #expect(url.contains("conversation_signature=s") && url.contains("source=") && url.contains("version="))
  }

  @Test(arguments: [
    (401, SessionError.Kind.authentication, false), (403, .authentication, false), (500, .network, true),
  ])
  func aRefusedKeyIsTold(status: Int, kind: SessionError.Kind, isRetryable: Bool) throws {
    var harness = ElevenLabsHarness(ElevenLabsDialect(.apiKey("k0", id: "a")))
    try harness.perform(.start)
    harness.answer(.signedURL, status: status)
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.kind == kind && error.isRetryable == isRetryable)
    #expect(!"\(error)".contains("k0"))
  }

  @Test func theInitiationHasWhatWasSetAndNothingElse() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    #expect(
      harness.actions.sent() == [
        [
          "type": "conversation_initiation_client_data",
          "source_info": ["source": "antiphon", "version": .string(ElevenLabsHost.version)],
        ]
      ])

    var config = ConversationConfig(
      agentOverrides: AgentOverrides(prompt: "Be brief", firstMessage: "Hello", language: "en"),
      ttsOverrides: TTSOverrides(voiceID: "v1", stability: 0.5, speed: 1, similarityBoost: 0.8),
      conversationOverrides: ConversationOverrides(textOnly: true, clientEvents: ["audio"]),
      customLLMExtraBody: #"{"t":1}"#, dynamicVariables: ["name": "Ana"], userID: "u-7")
    config.packetMilliseconds = 40
    #expect(
      config.initiation == [
        "type": "conversation_initiation_client_data",
        "conversation_config_override": [
          "agent": ["prompt": ["prompt": "Be brief"], "first_message": "Hello", "language": "en"],
          "tts": ["voice_id": "v1", "stability": 0.5, "speed": 1, "similarity_boost": 0.8],
          "conversation": ["text_only": true, "client_events": ["audio"]],
        ],
        "custom_llm_extra_body": ["t": 1], "dynamic_variables": ["name": "Ana"], "user_id": "u-7",
        "source_info": ["source": "antiphon", "version": .string(ElevenLabsHost.version)],
      ])
  }

  @Test func whatComesBeforeTheMetadataWaitsForIt() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    harness.receive(["type": "ping", "ping_event": ["event_id": 1]])
    #expect(harness.actions.sent().last == ["type": "pong", "event_id": 1])
    harness.audio([1, 0, 2, 0], turn: 1)
    harness.receive(["type": "agent_response", "agent_response_event": ["agent_response": "Hello", "event_id": 1]])
    #expect(harness.actions.media().isEmpty && harness.actions.transcripts().isEmpty)
    harness.receive(ElevenLabsHarness.metadata())
    let media = harness.actions.media()
    #expect(media.count == 2)
    #expect(media.last == .play([1, 0, 2, 0], item: 1))
    #expect(harness.actions.transcripts().map(\.text) == ["Hello"])
    #expect(harness.state == .active([]))
  }

  @Test func aServerThatTellsNoFormatsIsGivenUpAfterTenSeconds() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    harness.pass(seconds: 9.99)
    #expect(harness.state == .connecting)
    harness.pass(seconds: 0.02)
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.kind == .timeout && error.isRetryable)
  }

  @Test func aSocketThatDoesNotOpenIsTriedThreeTimes() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.close(.conversation, reason: "refused", wasOpen: false)
    harness.pass(seconds: 0.2)
    #expect(harness.actions.opens().count == 2)
    harness.close(.conversation, reason: "refused", wasOpen: false)
    harness.pass(seconds: 0.49)
    #expect(harness.actions.opens().count == 2)
    harness.pass(seconds: 0.02)
    #expect(harness.actions.opens().count == 3)
    harness.close(.conversation, reason: "refused", wasOpen: false)
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.kind == .network && error.isRetryable)
  }

  @Test(arguments: [
    ("pcm_8000", FramedAudioFormat(.pcm16, .hz8000)), ("pcm_22050", FramedAudioFormat(.pcm16, .hz22050)),
    ("pcm_44100", FramedAudioFormat(.pcm16, .hz44100)), ("pcm_48000", FramedAudioFormat(.pcm16, .hz48000)),
    ("ulaw_8000", FramedAudioFormat(.muLaw, .hz8000)),
  ]) func eachDirectionHasItsOwnFormat(name: String, format: FramedAudioFormat) throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    harness.receive(ElevenLabsHarness.metadata(input: "something_new", output: name))
    #expect(
      harness.actions.media() == [
        .openStream(send: FramedAudioFormat(.pcm16, .hz16000), receive: format, packetMilliseconds: 20)
      ])
  }

  @Test func aFormatThatCannotBePlayedIsTold() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    harness.receive(ElevenLabsHarness.metadata(output: "mp3_44100_128"))
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.code == "audioFormat" && "\(error)".contains("mp3_44100_128"))
  }

  @Test func theMicrophoneGoesOutAsBase64() throws {
    var harness = try ElevenLabsHarness.active()
    harness.media(.microphone([0, 1, 2, 3]))
    #expect(harness.news().sent() == [["user_audio_chunk": "AAECAw=="]])
  }

  @Test func commandsAreWhatTheServerTakes() throws {
    var harness = try ElevenLabsHarness.active()
    try harness.perform(.sendText("What are your hours?"))
    try harness.perform(.own(.contextualUpdate("cart", contextID: "c1")))
    try harness.perform(.own(.contextualUpdate("cart", contextID: nil)))
    try harness.perform(.own(.userActivity))
    try harness.perform(.own(.feedback(isLike: true, eventID: 5)))
    try harness.perform(.own(.feedback(isLike: nil, eventID: 5)))
    try harness.perform(.toolResult(id: "t1", result: #"{"ok":true}"#, isError: false))
    try harness.perform(.own(.toolResult(id: "t2", result: "no", isError: true, errorType: .clientTimeout)))
    try harness.perform(.own(.approve(mcpCall: "m1", true)))
    #expect(
      harness.news().sent() == [
        ["type": "user_message", "text": "What are your hours?"],
        ["type": "contextual_update", "text": "cart", "context_id": "c1"],
        ["type": "contextual_update", "text": "cart"],
        ["type": "user_activity"],
        ["type": "feedback", "score": "like", "event_id": 5],
        ["type": "feedback", "score": .null, "event_id": 5],
        ["type": "client_tool_result", "tool_call_id": "t1", "result": #"{"ok":true}"#, "is_error": false],
        [
          "type": "client_tool_result", "tool_call_id": "t2", "result": "no", "is_error": true,
          "error_type": "client_timeout",
        ],
        ["type": "mcp_tool_approval_result", "tool_call_id": "m1", "is_approved": true],
      ])
  }

  @Test func nothingIsSentBeforeItStands() throws {
    var harness = ElevenLabsHarness.make()
    #expect(throws: SessionError.notActive) { try harness.perform(.sendText("early")) }
    try harness.perform(.start)
    harness.media(.microphone([0, 0]))
    #expect(harness.actions.sent().isEmpty)
  }

  @Test(arguments: [(1000, true), (1001, true), (1002, false), (1008, false), (1011, false)])
  func closeCodesAreTold(code: Int, isOrderly: Bool) throws {
    var harness = try ElevenLabsHarness.active()
    harness.close(.conversation, code: code, reason: "why")
    let events = harness.news().events()
    let problems = events.compactMap { if case .problem(let error) = $0 { error } else { nil } }
    #expect(problems.isEmpty == isOrderly)
    #expect(problems.first.map { $0.code == "\(code)" && $0.message.contains("why") } ?? true)
    #expect(harness.state == .ended(.remote("\(code) why")))
  }

  @Test func aClosingWhileConnectingIsAFailure() throws {
    var harness = ElevenLabsHarness.make()
    try harness.perform(.start)
    harness.open(.conversation)
    harness.close(.conversation, code: 1008, reason: "override not allowed")
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.code == "1008" && error.kind == .configuration)
  }

  @Test func theSessionsDurationMayRunOut() throws {
    var harness = try ElevenLabsHarness.active()
    harness.receive([
      "type": "error", "error_event": ["error_type": "max_duration_exceeded", "code": 1002, "message": "too long"],
    ])
    guard case .failed(let error) = harness.state else {
      Issue.record("not failed")
      return
    }
    #expect(error.kind == .server && error.message == "too long")
  }
}
