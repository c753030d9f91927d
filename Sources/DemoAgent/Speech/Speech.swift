public import RealtimeCore

/// A text as it is spoken: its sound, and when each of its characters is said.
public struct Speech: Sendable, Equatable {
  /// When one character is said, in ms from the sound's beginning.
  public struct CharacterTime: Sendable, Equatable {
    /// The character, as in the text.
    public let character: Character
    /// When it begins.
    public let start: Int
    /// How long it lasts.
    public let duration: Int
  }

  /// What is said.
  public let text: String
  /// The sound, mono.
  public let samples: [Float]
  /// Its rate.
  public let sampleRate: SampleRate
  /// One entry for each character of `text`, in order. Words are timed by the synthesizer, the characters within a word
  /// and the gap before it evenly.
  public let characters: [CharacterTime]

  /// How long the sound is, in ms.
  public var milliseconds: Double { Double(samples.count) * 1_000 / Double(sampleRate.hertz) }

  /// A text with the moments at which its words end.
  /// - Parameter words: for each word, how many characters of the text are said with its end, and that end in ms; both
  ///   rising.
  public init(text: String, samples: [Float], sampleRate: SampleRate, words: [(end: Int, milliseconds: Double)]) {
    self.text = text
    self.samples = samples
    self.sampleRate = sampleRate
    let letters = Array(text)
    var times: [CharacterTime] = []
    var begun = 0.0
    let length = Double(samples.count) * 1_000 / Double(sampleRate.hertz)
    for word in words + [(letters.count, length)] where word.end > times.count {
      let first = times.count
      let end = max(begun, min(length, word.milliseconds))
      let step = (end - begun) / Double(word.end - first)
      for index in first..<min(word.end, letters.count) {
        let (start, next) = (begun + step * Double(index - first), begun + step * Double(index - first + 1))
        times.append(
          CharacterTime(
            character: letters[index], start: Int(start.rounded()),
            duration: Int(next.rounded()) - Int(start.rounded())))
      }
      begun = end
    }
    characters = times
  }

  /// What has been said `milliseconds` after the beginning: whole words, without the space behind them.
  public func said(after milliseconds: Double) -> String {
    var said = characters.prefix { Double($0.start + $0.duration) <= milliseconds }.map(\.character)
    // Within a word: back to the last one that is whole.
    if said.count < characters.count, characters[said.count].character.isWordPart {
      while let last = said.last, last.isWordPart { said.removeLast() }
    }
    while said.last?.isWhitespace == true { said.removeLast() }
    return String(said)
  }
}

extension Character {
  fileprivate var isWordPart: Bool { isLetter || isNumber || self == "'" }
}
