internal import Foundation
internal import Networking
internal import RealtimeCore

/// A chat session on the messaging socket: where a call's words are shown, and text is taken.
///
/// - Threads: the loop's.
final class PolyAIMessaging: @unchecked Sendable {
  let id: String
  /// The call that the session is linked to.
  private(set) var callSID: String?
  private let streams: Bool
  private let settings: PolyAISettings
  private let context: FakeContext
  private var link: FakeLink?
  private var history: [JSON] = []
  private var hasStarted = false
  private var timer: LoopTimer?
  private var dialogue = Dialogue()
  /// What is typed goes to the call's agent while there is one.
  var reader: ((String) -> Void)?

  /// The largest message; the vendor's default.
  static let largestMessage = 1 << 20

  init(_ id: String, streams: Bool, _ settings: PolyAISettings, _ context: FakeContext) {
    self.id = id
    self.streams = streams
    self.settings = settings
    self.context = context
  }

  func attach(_ link: FakeLink, from cursor: Int?) {
    self.link?.close(4000, "replaced by another client")
    self.link = link
    if hasStarted {
      let missed = history.filter { ($0["sequence"]?.integer ?? 0) > cursor ?? 0 }
      if !missed.isEmpty { link.send("EVENT_TYPE_EVENT_BATCH", envelope("EVENT_BATCH", ["events": .array(missed)], 0)) }
      return
    }
    guard let seconds = settings.sessionStartSeconds else { return }
    timer = context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
      self?.start()
    }
  }

  func detach(_ link: FakeLink) {
    if self.link === link { self.link = nil }
  }

  func release() { timer = nil }

  private func start() {
    hasStarted = true
    tell(
      "SESSION_START",
      [
        "capabilities": [
          "streaming": .bool(streams), "max_message_size_bytes": .integer(Self.largestMessage),
          "heartbeat_interval_seconds": .integer(settings.heartbeatSeconds), "max_reconnect_attempts": 10,
        ]
      ])
  }

  func take(_ message: WebSocketMessage) throws(Refusal) {
    guard let json = PolyAIFake.json(message), let type = json["type"]?.string, type.hasPrefix("EVENT_TYPE_") else {
      throw Refusal(1008, "malformed event")
    }
    let payload = json["payload"] ?? .object([])
    guard payload.members != nil else { throw Refusal(1008, "malformed payload") }
    switch type.dropFirst("EVENT_TYPE_".count) {
    case "HEARTBEAT", "USER_TYPING": break
    case "LINK_TO_WEBRTC_CONVERSATION":
      guard hasStarted else { throw Refusal(1008, "linked before the session started") }
      guard let sid = payload["call_sid"]?.string, UUID(uuidString: sid) != nil else {
        throw Refusal(1008, "link without call_sid")
      }
      callSID = sid
    case "USER_MESSAGE":
      guard let text = payload["text"]?.string, !text.isEmpty else { throw Refusal(1008, "message without text") }
      tellUser(text)
      if let reader { reader(text) } else { answer(text) }
    case "REQUEST_POLY_AGENT_JOIN": joined()
    case "USER_END_SESSION":
      tell("SESSION_END", ["reason": "user_ended"])
      link?.close(1000, "")
    default: throw Refusal(1008, "unknown event \(type.prefix(60))")
    }
  }

  /// Without a call the session is a chat.
  private func answer(_ text: String) {
    let time = context.settings.mind.timeOfDay()
    let reply = dialogue.answer(text, at: .init(hour: time.hour, minute: time.minute))
    var sentences = reply.sentences
    if case .askWeather(let city) = reply.action { sentences = dialogue.answer(weather: nil, in: city) }
    tell("POLY_AGENT_THINKING", [:])
    tellAgent(sentences.joined(separator: " "), ends: reply.action == .hangUp)
  }

  // MARK: a call's words

  func joined() { tell("POLY_AGENT_JOINED", ["agent_name": "Demo", "agent_avatar_url": nil]) }

  func thinking() { tell("POLY_AGENT_THINKING", [:]) }

  func tellUser(_ text: String) {
    tell("USER_MESSAGE", ["message_id": .string("m\(history.count + 1)"), "text": .string(text)])
  }

  /// An answer, word by word where the client streams.
  func tellAgent(_ text: String, ends: Bool = false) {
    let message: JSON = ["message_id": .string("m\(history.count + 1)")]
    guard streams else {
      return tell("POLY_AGENT_MESSAGE", message.with("text", .string(text)).with("end_conversation", .bool(ends)))
    }
    let words = text.split(separator: " ")
    for (index, word) in words.enumerated() {
      let isLast = index == words.count - 1
      tell(
        "POLY_AGENT_MESSAGE_CHUNK",
        message.with("chunk_index", .integer(index)).with("is_complete", .bool(isLast))
          .with("text", .string(isLast ? String(word) : word + " ")))
    }
  }

  func callEnded() {
    reader = nil
    callSID = nil
    tell("POLY_AGENT_LEFT", [:])
    tell("SESSION_END", ["reason": "call_ended"])
    link?.close(1000, "")
  }

  private func tell(_ type: String, _ payload: JSON) {
    let event = envelope(type, payload, history.count + 1)
    history.append(event)
    link?.send("EVENT_TYPE_" + type, event)
  }

  private func envelope(_ type: String, _ payload: JSON, _ sequence: Int) -> JSON {
    [
      "id": .string("e\(sequence)"), "sequence": .integer(sequence), "timestamp": .string(Date().formatted(.iso8601)),
      "type": .string("EVENT_TYPE_" + type), "payload": payload, "metadata": ["custom": [:]],
    ]
  }
}
