/// Something that was agreed on in the call, such as a time or an amount.
public struct HablaFact: Sendable, Hashable, Codable {
  /// Its kind, in the back end's words: time, amount and so on.
  public var type: String
  /// What was said.
  public var value: String
  /// How sure the back end is, 0...1.
  public var confidence: Double
  /// Whether it was confirmed.
  public var isVerified: Bool
  /// How often it was said.
  public var occurrences: Int
  /// Who said it last: agent or callee.
  public var lastRole: String?

  /// A fact.
  public init(
    type: String, value: String, confidence: Double = 0, isVerified: Bool = false, occurrences: Int = 1,
    lastRole: String? = nil
  ) {
    self.type = type
    self.value = value
    self.confidence = confidence
    self.isVerified = isVerified
    self.occurrences = occurrences
    self.lastRole = lastRole
  }
}

extension [HablaFact] {
  /// Verified ones first, then the surer, then those that were said more often; otherwise as they came.
  public var inOrder: [HablaFact] {
    enumerated().sorted { left, right in
      let (one, other) = (left.element, right.element)
      if one.isVerified != other.isVerified { return one.isVerified }
      if one.confidence != other.confidence { return one.confidence > other.confidence }
      if one.occurrences != other.occurrences { return one.occurrences > other.occurrences }
      return left.offset < right.offset
    }.map(\.element)
  }
}

/// Something that the back end is not sure of, and that matters.
public struct HablaConfirmation: Sendable, Hashable {
  /// The kind of fact.
  public var factType: String
  /// Why it asks.
  public var reason: String?
  /// What was said.
  public var sourceValue: String?
  /// What was understood.
  public var candidateValue: String?
  /// How sure it is, 0...1.
  public var confidence: Double?
  /// The question for the user, in English.
  public var prompt: String

  /// A question.
  public init(
    factType: String, reason: String? = nil, sourceValue: String? = nil, candidateValue: String? = nil,
    confidence: Double? = nil, prompt: String
  ) {
    self.factType = factType
    self.reason = reason
    self.sourceValue = sourceValue
    self.candidateValue = candidateValue
    self.confidence = confidence
    self.prompt = prompt
  }
}
