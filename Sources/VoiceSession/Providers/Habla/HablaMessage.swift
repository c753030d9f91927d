internal import Foundation
internal import Networking

/// A text that came from the back end. What is unknown, or lacks what it needs, is none.
enum HablaMessage: Equatable {
  case status(HablaStatus)
  case transcription(String)
  case translation(String)
  case interrupted
  case error(String)
  case agentStatus(AgentState)
  case transcript(HablaTranscript.Entry)
  case confirmation(HablaConfirmation)
  case facts([HablaFact])

  init?(_ text: String) {
    guard let json = try? JSON(parsing: text), let type = json["type"].string else { return nil }
    switch type {
    case "status":
      guard let status = json["status"].string else { return nil }
      self = .status(HablaStatus(status))
    case "transcription":
      guard let text = json["text"].string else { return nil }
      self = .transcription(text)
    case "translation":
      guard let text = json["text"].string else { return nil }
      self = .translation(text)
    case "interrupted": self = .interrupted
    case "error": self = .error(json["message"].string ?? "the back end has a fault")
    case "agent_status":
      guard let status = json["status"].string.flatMap({ AgentState(rawValue: $0.lowercased()) }) else { return nil }
      self = .agentStatus(status)
    case "transcript", "transcript_update":
      guard let entry = HablaTranscript.Entry(json) else { return nil }
      self = .transcript(entry)
    case "critical_confirmation":
      guard let confirmation = HablaConfirmation(json) else { return nil }
      self = .confirmation(confirmation)
    case "verified_facts_summary":
      guard let facts = json["facts"].array else { return nil }
      self = .facts(facts.compactMap { HablaFact($0) }.inOrder)
    default: return nil
    }
  }
}

/// How far a call is, in the back end's words.
enum HablaStatus: Equatable, CaseIterable {
  case initiating, connecting, ringing, connected, ended, failed

  /// In any case; what is unknown counts as connecting.
  init(_ words: String) {
    switch words.lowercased() {
    case "initiating": self = .initiating
    case "ringing": self = .ringing
    case "connected", "in_progress", "in-progress": self = .connected
    case "ended", "completed": self = .ended
    case "failed": self = .failed
    default: self = .connecting
    }
  }
}

extension HablaFact {
  init?(_ json: JSON) {
    guard let type = json["type"].string, let value = json["value"].string else { return nil }
    self.init(
      type: type, value: value, confidence: json["confidence"].number ?? 0, isVerified: json["verified"].bool ?? false,
      occurrences: json["occurrences"].int ?? 1, lastRole: json["last_role"].string)
  }
}

extension HablaConfirmation {
  init?(_ json: JSON) {
    guard let type = json["fact_type"].string, let prompt = json["prompt_en"].string else { return nil }
    self.init(
      factType: type, reason: json["reason"].string, sourceValue: json["source_value"].string,
      candidateValue: json["candidate_value"].string, confidence: json["confidence"].number, prompt: prompt)
  }
}

extension HablaTranscript.Entry {
  init?(_ json: JSON) {
    guard let role = json["role"].string.flatMap({ HablaRole(rawValue: $0.lowercased()) }), role != .caller,
      let text = json["text_original"].string, let time = Date(habla: json["timestamp"])
    else { return nil }
    self.init(role: role, text: text, translation: json["text_en"].string, timestamp: time)
  }
}

extension Date {
  /// Seconds since 1970, or ISO 8601 with or without a fraction and a zone; without a zone it is UTC.
  init?(habla json: JSON) {
    if let seconds = json.number {
      guard seconds.magnitude < 1e11 else { return nil }
      self.init(timeIntervalSince1970: seconds)
      return
    }
    guard var text = json.string, text.utf8.count < 64 else { return nil }
    if let space = text.firstIndex(of: " ") { text.replaceSubrange(space...space, with: "T") }
    let hasZone = text.hasSuffix("Z") || text.dropFirst(10).contains { $0 == "+" || $0 == "-" }
    let zoned = hasZone ? text : text + "Z"
    for withFraction in [true, false] {
      if let date = try? Date(
        zoned,
        strategy: .iso8601.year().month().day().time(includingFractionalSeconds: withFraction).timeZone(
          separator: .colon))
      {
        self = date
        return
      }
    }
    return nil
  }
}
