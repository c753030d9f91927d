import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// The ElevenLabs fake, driven by hand-written frames.
@Suite("ElevenLabs fake", .timeLimit(.minutes(2))) struct ElevenLabsTests {
  let loop = EventLoop()
  static let initiation = #"{"type":"conversation_initiation_client_data"}"#

  @Test("a whole conversation: greeting, question, tool call, goodbye")
  func conversation() async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .forTests, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    let metadata = try await caller.nextJSON()
    #expect(metadata["type"] == "conversation_initiation_metadata")
    let event = try #require(metadata["conversation_initiation_metadata_event"])
    #expect(event["conversation_id"]?.string?.hasPrefix("conv_") == true)
    #expect(event["agent_output_audio_format"] == "pcm_16000" && event["user_input_audio_format"] == "pcm_16000")
    let greeting = try await caller.next("agent_response")["agent_response_event"]
    #expect(greeting == ["agent_response": "Hello.", "event_id": 1])
    var (byteCount, characters) = (0, "")
    try await caller.next("agent_response_complete") { message in
      guard let audio = message["audio_event"] else { return }
      #expect(audio["event_id"] == 1)
      byteCount += Data(base64Encoded: audio["audio_base_64"]?.string ?? "")?.count ?? 0
      characters += (audio["alignment"]?["chars"]?.array ?? []).compactMap(\.string).joined()
    }
    #expect(byteCount > 16_000 && characters == "Hello.")

    // After the greeting has been heard, else the question interrupts it.
    try await Task.sleep(for: .milliseconds(byteCount / 32 + 50))
    let question = try Question.bytes("what is the weather in london")
    for start in stride(from: 0, to: question.count, by: 8_000) {
      let chunk = Data(question[start..<min(question.count, start + 8_000)]).base64EncodedString()
      try await caller.send(["user_audio_chunk": .string(chunk)])
    }
    var scores: [Double] = []
    let transcript = try await caller.next("user_transcript") { message in
      if let score = message["vad_score_event"]?["vad_score"]?.number { scores.append(score) }
    }
    #expect(
      transcript["user_transcription_event"] == ["user_transcript": "what is the weather in london", "event_id": 2])
    #expect(scores.contains { $0 > 0.5 } && scores.contains { $0 < 0.5 })
    let request = try await caller.next("agent_tool_request")
    #expect(request["agent_tool_request"]?["tool_type"] == "client")
    let call = try #require(try await caller.next("client_tool_call")["client_tool_call"])
    #expect(call["tool_name"] == "get_weather" && call["parameters"] == ["city": "London"])
    try await caller.send([
      "type": "client_tool_result", "tool_call_id": call["tool_call_id"]!, "result": "dry", "is_error": false,
    ])
    #expect(try await caller.next("agent_tool_response")["agent_tool_response"]?["is_error"] == false)
    #expect(
      try await caller.next("agent_response")["agent_response_event"]?["agent_response"] == "In London it is dry.")
    try await caller.send(["type": "feedback", "score": "like", "event_id": 2])
    try await caller.send(["type": "user_message", "text": "bye"])
    let interruption = try await caller.next("interruption")
    #expect(interruption["interruption_event"] == ["event_id": 2])
    let correction = try await caller.next("agent_response_correction")["agent_response_correction_event"]
    #expect(correction?["original_agent_response"] == "In London it is dry.")
    #expect(try await caller.next("agent_tool_response")["agent_tool_response"]?["tool_name"] == "end_call")
    #expect(await caller.ended() == .closed(by: .peer, code: 1000, reason: "the agent has ended the call"))
    let texts = agent.received.compactMap(\.text)
    #expect(texts.first == Self.initiation && texts.count == agent.received.count - 1)
    await agent.stop()
  }

  @Test("speech into the answer interrupts it within 300 ms, and the transcript is corrected")
  func interruption() async throws {
    var settings = DemoAgentSettings.forTests
    settings.mind.greeting = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen."
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    let quiet = Data(count: 640).base64EncodedString()
    for _ in 0..<20 { try await caller.send(["user_audio_chunk": .string(quiet)]) }
    try await caller.next("agent_response_complete")
    // In real time from here on: two seconds of silence, then speech.
    let speech = try Question.bytes("wait a moment")
    let voice = Array(speech[(6_400 * 2)...])
    try await Task.sleep(for: .milliseconds(1_500))
    let began = EventLoop.now
    let sending = Task {
      for start in stride(from: 0, to: voice.count - 640, by: 640) {
        try await caller.send(["user_audio_chunk": .string(Data(voice[start..<(start + 640)]).base64EncodedString())])
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let cut = try await caller.next("interruption")
    let delay = EventLoop.now.milliseconds(since: began)
    // The voice itself begins about 200 ms into its sound.
    #expect(delay < 550, "\(delay) ms")
    #expect(cut["interruption_event"]?["event_id"] == 1)
    let correction = try #require(
      try await caller.next("agent_response_correction")["agent_response_correction_event"]?[
        "corrected_agent_response"]?
        .string)
    #expect(correction.hasPrefix("One two three") && !correction.contains("fifteen"), "\(correction)")
    #expect(try await caller.next("user_transcript")["user_transcription_event"]?["event_id"] == 2)
    #expect(try await caller.next("agent_response")["agent_response_event"]?["agent_response"] == "All right.")
    try await sending.value
    await caller.socket.close()
    await agent.stop()
  }

  @Test(
    "what the vendor would refuse is refused with 1008",
    arguments: [
      #"{"user_audio_chunk":"AAAA"}"#, #"{"type":"pong","event_id":1}"#, "[]", "{", "null", "\"\"", #"{"type":1}"#,
      String(repeating: "[", count: 100_000), #"{"type":"conversation_initiation_client_data","voice":"x"}"#,
      #"{"type":"conversation_initiation_client_data","dynamic_variables":[]}"#,
      #"{"type":"conversation_initiation_client_data","conversation_config_override":{"tts":{"speed":"1"}}}"#,
      #"{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"prompt":"be brief"}}}"#,
    ])
  func refusedFirst(frame: String) async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .script([]), on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(frame)
    guard case .closed(.peer, 1008, _) = await caller.ended() else {
      Issue.record("\(frame.prefix(80)) was not refused")
      return
    }
    await agent.stop()
  }

  @Test(
    "in the conversation too",
    arguments: [
      #"{"type":"hello"}"#, #"{"type":"user_message"}"#, #"{"type":"user_message","text":5}"#,
      #"{"type":"user_message","text":"a","extra":1}"#, #"{"user_audio_chunk":"not base64!"}"#,
      #"{"user_audio_chunk":1}"#, #"{"user_audio_chunk":"AAAA","rate":16000}"#, #"{"type":"pong","event_id":77}"#,
      #"{"type":"pong","event_id":"1"}"#, #"{"type":"pong"}"#, #"{"type":"feedback","score":"good","event_id":1}"#,
      #"{"type":"feedback","score":"like","event_id":1}"#, #"{"type":"feedback","event_id":1}"#,
      #"{"type":"client_tool_result","tool_call_id":"none","result":"","is_error":false}"#,
      #"{"type":"client_tool_result","tool_call_id":"t","result":{},"is_error":false}"#,
      #"{"type":"mcp_tool_approval_result","tool_call_id":"m1","is_approved":"yes"}"#,
      #"{"type":"contextual_update"}"#, #"{"type":"user_activity","at":1}"#, initiation,
    ])
  func refused(frame: String) async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .script([]), on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    try await caller.next("ping")
    try await caller.send(frame)
    let ending = await caller.ended()
    guard case .closed(.peer, 1008, _) = ending else {
      Issue.record("\(frame): \(ending)")
      return
    }
    await agent.stop()
  }

  @Test(
    "and what is right is taken",
    arguments: [
      #"{"type":"pong","event_id":1}"#, #"{"type":"user_message","text":"a"}"#, #"{"type":"user_activity"}"#,
      #"{"type":"contextual_update","text":"cart","context_id":"c"}"#, #"{"user_audio_chunk":"AAABAA=="}"#,
      #"{"user_audio_chunk":""}"#, #"{"type":"mcp_tool_approval_result","tool_call_id":"m1","is_approved":true}"#,
      #"{"type":"user_message","text":"a","text":"b"}"#, "{\"type\":\"user_message\",\"text\":\"\\ud800\"}",
      #"{"type":"multimodal_message","text":{"type":"user_message","text":"a"},"file":{"type":"file_input","file_id":"f"}}"#,
    ])
  func taken(frame: String) async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .script([]), on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    try await caller.next("ping")
    try await caller.send(frame)
    try await caller.next("ping")
    await caller.socket.close()
    await agent.stop()
  }

  @Test("a message of 10 MB, and bytes that are no text, end the socket and nothing else")
  func hostile() async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .script([]), on: loop)
    var caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    try await caller.send(["type": "user_message", "text": .string(String(repeating: "x", count: 3 << 20))])
    // The server's close frame may be lost when it shuts the connection on what is still being sent.
    switch await caller.ended() {
    case .closed(.peer, 1009, _), .lost: break
    case let ending: Issue.record("\(ending)")
    }
    caller = try await RawCaller(agent.url, on: loop)
    try await caller.socket.send([0xFF, 0xFE])  // bytes are passed over
    try await caller.send(Self.initiation)
    try await caller.next("ping")
    await agent.stop()
  }

  @Test("the keys: signed URL, token, private agents")
  func keys() async throws {
    var settings = DemoAgentSettings.script([])
    settings.elevenLabs.isPrivate = true
    settings.elevenLabs.apiKey = "secret"
    settings.elevenLabs.agentID = "a1"
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let client = HTTPClient(on: loop)
    let base = "http://127.0.0.1:\(agent.port)/v1/convai/conversation"
    func get(_ path: String, key: String?) async throws -> (Int, JSON) {
      var request = HTTPRequest(.get, base + path)
      if let key { request.headers["xi-api-key"] = key }
      let response = try await client.send(request)
      return (response.status, try JSONReader.read(response.body))
    }
    #expect(try await get("/get-signed-url?agent_id=a1", key: nil).0 == 401)
    #expect(try await get("/get-signed-url?agent_id=a1", key: "wrong").0 == 401)
    #expect(try await get("/get-signed-url", key: "secret").0 == 422)
    #expect(try await get("/get-signed-url?agent_id=a2", key: "secret").0 == 404)
    let (status, body) = try await get("/get-signed-url?agent_id=a1", key: "secret")
    #expect(status == 200)
    let signed = try #require(body["signed_url"]?.string)
    for url in [agent.url, signed + "x"] {
      let caller = try await RawCaller(url, on: loop)
      guard case .closed(.peer, 1008, _) = await caller.ended() else {
        Issue.record("let in without a signature")
        return
      }
    }
    let caller = try await RawCaller(signed + "&source=test&version=1", on: loop)
    try await caller.send(Self.initiation)
    #expect(try await caller.nextJSON()["type"] == "conversation_initiation_metadata")
    await caller.socket.close()
    #expect(try await get("/token?agent_id=a1", key: nil).0 == 401)
    #expect(try await get("/token?agent_id=a1", key: "secret").1["token"]?.string != nil)
    await agent.stop()
  }

  @Test("formats differ by direction", arguments: ["pcm_8000", "pcm_22050", "pcm_48000", "ulaw_8000"])
  func formats(output: String) async throws {
    var settings = DemoAgentSettings.forTests
    settings.voice = .tone(440)
    settings.elevenLabs.outputFormat = output
    settings.elevenLabs.inputFormat = "pcm_24000"
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: settings, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(Self.initiation)
    var byteCount = 0
    for _ in 0..<5 {
      let audio = try await caller.next("audio")["audio_event"]?["audio_base_64"]?.string ?? ""
      byteCount += Data(base64Encoded: audio)?.count ?? 0
    }
    let format = try #require(FramedAudioFormat(elevenLabs: output))
    // 100 ms in each event.
    #expect(byteCount == format.packetByteCount(milliseconds: 500))
    await caller.socket.close()
    await agent.stop()
  }

  @Test("text only: no sound, the answer in parts; only the wanted events come")
  func textOnly() async throws {
    let agent = try await DemoAgentServer.start(as: .elevenLabs, settings: .forTests, on: loop)
    let caller = try await RawCaller(agent.url, on: loop)
    try await caller.send(
      #"{"type":"conversation_initiation_client_data","conversation_config_override":{"agent":{"first_message":"Hi."},"conversation":{"text_only":true,"client_events":["agent_chat_response_part","agent_response","audio"]}}}"#
    )
    var kinds: Set<String> = []
    for part in [JSON.string("start"), "delta", "stop"] {
      let message = try await caller.next("agent_chat_response_part") { kinds.insert($0["type"]?.string ?? "") }
      #expect(message["text_response_part"]?["type"] == part)
    }
    #expect(try await caller.next("agent_response")["agent_response_event"]?["agent_response"] == "Hi.")
    try await caller.send(["type": "user_message", "text": "what time is it"])
    #expect(
      try await caller.next("agent_response") { kinds.insert($0["type"]?.string ?? "") }["agent_response_event"]?[
        "agent_response"] == "It is 10:30 in the morning.")
    #expect(kinds.isSubset(of: ["conversation_initiation_metadata", "ping", "agent_chat_response_part"]), "\(kinds)")
    try await caller.send(#"{"user_audio_chunk":"AAAA"}"#)
    guard case .closed(.peer, 1008, _) = await caller.ended() else {
      Issue.record("sound in a conversation of text was taken")
      return
    }
    await agent.stop()
  }
}
