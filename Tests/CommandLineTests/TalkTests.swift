import Foundation
import RealtimeCore
import TestSupport
import Testing

/// `antiphon talk` with the agent of this machine, as its users start it.
@Suite(.serialized) struct TalkTests {
  private struct Figures: Decodable {
    struct Line: Decodable { var who: String, text: String }
    var end: String
    var startToVoiceMilliseconds: Double?
    var answerMilliseconds: [Double]
    var toolCalls: [String]
    var transcript: [Line]
    var warnings: [String]
  }

  @Test(arguments: ["elevenlabs", "telnyx", "polyai", "habla", "vonage"])
  func aSpokenQuestionIsAnsweredByVoice(system: String) throws {
    let folder = try Folder()
    let questions = ["weather.wav", "goodbye.wav"].map { testdata.appendingPathComponent("questions/\($0)").path }
    let result = try Program.shell(
      "antiphon talk --as \(system) --ask '\(questions.joined(separator: ","))' --out answer.wav --seconds 60 --json > t.json",
      in: folder)
    #expect(result.code == 0, "\(result.error)")
    let figures = try JSONDecoder().decode(
      Figures.self, from: Data(contentsOf: folder.url.appendingPathComponent("t.json")))
    #expect(figures.warnings == [] && figures.end == "when the agent hung up")
    #expect(figures.answerMilliseconds.count == 2 && figures.startToVoiceMilliseconds != nil)
    let heard = try folder.read("answer.wav").samples
    #expect(powerDecibels(heard) > -45 && heard.count > 48_000 * 6)
    // Habla and Vonage carry the sound alone, or not all of the words.
    guard !["habla", "vonage"].contains(system) else { return }
    #expect(figures.transcript.contains { $0.who == "you" && $0.text.contains("weather in london") })
    #expect(figures.transcript.contains { $0.who == "agent" && $0.text.contains("In London it is") })
    if system != "polyai" { #expect(figures.toolCalls == ["get_weather"]) }
  }

  @Test(arguments: [
    ("--as nobody", 2, "elevenlabs"), ("--url https://agent.example", 2, "--agent"),
    ("--ask missing.wav --out x.wav", 1, "missing.wav"), ("--ask a.wav --capture mic", 2, "not both"),
    ("--url http://agent.example/ --agent a --out x.wav", 1, "not encrypted"),
    ("--url https://127.0.0.1:9/ --agent a --out x.wav", 1, "127.0.0.1:9"),
  ])
  func wrongUseIsTold(options: String, code: Int32, word: String) throws {
    let result = try Program.shell("antiphon talk \(options)", in: Folder())
    #expect(result.code == code && result.error.contains(word), "\(result.error)")
  }
}
