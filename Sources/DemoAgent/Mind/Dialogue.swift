internal import Foundation

/// What the agent answers: a script of keywords, the same for what is said and what is typed.
///
/// Pure: what it knows of the day comes with each question.
struct Dialogue: Sendable {
  /// An answer, and what comes with it.
  struct Reply: Equatable, Sendable {
    enum Action: Equatable, Sendable {
      /// The call ends when it is said.
      case hangUp
      /// The client is asked first, and `Dialogue.answer(weather:in:)` makes the sentences.
      case askWeather(city: String)
    }

    /// Said one after the other.
    var sentences: [String]
    var action: Action?
  }

  /// The time of day.
  struct TimeOfDay: Equatable, Sendable {
    var hour: Int
    var minute: Int
  }

  private var callerName: String?
  private var lastSentences: [String] = []
  private var expectsCity = false

  /// What a story is: long enough to be interrupted.
  static let story = [
    "A traveller came to a house in the hills and asked for water.",
    "The old man at the door gave him a cup and asked where he was going.",
    "To the sea, said the traveller, for I have never seen it.",
    "Then follow the river, said the old man, it has never been there either, and it always finds the way.",
  ]

  /// The answer to a text.
  mutating func answer(_ text: String, at time: TimeOfDay) -> Reply {
    let reply = makeReply(Self.words(text), at: time)
    if reply.action != .hangUp, !reply.sentences.isEmpty { lastSentences = reply.sentences }
    return reply
  }

  /// The answer to the question for the weather, once the client has told it.
  /// - Parameter report: what the client's tool gave; `nil` when it failed or kept silent.
  mutating func answer(weather report: String?, in city: String) -> [String] {
    let sentences: [String]
    if let report, !report.isEmpty {
      sentences = ["In \(city) it is \(report)."]
    } else if let entry = WeatherTable.entry(city) {
      sentences = ["In \(city) it is \(entry.condition), with \(entry.temperature) degrees."]
    } else {
      sentences = ["I do not know the weather in \(city)."]
    }
    lastSentences = sentences
    return sentences
  }

  /// Notes what was said without a question, so that it can be repeated.
  mutating func note(_ sentences: [String]) { lastSentences = sentences }

  private mutating func makeReply(_ words: String, at time: TimeOfDay) -> Reply {
    func has(_ phrases: String...) -> Bool { phrases.contains { (" " + words + " ").contains(" \($0) ") } }
    let city = WeatherTable.city(in: words)
    let isCityExpected = expectsCity
    expectsCity = false
    if has("weather", "temperature", "raining", "sunny", "cold", "warm", "forecast")
      || (city != nil && words.split(separator: " ").count <= 4)
    {
      if let city { return Reply(sentences: [], action: .askWeather(city: city)) }
      expectsCity = true
      return Reply(sentences: ["For which city?"])
    }
    if has("goodbye", "good bye", "bye", "see you", "that's all", "hang up") {
      return Reply(sentences: [callerName.map { "Goodbye, \($0)." } ?? "Goodbye."], action: .hangUp)
    }
    if has("time", "o'clock") { return Reply(sentences: [Self.sentence(time)]) }
    if let name = Self.name(in: words) {
      callerName = name
      return Reply(sentences: ["Nice to meet you, \(name)."])
    }
    if has("your name", "who are you") {
      return Reply(sentences: ["I am the demo agent.", "I live on this machine, and need no network."])
    }
    if has("repeat", "again", "pardon", "what did you say") {
      return Reply(sentences: lastSentences.isEmpty ? ["I have not said anything yet."] : lastSentences)
    }
    if has("story") { return Reply(sentences: Self.story) }
    if has("stop", "wait", "enough") { return Reply(sentences: ["All right."]) }
    if has("help", "what can you do") {
      return Reply(sentences: ["I can tell you the time, the weather in a city, and a story."])
    }
    if has("thank you", "thanks") { return Reply(sentences: ["You are welcome."]) }
    if has("hello", "hi", "hey", "good morning", "good afternoon", "good evening") {
      return Reply(sentences: ["Hello.", "What can I do for you?"])
    }
    return Reply(
      sentences: isCityExpected
        ? ["Sorry, I do not know that city."]
        : ["Sorry, I did not understand that.", "You can ask me for the time, or for the weather in a city."])
  }

  /// Twelve hours, as flite says them well.
  static func sentence(_ time: TimeOfDay) -> String {
    let hour = (time.hour + 11) % 12 + 1
    let part = time.hour < 12 ? "in the morning" : time.hour < 18 ? "in the afternoon" : "in the evening"
    let minute = time.minute < 10 ? "0\(time.minute)" : "\(time.minute)"
    return time.minute == 0 ? "It is \(hour) o'clock \(part)." : "It is \(hour):\(minute) \(part)."
  }

  private static func name(in words: String) -> String? {
    guard let place = words.range(of: "my name is ") else { return nil }
    guard let name = words[place.upperBound...].split(separator: " ").first, name.count <= 30 else { return nil }
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Lower case, letters, digits and apostrophes only, single spaces; of long texts the beginning.
  static func words(_ text: String) -> String {
    text.prefix(2_000).lowercased()
      .map { $0.isLetter || $0.isNumber || $0 == "'" ? String($0) : $0 == "’" ? "'" : " " }.joined()
      .split(separator: " ").joined(separator: " ")
  }
}
