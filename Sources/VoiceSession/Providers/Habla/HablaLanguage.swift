/// A language that calls can be translated from and to.
public enum HablaLanguage: String, Sendable, Hashable, CaseIterable, Codable {
  case englishUS = "en-US"
  case englishUK = "en-GB"
  case englishAustralia = "en-AU"
  case englishIndia = "en-IN"
  case spanishUS = "es-US"
  case french = "fr-FR"
  case german = "de-DE"
  case italian = "it-IT"
  case portugueseBrazil = "pt-BR"
  case hindi = "hi-IN"

  /// From a tag as it is, or from a language alone, which stands for its first region here.
  public init?(tag: String) {
    let tag = tag.lowercased()
    let found = Self.allCases.first { language in
      let own = language.rawValue.lowercased()
      return own == tag || own.prefix(2) == tag
    }
    guard let found else { return nil }
    self = found
  }
}

/// What is spoken here and what is heard there: never the same language.
public struct HablaLanguages: Sendable, Hashable, Codable {
  /// Spoken at this end. Choosing the target's language gives the target another one.
  public var source: HablaLanguage {
    didSet { if source == target { target = Self.alternative(to: source) } }
  }
  /// Spoken at the far end. Choosing the source's language gives the source another one.
  public var target: HablaLanguage {
    didSet { if target == source { source = Self.alternative(to: target) } }
  }

  /// From one to the other; where they are the same, the target gives way.
  public init(from source: HablaLanguage = .englishUS, to target: HablaLanguage = .spanishUS) {
    self.source = source
    self.target = target == source ? Self.alternative(to: source) : target
  }

  /// US English, or US Spanish where that is taken.
  private static func alternative(to taken: HablaLanguage) -> HablaLanguage {
    taken == .englishUS ? .spanishUS : .englishUS
  }
}

/// The voice that speaks for the caller.
public enum HablaVoice: String, Sendable, Hashable, CaseIterable, Codable {
  case female
  case male
}
