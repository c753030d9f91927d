internal import Foundation

/// The conversation's words: one item a role and turn, whatever order and how often they come in.
struct ElevenLabsTranscript: Sendable {
  private var items: [String: TranscriptItem] = [:]
  private var localCount = 0
  /// The newest turn that the agent has answered in.
  private(set) var newestAgentTurn: Int?

  /// Something that the user wrote here.
  mutating func wrote(_ text: String, at date: Date) -> TranscriptItem {
    localCount += 1
    return keep(TranscriptItem(id: "local-\(localCount)", role: .user, text: text, timestamp: date))
  }

  /// What the user said.
  mutating func user(_ text: String, turn: Int, isFinal: Bool, at date: Date) -> TranscriptItem {
    put(.user, text, turn: turn, isFinal: isFinal, at: date)
  }

  /// What the agent says, or really said.
  mutating func agent(_ text: String, turn: Int, isFinal: Bool = true, at date: Date) -> TranscriptItem {
    newestAgentTurn = max(newestAgentTurn ?? turn, turn)
    return put(.agent, text, turn: turn, isFinal: isFinal, at: date)
  }

  /// More of what the agent writes.
  mutating func append(_ text: String, turn: Int, isFinal: Bool, at date: Date) -> TranscriptItem {
    let before = items[Self.id(.agent, turn)]?.text ?? ""
    return agent(before + text, turn: turn, isFinal: isFinal, at: date)
  }

  private mutating func put(
    _ role: TranscriptItem.Role, _ text: String, turn: Int, isFinal: Bool, at date: Date
  ) -> TranscriptItem {
    let id = Self.id(role, turn)
    var item = items[id] ?? TranscriptItem(id: id, role: role, text: "", timestamp: date, turn: turn)
    item.text = text
    item.isFinal = isFinal
    return keep(item)
  }

  private mutating func keep(_ item: TranscriptItem) -> TranscriptItem {
    items[item.id] = item
    return item
  }

  private static func id(_ role: TranscriptItem.Role, _ turn: Int) -> String { "\(role.rawValue)-\(turn)" }
}
