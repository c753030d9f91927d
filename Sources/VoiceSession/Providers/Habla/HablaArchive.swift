public import Foundation

/// A call that is over, with what came of it.
public struct HablaCallRecord: Sendable, Hashable, Identifiable, Codable {
  /// Of the record.
  public var id: UUID
  /// The back end's name for the call; `nil`: it did not get so far.
  public var callSID: String?
  /// The number that was called.
  public var phoneNumber: String
  /// Whether an agent spoke.
  public var isAgentCall: Bool
  /// When the call was named, or else was over.
  public var startedAt: Date
  /// Seconds for which it was connected.
  public var duration: Int
  /// Spoken here and there.
  public var languages: HablaLanguages
  /// Why it failed, if it did.
  public var failure: String?
  /// What was agreed on, in order.
  public var facts: [HablaFact]
  /// What was said.
  public var conversation: [HablaLine]

  /// The call of a state.
  public init(_ state: HablaState, id: UUID, at date: Date, failure: String?) {
    self.id = id
    callSID = state.callSID
    phoneNumber = state.number
    isAgentCall = state.isAgentCall
    startedAt = state.startedAt ?? date
    duration = state.callDuration
    languages = state.preferences(for: state.number).languages
    self.failure = failure
    facts = state.verifiedFactsSummary
    conversation = state.conversation
  }

  /// What was agreed on for certain.
  public var verifiedFacts: [HablaFact] { facts.filter(\.isVerified) }
}

/// What is remembered of a callee, who has consented to it.
public struct HablaCallerMemory: Sendable, Hashable, Codable {
  /// The callee's number, in E.164 form.
  public var phoneNumber: String
  /// Spoken with them.
  public var languages: HablaLanguages
  /// Speaks to them.
  public var voice: HablaVoice
  /// When they consented.
  public var consentedAt: Date

  /// A memory; without consent there is none.
  public init(phoneNumber: String, languages: HablaLanguages, voice: HablaVoice, consentedAt: Date) {
    self.phoneNumber = phoneNumber
    self.languages = languages
    self.voice = voice
    self.consentedAt = consentedAt
  }
}

/// Where calls and callees are kept between launches.
public protocol HablaArchive: Sendable {
  /// All calls, the newest first.
  func records() async throws -> [HablaCallRecord]
  func add(_ record: HablaCallRecord) async throws
  func deleteRecord(_ id: UUID) async throws
  /// All callees, in any order.
  func memories() async throws -> [HablaCallerMemory]
  /// In place of what is known of the same number.
  func remember(_ memory: HablaCallerMemory) async throws
  func forget(_ phoneNumber: String) async throws
}
