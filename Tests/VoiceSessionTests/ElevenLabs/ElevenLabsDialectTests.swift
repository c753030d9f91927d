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

@Suite("ElevenLabs: turns and words") struct ElevenLabsTurnTests {
  @Test func anInterruptionVoidsItsTurnAndAllBefore() throws {
    var harness = try ElevenLabsHarness.active()
    harness.audio([1, 0], turn: 4)
    harness.audio([2, 0], turn: 5)
    harness.media(.playout(SessionPlayout(item: 2, milliseconds: 1_240)))
    _ = harness.news()
    harness.receive(["type": "interruption", "interruption_event": ["event_id": 5]])
    let news = harness.news()
    #expect(news.media() == [.flush(upTo: 2)])
    guard
      case .interruption(let told)? = news.events().first(where: { if case .interruption = $0 { true } else { false } })
    else {
      Issue.record("no interruption")
      return
    }
    #expect(told == AgentInterruption(turn: 5, heardMilliseconds: 1_240))
    harness.audio([3, 0], turn: 5)
    harness.audio([3, 0], turn: 4)
    #expect(harness.news().media().isEmpty, "what comes late of a cut turn may not sound")
    harness.audio([4, 0], turn: 6)
    #expect(harness.news().media() == [.play([4, 0], item: 3)])
    harness.receive([
      "type": "agent_response_correction",
      "agent_response_correction_event": [
        "original_agent_response": "We open at nine.", "corrected_agent_response": "We open", "event_id": 5,
      ],
    ])
    #expect(harness.news().transcripts().map(\.text) == ["We open"])
  }

  @Test func charactersAreToldWhenTheyAreHeard() throws {
    var harness = try ElevenLabsHarness.active()
    let alignment: JSON = [
      "chars": ["H", "i", "!"], "char_start_times_ms": [0, 50, 100], "char_durations_ms": [50, 50, 50],
    ]
    harness.audio([UInt8](repeating: 0, count: 3_200), turn: 1, alignment: alignment)  // 100 ms
    harness.audio([UInt8](repeating: 0, count: 3_200), turn: 1, alignment: alignment)
    _ = harness.news()
    func spoken(at milliseconds: Double) -> String {
      harness.media(.playout(SessionPlayout(item: 1, milliseconds: milliseconds)))
      return harness.news().events().compactMap { if case .spoken(let text) = $0 { text.text } else { nil } }.joined()
    }
    #expect(spoken(at: 20) == "H")
    #expect(spoken(at: 49) == "")
    #expect(spoken(at: 50) == "i")
    #expect(spoken(at: 151) == "!Hi")
    #expect(spoken(at: 400) == "!")
    #expect(spoken(at: 800) == "")
  }

  @Test func aRepeatedTranscriptReplacesAndPartsAreJoined() throws {
    var harness = try ElevenLabsHarness.active()
    func user(_ text: String) -> JSON {
      ["type": "user_transcript", "user_transcription_event": ["user_transcript": .string(text), "event_id": 3]]
    }
    harness.receive(user("what are"))
    harness.receive(user("what are your hours"))
    let users = harness.news().transcripts()
    #expect(Set(users.map(\.id)).count == 1 && users.last?.text == "what are your hours")
    for (kind, text) in [("start", "We "), ("delta", "open "), ("stop", "now")] {
      harness.receive([
        "type": "agent_chat_response_part",
        "text_response_part": ["text": .string(text), "type": .string(kind), "event_id": 4],
      ])
    }
    let parts = harness.news().transcripts()
    #expect(parts.map(\.text) == ["We ", "We open ", "We open now"])
    #expect(parts.map(\.isFinal) == [false, false, true])
  }

  @Test func toolsAreAskedForOnceAndEndCallEnds() throws {
    var harness = try ElevenLabsHarness.active()
    let call: JSON = [
      "type": "client_tool_call",
      "client_tool_call": [
        "tool_name": "get_weather", "tool_call_id": "t1", "parameters": ["city": "Lima"], "event_id": 2,
      ],
    ]
    harness.receive(call)
    harness.receive(call)
    let calls = harness.news().events().compactMap { if case .toolCall(let call) = $0 { call } else { nil } }
    #expect(calls == [ToolCall(id: "t1", name: "get_weather", arguments: #"{"city":"Lima"}"#)])
    harness.receive([
      "type": "agent_tool_response",
      "agent_tool_response": ["tool_name": "end_call", "tool_call_id": "t2", "tool_type": "system", "is_error": false],
    ])
    #expect(harness.state == .ended(.local))
  }

  @Test func theAgentSpeaksWhileItIsHeardAndASecondLonger() throws {
    var harness = try ElevenLabsHarness.active()
    harness.media(.playout(SessionPlayout(item: 1, milliseconds: 0)))
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(nil))
    harness.pass(seconds: 0.9)
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(SessionPlayout(item: 1, milliseconds: 20)))
    harness.pass(seconds: 5)
    #expect(harness.core.agentState == .speaking)
    harness.media(.playout(nil))
    harness.pass(seconds: 1.01)
    #expect(harness.core.agentState == .listening)
    harness.receive([
      "type": "agent_tool_request",
      "agent_tool_request": ["tool_name": "x", "tool_call_id": "1", "tool_type": "client"],
    ])
    #expect(harness.core.agentState == .thinking)
  }

  @Test func theServersEventsCanTellWhatTheAgentDoes() throws {
    var harness = try ElevenLabsHarness.active(ConversationConfig(agentState: .events))
    func vad(_ score: Double) {
      harness.receive(["type": "vad_score", "vad_score_event": ["vad_score": .number(score)]])
    }
    vad(0.2)
    harness.pass(seconds: 0.06)
    #expect(harness.core.agentState == .thinking)
    vad(0.9)
    harness.pass(seconds: 0.14)
    #expect(harness.core.agentState == .thinking)
    harness.pass(seconds: 0.02)
    #expect(harness.core.agentState == .listening)
    harness.receive(["type": "agent_response", "agent_response_event": ["agent_response": "Yes", "event_id": 1]])
    #expect(harness.core.agentState == .speaking)
    vad(0.1)
    harness.pass(seconds: 1)
    #expect(harness.core.agentState == .speaking)
    harness.receive(["type": "interruption", "interruption_event": ["event_id": 1]])
    #expect(harness.core.agentState == .listening)
  }

  @Test(arguments: [(-40.0, 0), (-30.0, 2)]) func speechIntoAMutedMicrophoneIsTold(level: Double, times: Int) throws {
    var harness = try ElevenLabsHarness.active()
    func speak(seconds: Double) -> Int {
      for _ in 0..<Int(seconds * 50) {
        harness.media(.microphoneLevel(level))
        harness.pass(seconds: 0.02)
      }
      return harness.news().events().count { if case .notice(.mutedSpeech) = $0 { true } else { false } }
    }
    #expect(speak(seconds: 1) == 0, "not muted")
    try harness.perform(.mute(true))
    var told = speak(seconds: 4)
    #expect(told == min(1, times))
    for _ in 0..<3 { harness.media(.microphoneLevel(-80)) }
    told += speak(seconds: 1)
    #expect(told == times)
  }

  @Test func feedbackIsPossibleOncePerAnswer() throws {
    var harness = try ElevenLabsHarness.active()
    func can() -> [Bool] {
      harness.news().events().compactMap { if case .notice(.canSendFeedback(let can)) = $0 { can } else { nil } }
    }
    let answer: JSON = ["type": "agent_response", "agent_response_event": ["agent_response": "Yes", "event_id": 1]]
    harness.receive(answer)
    #expect(can() == [true])
    try harness.perform(.own(.feedback(isLike: true, eventID: 1)))
    #expect(can() == [false])
    harness.receive(answer)
    #expect(can() == [])
  }
}

@Suite("ElevenLabs: whatever comes") struct ElevenLabsStormTests {
  static let texts: [String] = {
    let good: [JSON] = [
      ElevenLabsHarness.metadata(), ["type": "ping", "ping_event": ["event_id": 3]],
      ["type": "audio", "audio_event": ["audio_base_64": "AAAA", "event_id": 2]],
      ["type": "audio", "audio_event": ["audio_base_64": "AAAA", "event_id": 3, "is_final": true]],
      ["type": "interruption", "interruption_event": ["event_id": 2]],
      ["type": "user_transcript", "user_transcription_event": ["user_transcript": "hi", "event_id": 2]],
      ["type": "agent_response", "agent_response_event": ["agent_response": "hello", "event_id": 3]],
      ["type": "vad_score", "vad_score_event": ["vad_score": 0.8]],
      ["type": "client_tool_call", "client_tool_call": ["tool_name": "t", "tool_call_id": "1", "parameters": [:]]],
      ["type": "mcp_tool_call", "mcp_tool_call": ["service_id": "s", "tool_call_id": "m", "state": "loading"]],
      ["type": "client_error", "error_event": ["code": 1, "message": "m"]], ["type": "brand_new", "x": 1],
    ]
    let bad = [
      "", "{", "[]", "null", "\"text\"", #"{"type":7}"#, #"{"type":"audio"}"#, #"{"type":"audio","audio_event":[]}"#,
      #"{"type":"audio","audio_event":{"audio_base_64":"***","event_id":9}}"#,
      #"{"type":"audio","audio_event":{"audio_base_64":7,"event_id":"9"}}"#,
      #"{"type":"interruption","interruption_event":{"event_id":1e300}}"#,
      #"{"type":"vad_score","vad_score_event":{"vad_score":"high"}}"#,
      #"{"type":"ping"}"#, #"{"type":"ping","type":"audio"}"#,
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 2_000),
    ]
    return good.map(\.text) + bad
  }()

  @Test(arguments: 0..<40) func anythingInAnyOrder(seed: Int) {
    var storm = SessionStorm(
      ElevenLabsDialect(.open(id: "a"), host: ElevenLabsHost("http://127.0.0.1:1")), seed: UInt64(seed),
      commands: [
        .start, .sendText("hello"), .toolResult(id: "1", result: "r", isError: false), .hold(true), .pressKeys("1"),
        .own(.userActivity), .own(.feedback(isLike: nil, eventID: 3)), .own(.approve(mcpCall: "m", false)),
      ],
      texts: Self.texts, sockets: [.conversation], requests: [.signedURL])
    storm.run(steps: 400)
  }

  @Test(.timeLimit(.minutes(5))) func aDayOfCalls() {
    var seconds = 0.0
    var seed: UInt64 = 1_000
    while seconds < 86_400 {
      var storm = SessionStorm(
        ElevenLabsDialect(.open(id: "a"), host: ElevenLabsHost("http://127.0.0.1:1")), seed: seed,
        commands: [.sendText("hello"), .toolResult(id: "1", result: "r", isError: false), .own(.userActivity)],
        texts: Array(Self.texts.dropLast(2)), sockets: [.conversation], mayEnd: false)
      storm.run(steps: 2_000)
      seconds += storm.harness.seconds
      seed += 1
    }
  }

  @Test func eachFieldMayBeMissing() throws {
    for text in Self.texts {
      guard let json = try? JSON(parsing: text), case .object(let members) = json else { continue }
      for key in members.keys {
        var harness = try ElevenLabsHarness.active()
        var without = members
        without[key] = nil
        harness.receive(.object(without))
        for (name, value) in members {
          guard case .object(let fields) = value else { continue }
          for field in fields.keys {
            var fewer = fields
            fewer[field] = nil
            var changed = members
            changed[name] = .object(fewer)
            harness.receive(.object(changed))
            fewer[field] = [1, ["x": .null]]
            changed[name] = .object(fewer)
            harness.receive(.object(changed))
          }
        }
        #expect(harness.state.isActive)
      }
    }
  }

  @Test func tenMegabytesOfText() throws {
    var harness = try ElevenLabsHarness.active()
    let text = String(repeating: "x", count: 10_000_000)
    harness.receive([
      "type": "agent_response", "agent_response_event": ["agent_response": .string(text), "event_id": 1],
    ])
    #expect(harness.news().transcripts().first?.text.utf8.count == 10_000_000)
  }
}
