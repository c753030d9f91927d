internal import Foundation

/// What was said in one call, merged by id: users' items are replaced as they become better, agents' grow piece by piece.
struct TelnyxTranscript: Sendable {
  private(set) var items: [String: TranscriptItem] = [:]
  private(set) var images: [String: [String]] = [:]
  /// The agent's that may still grow.
  private var open: [String] = []

  /// Takes an item.
  /// - Returns: its newest version; `nil` when nothing has changed.
  mutating func take(_ item: ConversationMessage.Item, at now: Date) -> TranscriptItem? {
    let known = items[item.id]
    // A version on its way while a later one came is older news.
    if let known, known.isFinal, item.isPartial { return nil }
    var text = item.text
    // The server's copy of what was sent from here may leave the words out, but not change them.
    if text.isEmpty, let known { text = known.text }
    let merged = TranscriptItem(
      id: item.id, role: item.isUser ? .user : .agent, text: text, isFinal: !item.isPartial,
      timestamp: known?.timestamp ?? item.timestamp ?? now)
    let pictures = item.images.isEmpty ? images[item.id] ?? [] : item.images
    guard merged != known || pictures != images[item.id] ?? [] else { return nil }
    items[item.id] = merged
    images[item.id] = pictures.isEmpty ? nil : pictures
    open.removeAll { $0 == item.id }
    return merged
  }

  /// Takes more of the agent's text.
  mutating func append(_ delta: String, to id: String, at now: Date) -> TranscriptItem? {
    guard !delta.isEmpty, items[id]?.role != .user else { return nil }
    var item = items[id] ?? TranscriptItem(id: id, role: .agent, text: "", isFinal: false, timestamp: now)
    item.text += delta
    item.isFinal = false
    items[id] = item
    if !open.contains(id) { open.append(id) }
    return item
  }

  /// The agent's words are all there: they do not change any more.
  mutating func finishOpen() -> [TranscriptItem] {
    defer { open = [] }
    return open.compactMap { id in
      items[id]?.isFinal = true
      return items[id]
    }
  }
}
