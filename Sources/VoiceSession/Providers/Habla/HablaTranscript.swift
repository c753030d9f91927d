internal import Foundation

/// Who said something in a call.
public enum HablaRole: String, Sendable, Hashable, CaseIterable, Codable {
  /// The user of a live call.
  case caller
  /// The translator of a live call, for both sides.
  case interpreter
  /// The agent that calls for the user.
  case agent
  /// The one who was called by the agent.
  case callee
}

/// What was said in a call. Entries of an agent's call have no ids, and come again whenever a client attaches: the same
/// words of the same speaker within 2 s are the same entry.
struct HablaTranscript: Sendable {
  /// One thing that was said.
  struct Entry: Sendable, Equatable {
    var role: HablaRole
    var text: String
    var translation: String?
    var timestamp: Date
  }

  private(set) var entries: [(id: String, entry: Entry)] = []
  private static let mergeSeconds = 2.0

  /// Adds an entry that certainly is new.
  mutating func append(_ entry: Entry) -> (id: String, entry: Entry) {
    entries.append(("\(entries.count + 1)", entry))
    return entries[entries.count - 1]
  }

  /// Takes an entry: new, or a later version of one that is there, whose id and time it keeps.
  /// - Returns: the entry as it is now; `nil` when nothing has changed.
  mutating func merge(_ new: Entry) -> (id: String, entry: Entry)? {
    let words = Self.normal(new.text)
    let place = entries.lastIndex { _, old in
      old.role == new.role && abs(old.timestamp.timeIntervalSince(new.timestamp)) <= Self.mergeSeconds
        && Self.normal(old.text) == words
    }
    guard let place else { return append(new) }
    let before = entries[place].entry
    entries[place].entry.text = new.text
    // A translation that is missing takes none away.
    if let translation = new.translation { entries[place].entry.translation = translation }
    return entries[place].entry == before ? nil : entries[place]
  }

  private static func normal(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
  }
}

extension TranscriptItem {
  /// The one who is called by an agent stands where its user would.
  init(_ id: String, _ entry: HablaTranscript.Entry) {
    let role: Role =
      switch entry.role {
      case .caller, .callee: .user
      case .interpreter, .agent: .agent
      }
    self.init(
      id: id, role: role, text: entry.text, timestamp: entry.timestamp, translation: entry.translation)
  }
}
