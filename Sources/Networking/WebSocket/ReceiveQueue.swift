/// Messages that wait for their consumer, in order, and how many bytes they are.
struct ReceiveQueue {
  private var messages: [WebSocketMessage] = []
  private var first = 0
  private(set) var byteCount = 0

  /// What a message counts at least, so that empty ones are bounded too; about what one takes in memory.
  static let minimumSize = 64

  mutating func push(_ message: WebSocketMessage) {
    messages.append(message)
    byteCount += max(Self.minimumSize, message.byteCount)
  }

  mutating func pop() -> WebSocketMessage? {
    guard first < messages.count else { return nil }
    let message = messages[first]
    messages[first] = .binary([])
    byteCount -= max(Self.minimumSize, message.byteCount)
    first += 1
    if first == messages.count || first >= 256 {
      messages.removeFirst(first)
      first = 0
    }
    return message
  }
}
