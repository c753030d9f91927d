internal import Foundation

/// What was said in the call that is shown.
struct WidgetTranscript: Sendable {
  private var items: [String: (order: Int, item: WidgetTranscriptItem)] = [:]
  private var pictures: [String: [WidgetTranscriptItem.Attachment]] = [:]

  /// In the order of time, and of arrival where times are equal; without what has neither words nor pictures.
  var shown: [WidgetTranscriptItem] {
    items.values
      .filter { !$0.item.text.allSatisfy(\.isWhitespace) || !$0.item.attachments.isEmpty }
      .sorted { ($0.item.timestamp, $0.order) < ($1.item.timestamp, $1.order) }
      .map(\.item)
  }

  mutating func take(_ item: TranscriptItem) {
    let shown = WidgetTranscriptItem(
      id: item.id, text: item.text, isUser: item.role == .user, timestamp: item.timestamp, isPartial: !item.isFinal,
      attachments: pictures[item.id] ?? [])
    items[item.id] = (items[item.id]?.order ?? items.count, shown)
  }

  /// Notes the pictures of an item that follows.
  mutating func attach(_ addresses: [String], to item: String) {
    pictures[item] = addresses.enumerated().map { index, address in
      let id = "\(item)-\(index)"
      guard address.hasPrefix("data:"), let comma = address.firstIndex(of: ",") else {
        return WidgetTranscriptItem.Attachment(id: id, base64Data: "", url: address)
      }
      return WidgetTranscriptItem.Attachment(id: id, base64Data: String(address[address.index(after: comma)...]))
    }
  }
}
