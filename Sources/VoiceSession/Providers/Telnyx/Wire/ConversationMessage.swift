internal import Foundation
internal import Networking

/// What the server says about the conversation (`ai_conversation`), in any of the shapes that are known.
enum ConversationMessage: Sendable, Hashable {
  case settings(WidgetSettings)
  /// Something was said or written: new, or in place of what had the same id.
  case item(Item)
  /// More of the agent's text.
  case delta(String, item: String)
  /// The agent begins, goes on with, or ends its answer.
  case status(WidgetAgentStatus)
  /// The answer's text is complete.
  case textDone
  case functionCall(id: String, name: String, arguments: String)

  /// One thing that was said or written.
  struct Item: Sendable, Hashable {
    var id: String
    var isUser: Bool
    var text: String
    var isPartial: Bool
    var timestamp: Date?
    /// Addresses of pictures: data or elsewhere.
    var images: [String] = []
  }

  /// What a message holds, in order; nothing for one that is not known.
  static func reading(_ params: JSON) -> [ConversationMessage] {
    switch params["type"].string {
    case "widget_settings": return settings(params["widget_settings"])
    case "conversation.item.created": return created(params["item"])
    case "response.created": return [.status(.waiting)]
    case "response.text.delta":
      guard let text = params["delta"].string, let item = params["item_id"].string else { return [.status(.waiting)] }
      return [.status(.waiting), .delta(text, item: item)]
    case "response.text.done", "response.done": return [.textDone, .status(.idle)]
    default: return other(params)
    }
  }

  private static func settings(_ json: JSON) -> [ConversationMessage] {
    json.object == nil ? [] : [.settings(WidgetSettings(json))]
  }

  private static func created(_ item: JSON) -> [ConversationMessage] {
    if item["type"].string == "function_call" {
      guard let id = item["call_id"].string, let name = item["name"].string else { return [.status(.thinking)] }
      return [.status(.thinking), .functionCall(id: id, name: name, arguments: item["arguments"].string ?? "{}")]
    }
    guard item["role"].string == "user", let id = item["id"].string else { return [.status(.thinking)] }
    let content = Content(item["content"])
    let read = Item(
      id: id, isUser: true, text: content.text, isPartial: item["status"].string != "completed", images: content.images)
    return [.status(.thinking), .item(read)]
  }

  /// Shapes without a known type.
  private static func other(_ params: JSON) -> [ConversationMessage] {
    var messages: [ConversationMessage] = []
    messages += settings(params["ui_config"])
    messages += settings(params["assistant_config"]["widget"])
    let conversation = params["conversation"]
    let items =
      [params["transcription"], params["transcript"]] + (params["transcriptions"].array ?? [])
      + (conversation["events"].array ?? []) + (conversation["messages"].array ?? [])
    messages += items.compactMap { Item(loose: $0).map { .item($0) } }
    return messages
  }
}

extension ConversationMessage.Item {
  /// Of a shape that names its parts in one way or another. Without an id it is no item: there is nothing to merge by.
  fileprivate init?(loose json: JSON) {
    guard let id = json["id"].string, let role = json["role"].string ?? json["speaker"].string else { return nil }
    let content = Content(json["content"].isNull ? json["text"] : json["content"])
    let isPartial = json["isPartial"].bool ?? json["isFinal"].bool.map { !$0 } ?? false
    let moment = json["timestamp"]
    self.init(
      id: id, isUser: role == "user" || role == "human", text: content.text, isPartial: isPartial,
      timestamp: moment.number.map { Date(timeIntervalSince1970: $0) } ?? moment.string.flatMap { Date(internet: $0) },
      images: content.images)
  }
}

/// The content of an item: a text, or parts of several kinds.
private struct Content {
  var text = ""
  var images: [String] = []

  init(_ json: JSON) {
    if let text = json.string { self.text = text }
    var texts: [String] = []
    for part in json.array ?? [] {
      switch part["type"].string {
      case "image_url": if let url = part["image_url"]["url"].string { images.append(url) }
      case "input_audio": if let said = part["transcript"].string { texts.append(said) }
      default: if let written = part["text"].string { texts.append(written) }
      }
    }
    if !texts.isEmpty { text = texts.joined(separator: " ") }
  }
}

extension Date {
  /// A moment as RFC 3339 writes it, with a fraction or without.
  init?(internet text: String) {
    let whole = Date.ISO8601FormatStyle()
    guard
      let date = (try? whole.parse(text))
        ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    else { return nil }
    self = date
  }
}
