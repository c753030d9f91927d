import RealtimeCore
import TestSupport
import Testing

@testable import DemoAgent

/// Ears and voice together: what other voices say is understood.
@Suite("Speech", .serialized, .timeLimit(.minutes(2))) struct SpeechTests {
  static let phrases = [
    "what time is it", "what is the weather in london", "what's the weather like in tokyo today", "what is your name",
    "can you repeat that please", "goodbye", "thank you", "tell me a story", "hello there", "stop it",
    "my name is anna", "what can you do", "wait a moment", "is it raining in new york",
  ]

  /// As over a telephone or a sound card: through another rate and back.
  static func sound(_ speech: Speech, through rate: SampleRate) -> [Float] {
    let there = AgentSound.resample(speech.samples, from: .hz16000, to: rate)
    let quiet = [Float](repeating: 0, count: 4_800)
    return quiet + AgentSound.resample(there, from: rate, to: .hz16000).map { $0 * 0.5 } + quiet
  }

  @Test(
    "questions by other voices are understood, through other rates too",
    arguments: [
      (SpeechSynthesizer.Voice.rms, SampleRate.hz48000), (.kal16, .hz24000),
    ])
  func questions(voice: SpeechSynthesizer.Voice, rate: SampleRate) throws {
    var recogniser = try SpeechRecognizer()
    let synthesizer = try SpeechSynthesizer(voice)
    var understood = 0
    for phrase in Self.phrases {
      let heard = try recogniser.recognise(Self.sound(synthesizer.speak(phrase), through: rate))
      // "good bye" and "stop" mean the same.
      let isSame = heard == phrase || Dialogue.words(heard ?? "").hasPrefix(phrase.prefix(4))
      understood += isSame ? 1 : 0
      #expect(heard != nil || phrase == "stop it", "\(phrase)")
    }
    #expect(understood >= Self.phrases.count - 1, "\(understood) of \(Self.phrases.count)")
  }

  @Test(
    "other sentences are not taken for a question",
    arguments: [
      "the quick brown fox jumps over the lazy dog", "I would like to buy two tickets for the opera",
      "please send the invoice to the accounting department",
    ])
  func others(sentence: String) throws {
    var recogniser = try SpeechRecognizer()
    let speech = try SpeechSynthesizer(.rms).speak(sentence)
    #expect(try recogniser.recognise(Self.sound(speech, through: .hz48000)) == nil)
  }

  @Test("silence, noise and nothing are no words") func nothing() throws {
    var recogniser = try SpeechRecognizer()
    var random = SeededRandom(seed: 3)
    #expect(try recogniser.recognise([]) == nil)
    #expect(try recogniser.recognise([Float](repeating: 0, count: 16_000)) == nil)
    #expect(try recogniser.recognise([Float](repeating: .nan, count: 1_600)) == nil)
    let noise = (0..<16_000).map { _ in Float.random(in: -0.3...0.3, using: &random) }
    #expect(try recogniser.recognise(noise) == nil)
  }

  @Test("each character has its time, in order and within the sound; words end where the voice ends them")
  func alignment() throws {
    let text = "Hello, this is Dr. Smith at 10:30."
    let speech = try SpeechSynthesizer(.slt).speak(text)
    #expect(String(speech.characters.map(\.character)) == text)
    for (one, next) in zip(speech.characters, speech.characters.dropFirst()) {
      #expect(one.start + one.duration == next.start && one.duration >= 0)
    }
    let last = try #require(speech.characters.last)
    #expect(Double(last.start + last.duration) <= speech.milliseconds + 1)
    // The first word takes 0.4 to 0.8 s with any voice.
    #expect((400...800).contains(speech.characters[5].start))
    #expect(speech.said(after: 0) == "")
    #expect(speech.said(after: Double(speech.characters[8].start)) == "Hello,")
    #expect(speech.said(after: .infinity) == text)
  }

  @Test(
    "texts of any kind are spoken, or are silence",
    arguments: [
      "", "...", "\0", "日本語", String(repeating: "word ", count: 2_000), "<speak>&amp;", "1e999 %s %n",
    ])
  func hostile(text: String) throws {
    let speech = try SpeechSynthesizer(.kal16).speak(text)
    #expect(!speech.samples.isEmpty && speech.characters.count == min(1_000, text.count))
  }

  @Test("a model that is not there is told, before the library ends the process") func noModel() {
    #expect(throws: SpeechError.modelMissing("/nowhere/en-us/mdef")) {
      _ = try SpeechRecognizer(modelFolder: "/nowhere")
    }
    #expect(throws: SpeechError.grammarRefused) {
      _ = try SpeechRecognizer(grammar: "#JSGF V1.0; grammar a; public <x> = xyzzyx;")
    }
  }
}
