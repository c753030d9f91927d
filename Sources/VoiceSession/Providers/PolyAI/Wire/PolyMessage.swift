internal import Networking

/// What comes on the messaging socket.
enum PolyMessage: Sendable, Hashable {
  /// The session is there; what the server can do and wants.
  case started(PolyCapabilities)
  case ended(reason: String?)
  case said(id: String, text: String, isUser: Bool)
  case chunk(id: String, index: Int, text: String, isLast: Bool)
  case agentJoined(name: String?, avatarURL: String?)
  case agentThinking
  case agentLeft
  /// Anything else, by its name without the prefix, and its text if it has one.
  case other(name: String, text: String?)

  /// What an event means; `nil` for a sign of life, or no event.
  init?(_ event: JSON) {
    let prefix = "EVENT_TYPE_"
    guard let type = event["type"].string, type.hasPrefix(prefix) else { return nil }
    let (name, payload) = (String(type.dropFirst(prefix.count)), event["payload"])
    switch name {
    case "HEARTBEAT": return nil
    case "SESSION_START": self = .started(PolyCapabilities(payload["capabilities"]))
    case "SESSION_END": self = .ended(reason: payload["reason"].string)
    case "USER_MESSAGE", "POLY_AGENT_MESSAGE", "LIVE_AGENT_MESSAGE":
      guard let id = payload["message_id"].string, let text = payload["text"].string else { return nil }
      self = .said(id: id, text: text, isUser: name == "USER_MESSAGE")
    case "POLY_AGENT_MESSAGE_CHUNK":
      guard let id = payload["message_id"].string, let index = payload["chunk_index"].int, (0..<100_000).contains(index)
      else { return nil }
      self = .chunk(
        id: id, index: index, text: payload["text"].string ?? "", isLast: payload["is_complete"].bool ?? false)
    case "POLY_AGENT_JOINED":
      self = .agentJoined(name: payload["agent_name"].string, avatarURL: payload["agent_avatar_url"].string)
    case "POLY_AGENT_THINKING": self = .agentThinking
    case "POLY_AGENT_LEFT": self = .agentLeft
    default: self = .other(name: name, text: payload["text"].string)
    }
  }

  /// The events in a frame, oldest first: itself, or those of a batch. Batches in batches are none.
  static func events(in frame: JSON) -> [JSON] {
    guard frame["type"].string == "EVENT_TYPE_EVENT_BATCH" else { return [frame] }
    let events = frame["payload"]["events"].array ?? frame["events"].array ?? []
    return
      events
      .filter { $0["type"].string != "EVENT_TYPE_EVENT_BATCH" }
      .enumerated()
      .sorted { ($0.element["sequence"].int ?? .max, $0.offset) < ($1.element["sequence"].int ?? .max, $1.offset) }
      .map(\.element)
  }
}

/// What the server says when a messaging session begins; what is missing or out of range is the default.
struct PolyCapabilities: Sendable, Hashable {
  var maximumMessageBytes = 1 << 20
  var heartbeatSeconds: Double?
  var maximumReconnects: Int?

  init() {}

  init(_ json: JSON) {
    if let bytes = json["max_message_size_bytes"].int, bytes > 0 { maximumMessageBytes = bytes }
    if let seconds = json["heartbeat_interval_seconds"].number, (0...86_400).contains(seconds) {
      heartbeatSeconds = seconds
    }
    if let attempts = json["max_reconnect_attempts"].int, attempts >= 0 { maximumReconnects = attempts }
  }
}
