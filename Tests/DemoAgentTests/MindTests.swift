import RealtimeCore
import TestSupport
import Testing

@testable import DemoAgent

/// The mind on virtual time: recognition and synthesis are answered by the test.
@Suite("Mind") struct MindTests {
  @Test("greets, and listens when the greeting has been heard")
  func greeting() {
    var mind = MindOnVirtualTime()
    mind.begin("Hello. How are you?")
    #expect(
      mind.log == [
        "thinking", "reply 1 Hello. How are you?", "speaking", "speech 1 Hello.", "speech 1 How are you?", "complete 1",
      ])
    mind.advance(milliseconds: 1_990)
    #expect(mind.log.isEmpty)
    mind.advance(milliseconds: 20)
    #expect(mind.log == ["listening"])
  }

  @Test("a question is heard at the end of its pause, and answered under the same turn")
  func question() {
    var mind = MindOnVirtualTime()
    mind.words = "what time is it"
    mind.hear(quiet: 400)
    mind.hear(speech: 1_200)
    #expect(mind.log.isEmpty)
    mind.hear(quiet: 450)
    #expect(mind.log.isEmpty, "the pause is 500 ms")
    mind.hear(quiet: 150)
    #expect(mind.log.prefix(3) == ["thinking", "heard 1 what time is it", "reply 1 It is 10:30 in the morning."])
    #expect(mind.recognisedMilliseconds >= 1_200 && mind.recognisedMilliseconds <= 2_300)
  }

  @Test("speech cuts the answer within 300 ms, and tells whole words of what was heard")
  func interruption() {
    var mind = MindOnVirtualTime()
    mind.hear(quiet: 500)
    mind.begin("One two three four five six seven eight nine ten.")
    _ = mind.log
    mind.hear(quiet: 410)
    _ = mind.log
    let began = mind.now
    while mind.interruption == nil, mind.now.milliseconds(since: began) < 1_000 { mind.hear(speech: 10) }
    let delay = mind.now.milliseconds(since: began)
    #expect(delay <= 200, "\(delay) ms")
    let cut = mind.interruption ?? ("", "")
    #expect(cut.reply == "One two three four five six seven eight nine ten.")
    #expect(["One two three four five", "One two three four five six"].contains(cut.spoken), "\(cut.spoken)")
    #expect(mind.log.last == "listening")
    // What the voice still brings for the old answer is void.
    mind.words = nil
    mind.hear(speech: 400)
    mind.hear(quiet: 600)
    #expect(mind.log.contains("heard 2 ..."))
  }

  @Test("noise of a click does not interrupt, and nothing does where it is not wished")
  func noInterruption() {
    var mind = MindOnVirtualTime()
    mind.hear(quiet: 500)
    mind.begin("A long sentence for the test.")
    mind.hear(speech: 30)
    mind.hear(quiet: 300)
    #expect(mind.interruption == nil)

    var settings = MindOnVirtualTime.settings
    settings.canBeInterrupted = false
    mind = MindOnVirtualTime(settings)
    mind.hear(quiet: 500)
    mind.begin("A long sentence for the test.")
    mind.hear(speech: 400)
    mind.hear(quiet: 600)
    #expect(mind.interruption == nil && !mind.log.contains("thinking 2"))
  }

  @Test("the weather is asked of the client; its answer, error or silence makes the sentence")
  func tool() {
    for (answer, isError, sentence) in [
      ("sunny, with 20 degrees", false, "In Tokyo it is sunny, with 20 degrees."),
      ("boom", true, "In Tokyo it is clear, with 21 degrees."),
    ] {
      var mind = MindOnVirtualTime()
      mind.type("what is the weather in tokyo")
      #expect(mind.log == ["thinking", "tool call_1 get_weather Tokyo"])
      mind.answerTool("call_1", answer, isError: isError)
      #expect(mind.log.first == "reply 1 \(sentence)")
    }
    var mind = MindOnVirtualTime()
    mind.type("weather in tokyo")
    _ = mind.log
    mind.answerTool("call_9", "rain", isError: false)
    mind.advance(milliseconds: 4_990)
    #expect(mind.log.isEmpty)
    mind.advance(milliseconds: 20)
    #expect(mind.log.first == "reply 1 In Tokyo it is clear, with 21 degrees.")
    mind.answerTool("call_1", "late", isError: false)
    #expect(!mind.log.contains { $0.contains("late") })
  }

  @Test("goodbye ends the call when it has been heard")
  func goodbye() {
    var mind = MindOnVirtualTime()
    mind.type("my name is anna")
    mind.advance(milliseconds: 5_000)
    _ = mind.log
    mind.type("goodbye")
    #expect(mind.log.contains("reply 2 Goodbye, Anna.") && !mind.log.contains("hangUp"))
    mind.advance(milliseconds: 1_100)
    #expect(mind.log == ["listening", "hangUp"])
  }

  @Test("a caller who sends nothing any more has ended his sentence")
  func silentTransport() {
    var mind = MindOnVirtualTime()
    mind.words = "hello"
    mind.hear(quiet: 400)
    mind.hear(speech: 800)
    mind.advance(milliseconds: 490)
    #expect(mind.log.isEmpty)
    mind.advance(milliseconds: 20)
    #expect(mind.log.contains("heard 1 hello"))
  }

  @Test("how the sound is cut into pieces does not matter")
  func pieces() {
    func run(_ size: Int) -> [String] {
      var mind = MindOnVirtualTime()
      mind.words = "tell me a story"
      mind.pieceCount = size
      mind.hear(quiet: 400)
      mind.hear(speech: 900)
      mind.hear(quiet: 700)
      return mind.log
    }
    let whole = run(160)
    #expect(whole.contains("heard 1 tell me a story"))
    for size in [1, 7, 161, 320, 4_000] { #expect(run(size) == whole) }
  }

  @Test(
    "sentences",
    arguments: [
      ("One. Two? Three!", ["One.", "Two?", "Three!"]), ("It is 10.30 now", ["It is 10.30 now"]), ("", []),
      ("No end", ["No end"]), ("...", ["..."]),
    ])
  func sentences(text: String, parts: [String]) { #expect(Mind.sentences(text) == parts) }
}

/// The dialogue by itself.
@Suite("Dialogue") struct DialogueTests {
  @Test(
    "answers",
    arguments: [
      ("What time is it?", "It is 12 o'clock in the afternoon."),
      ("HELLO there", "Hello. What can I do for you?"),
      ("what's your name", "I am the demo agent. I live on this machine, and need no network."),
      ("thanks", "You are welcome."),
      ("stop it", "All right."),
      ("how is the weather", "For which city?"),
      ("mumble", "Sorry, I did not understand that. You can ask me for the time, or for the weather in a city."),
      ("", "Sorry, I did not understand that. You can ask me for the time, or for the weather in a city."),
    ])
  func answers(question: String, sentences: String) {
    var dialogue = Dialogue()
    #expect(dialogue.answer(question, at: .init(hour: 12, minute: 0)).sentences.joined(separator: " ") == sentences)
  }

  @Test("a city alone answers the question for one, and repeat says it again")
  func memory() {
    var dialogue = Dialogue()
    let noon = Dialogue.TimeOfDay(hour: 0, minute: 5)
    _ = dialogue.answer("what is the weather", at: noon)
    #expect(dialogue.answer("in New York", at: noon).action == .askWeather(city: "New York"))
    #expect(dialogue.answer(weather: nil, in: "New York") == ["In New York it is cloudy, with 15 degrees."])
    #expect(
      dialogue.answer("say that again please", at: noon).sentences == ["In New York it is cloudy, with 15 degrees."])
    #expect(Dialogue.sentence(noon) == "It is 12:05 in the morning.")
  }

  @Test("texts of any kind are answered") func hostile() {
    var dialogue = Dialogue()
    for text in [
      String(repeating: "a", count: 1 << 20), "\0\u{FFFD}\u{202E}", String(repeating: "my name is ", count: 999),
    ] {
      #expect(!dialogue.answer(text, at: .init(hour: 1, minute: 1)).sentences.isEmpty)
    }
  }
}
