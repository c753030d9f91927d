import RealtimeCore
import TestSupport

@testable import DemoAgent

/// A mind whose work takes no time, whose words last 100 ms each, and that hears noise and noise-like speech.
struct MindOnVirtualTime: ~Copyable {
  private(set) var now = MediaInstant(milliseconds: 1_000)
  /// What the recogniser says.
  var words: String? = nil
  /// Samples in one call of `hear`.
  var pieceCount = 160
  private(set) var interruption: (reply: String, spoken: String)?
  private(set) var recognisedMilliseconds = 0
  private var mind: Mind
  private var lines: [String] = []
  private var random = SeededRandom(seed: 7)

  static var settings: MindSettings {
    var settings = MindSettings()
    settings.timeOfDay = { (10, 30) }
    return settings
  }

  init(_ settings: MindSettings = Self.settings) { mind = Mind(settings) }

  /// What has happened since the last look.
  var log: [String] {
    mutating get {
      defer { lines = [] }
      return lines
    }
  }

  mutating func begin(_ greeting: String) {
    mind.begin(greeting: greeting, at: now)
    drain()
  }

  mutating func type(_ text: String) {
    mind.read(text, at: now)
    drain()
  }

  mutating func answerTool(_ id: String, _ text: String, isError: Bool) {
    mind.toolAnswered(id: id, text, isError: isError, at: now)
    drain()
  }

  mutating func hear(quiet milliseconds: Int) { hear(milliseconds, amplitude: 0.0005) }
  mutating func hear(speech milliseconds: Int) { hear(milliseconds, amplitude: 0.2) }

  private mutating func hear(_ milliseconds: Int, amplitude: Float) {
    var samples = (0..<(milliseconds * 16)).map { _ in amplitude * (2 * Float.random(in: 0..<1, using: &random) - 1) }
    while !samples.isEmpty {
      let piece = Array(samples.prefix(pieceCount))
      samples.removeFirst(piece.count)
      now = now.advanced(byMilliseconds: Double(piece.count) / 16)
      wakeIfDue()
      mind.hear(piece, at: now)
      drain()
    }
  }

  mutating func advance(milliseconds: Int) {
    let end = now.advanced(byMilliseconds: Double(milliseconds))
    while let deadline = mind.deadline, deadline <= end {
      now = max(now, deadline)
      mind.wake(at: now)
      drain()
    }
    now = end
  }

  private mutating func wakeIfDue() {
    guard let deadline = mind.deadline, deadline <= now else { return }
    mind.wake(at: now)
    drain()
  }

  private mutating func drain() {
    while let output = mind.next() {
      switch output {
      case .state(let state): lines.append(state.rawValue)
      case .voiceScore: break
      case .recognise(let job, let samples):
        recognisedMilliseconds = samples.count / 16
        mind.recognised(job: job, words, at: now)
      case .synthesise(let job, let text): mind.spoken(job: job, Self.speech(text), at: now)
      case .heard(let turn, let text): lines.append("heard \(turn) \(text)")
      case .reply(let turn, let text): lines.append("reply \(turn) \(text)")
      case .speech(let turn, let speech): lines.append("speech \(turn) \(speech.text)")
      case .complete(let turn): lines.append("complete \(turn)")
      case .interrupted(_, let reply, let spoken): interruption = (reply, spoken)
      case .toolCall(_, let id, let name, let parameters):
        lines.append("tool \(id) \(name) \(parameters["city"] ?? "")")
      case .hangUp: lines.append("hangUp")
      }
    }
  }

  /// A second for each sentence, its words at even times.
  static func speech(_ text: String) -> Speech {
    let words = text.split(separator: " ")
    var ends: [(end: Int, milliseconds: Double)] = []
    var place = 0
    for (index, word) in words.enumerated() {
      place += word.count
      ends.append((place, 1_000 * Double(index + 1) / Double(words.count)))
      place += 1
    }
    return Speech(text: text, samples: [Float](repeating: 0, count: 16_000), sampleRate: .hz16000, words: ends)
  }
}
