import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("Habla's wire")
struct HablaWireTests {
  @Test("the codes of RFC 4231")
  func messageAuthentication() {
    let code = MessageAuthentication.sha256Hex(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
    #expect(code == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let second = MessageAuthentication.sha256Hex(
      key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8))
    #expect(second == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    // A key longer than the hash's block (test case 6).
    let third = MessageAuthentication.sha256Hex(
      key: [UInt8](repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
    #expect(third == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    #expect(MessageAuthentication.sha256Hex(key: [], message: []).count == 64)
  }

  @Test("requests as they are on the wire")
  func requests() throws {
    var live = HablaLiveCall(to: "+15550100", from: "+15550111")
    let full = HablaCall.live(live).initiation(at: .test)
    #expect(full.method == .post)
    #expect(full.url == "http://127.0.0.1:9/call")
    #expect(
      full.headers == [
        "X-Habla-Device-ID": "6f9619ff-8b86-d011-b42d-00c04fc964ff",
        "Authorization": MessageAuthentication.sha256Hex(key: Array("sesame".utf8), message: Array("app.habla".utf8)),
        "Content-Type": "application/json",
      ])
    #expect(
      String(decoding: full.body ?? [], as: UTF8.self)
        == #"{"from":"+15550111","source_language":"en-US","target_language":"es-US","to":"+15550100","voice_gender":"female"}"#
    )
    live.from = nil
    #expect(!String(decoding: HablaCall.live(live).initiation(at: .test).body ?? [], as: UTF8.self).contains("from"))

    let agent = HablaCall.agent(
      HablaAgentCall(to: "+15550100", prompt: "Book a table", userName: "Ana", language: .spanishUS, voice: .male))
    let request = agent.initiation(at: .test)
    #expect(request.url == "http://127.0.0.1:9/agent/call")
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self)
        == #"{"language":"es-US","prompt":"Book a table","to":"+15550100","user_name":"Ana","voice_gender":"male"}"#)

    let socket = HablaCall.testLive.attachment(to: "CA1", at: .test)
    #expect(socket.headers == HablaServer.test.headers)
    let secure = HablaServer("https://habla.example/base//", deviceID: UUID())
    #expect(HablaCall.testAgent.attachment(to: "CA1", at: secure).url == "wss://habla.example/base/agent/ws/CA1")
    #expect(secure.headers["Authorization"] == nil)
  }

  @Test("a back end off this machine is spoken to by TLS only")
  func encryption() throws {
    var harness = HablaHarness(HablaDialect(.testLive, at: HablaServer("http://habla.example", deviceID: UUID())))
    try harness.perform(.start)
    #expect(harness.failure?.code == "unencrypted")
    #expect(harness.actions.requests().isEmpty)
  }

  @Test("the secret is in no description of the server")
  func secrecy() {
    #expect("\(HablaServer.test)" == "http://127.0.0.1:9")
    #expect(!"\(HablaHarness(.testLive).core)".contains(HablaServer.test.authorization ?? "none"))
  }

  @Test("messages as the back end writes them")
  func messages() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive(
      #"{"type":"critical_confirmation","fact_type":"amount","reason":"low_confidence","source_value":"50","candidate_value":"15","confidence":0.4,"prompt_en":"Is it 15?"}"#,
      from: .call)
    #expect(
      harness.actions.hablaNotices.last
        == .confirmation(
          HablaConfirmation(
            factType: "amount", reason: "low_confidence", sourceValue: "50", candidateValue: "15", confidence: 0.4,
            prompt: "Is it 15?")))
    harness.receive(
      #"{"type":"verified_facts_summary","facts":[{"type":"time","value":"18:00","confidence":0.9,"verified":true,"occurrences":2,"last_role":"callee"}]}"#,
      from: .call)
    #expect(
      harness.actions.hablaNotices.last
        == .facts([
          HablaFact(
            type: "time", value: "18:00", confidence: 0.9, isVerified: true, occurrences: 2, lastRole: "callee")
        ]))
  }

  /// None of these says anything.
  static let nonsense: [String] =
    [
      "", " ", "null", "7", "[]", "{}", "{", "\"status\"", "\u{0}", #"{"type":null}"#, #"{"type":7}"#,
      #"{"type":"status"}"#, #"{"type":"status","status":null}"#, #"{"type":"status","status":["connected"]}"#,
      #"{"type":"transcription"}"#, #"{"type":"transcription","text":{}}"#, #"{"type":"translation","text":false}"#,
      #"{"type":"critical_confirmation"}"#, #"{"type":"critical_confirmation","fact_type":"a"}"#,
      #"{"type":"verified_facts_summary","facts":{}}"#, #"{"type":"verified_facts_summary"}"#,
      #"{"type":"transcript","role":"agent","text_original":"x"}"#,
      #"{"type":"transcript","role":"nobody","text_original":"x","timestamp":0}"#,
      #"{"type":"transcript","role":"caller","text_original":"x","timestamp":0}"#,
      #"{"type":"transcript_update","role":"agent","text_original":null,"timestamp":0}"#,
      #"{"type":"agent_status","status":"dreaming"}"#, #"{"type":"unknown","status":"connected"}"#,
      #"{"Type":"status","status":"connected"}"#, #"{"type":"error""#,
      String(repeating: "[", count: 100_000), String(repeating: #"{"type":"#, count: 20_000),
      #"{"type":"status","status":"#,
    ]

  @Test("what makes no sense is ignored", arguments: nonsense)
  func ignored(text: String) throws {
    for call in [HablaCall.testLive, .testAgent] {
      var harness = try HablaHarness(call, step: 4)
      _ = harness.news()
      harness.receive(text, from: .call)
      #expect(harness.news().isEmpty)
      #expect(harness.state == .ringing)
    }
  }

  @Test("a text of ten million characters is taken as it is")
  func longText() throws {
    var harness = try HablaHarness(.testLive, step: 5)
    harness.receive(
      #"{"type":"transcription","text":""# + String(repeating: "a", count: 10_000_000) + #""}"#, from: .call)
    #expect(harness.actions.transcripts().first?.text.count == 10_000_000)
  }

  @Test("languages: never the same twice, by tag or short name")
  func languages() {
    for source in HablaLanguage.allCases {
      for target in HablaLanguage.allCases {
        var pair = HablaLanguages(from: source, to: target)
        #expect(pair.source == source)
        #expect(pair.source != pair.target)
        pair.target = pair.source
        #expect(pair.target == source && pair.source != source)
        pair.source = pair.target
        #expect(pair.source == source && pair.target != source)
      }
      #expect(HablaLanguage(tag: source.rawValue.uppercased()) == source)
    }
    #expect(HablaLanguage(tag: "en") == .englishUS)
    #expect(HablaLanguage(tag: "pt") == .portugueseBrazil)
    #expect(HablaLanguage(tag: "") == nil)
    #expect(HablaLanguage(tag: "xx-YY") == nil)
  }

  @Test("the tone: two lines of equal strength, nothing else, with linear ends")
  func progressTone() {
    let bytes = ProgressTone().burst
    let samples = stride(from: 0, to: bytes.count, by: 2).map {
      Double(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)) / 32_768
    }
    #expect(samples.count == 5_600)
    // A fifth of a second has whole periods of both, and lies within the fades.
    let middle = Array(samples[1_000..<4_200])
    func amplitude(_ frequency: Double) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (index, sample) in middle.enumerated() {
        let angle = 2 * .pi * frequency * Double(index) / 16_000
        real += sample * cos(angle)
        imaginary += sample * sin(angle)
      }
      return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(middle.count)
    }
    #expect(abs(amplitude(425) - 0.09) < 0.0005)
    #expect(abs(amplitude(480) - 0.09) < 0.0005)
    for frequency in stride(from: 100.0, to: 4_000, by: 5) where frequency != 425 && frequency != 480 {
      #expect(amplitude(frequency) < 0.0005, "\(frequency) Hz")
    }
    #expect(samples.map(\.magnitude).max()! <= 0.18)
    for (index, sample) in samples.enumerated() {
      let distance = Double(min(index, samples.count - index)) / 240
      if distance < 1 { #expect(sample.magnitude <= 0.18 * distance + 0.0001) }
    }
  }
}
