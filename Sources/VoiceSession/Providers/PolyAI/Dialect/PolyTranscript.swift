internal import Foundation

/// What was said, as the messaging socket tells it: whole messages, or pieces by number, in any order and more than once.
struct PolyTranscript: Sendable {
  private var items: [String: TranscriptItem] = [:]
  private var pieces: [String: (texts: [Int: String], count: Int?)] = [:]

  /// A whole message; it stands for all its pieces.
  /// - Returns: its newest version; `nil` when nothing has changed.
  mutating func take(id: String, text: String, isUser: Bool, at now: Date) -> TranscriptItem? {
    pieces[id] = nil
    return update(id, text, isUser ? .user : .agent, isFinal: true, now)
  }

  /// A piece of the agent's.
  mutating func take(chunk text: String, index: Int, isLast: Bool, of id: String, at now: Date) -> TranscriptItem? {
    if let known = items[id], known.isFinal { return nil }
    var message = pieces[id] ?? ([:], nil)
    message.texts[index] = text
    if isLast { message.count = index + 1 }
    pieces[id] = message
    // What is behind a gap waits for it.
    var (whole, next) = ("", 0)
    while let piece = message.texts[next] {
      whole += piece
      next += 1
    }
    let isComplete = message.count.map { next >= $0 } ?? false
    if isComplete { pieces[id] = nil }
    guard next > 0 else { return nil }
    return update(id, whole, .agent, isFinal: isComplete, now)
  }

  private mutating func update(
    _ id: String, _ text: String, _ role: TranscriptItem.Role, isFinal: Bool, _ now: Date
  ) -> TranscriptItem? {
    let item = TranscriptItem(
      id: id, role: role, text: text, isFinal: isFinal, timestamp: items[id]?.timestamp ?? now)
    guard item != items[id] else { return nil }
    items[id] = item
    return item
  }
}
