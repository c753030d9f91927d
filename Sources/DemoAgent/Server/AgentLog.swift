public import Networking
public import RealtimeCore
internal import Synchronization

/// Something that a caller has sent.
public struct ReceivedFrame: Sendable {
  /// What it was.
  public enum Content: Sendable {
    /// A message of a WebSocket.
    case message(WebSocketMessage)
    /// An HTTP request, those for a WebSocket included.
    case request(HTTPServerRequest)
  }

  /// Of the WebSocket: 1 for the server's first; 0 for a request.
  public let socket: Int
  /// What it was.
  public let content: Content
  /// When it had come, by `EventLoop.now`.
  public let arrival: MediaInstant

  /// The text of a text message, else `nil`.
  public var text: String? { if case .message(.text(let text)) = content { text } else { nil } }
  /// The bytes of a binary message, else `nil`.
  public var bytes: [UInt8]? { if case .message(.binary(let bytes)) = content { bytes } else { nil } }
}

/// What a server's calls tell and receive.
final class AgentLog: Sendable {
  private struct Record {
    var frames: [ReceivedFrame] = []
    var callCount = 0
    var socketCount = 0
  }

  let broadcast = EventBroadcast<AgentEvent>(limit: 16_384) { _ in nil }
  private let record = Mutex(Record())
  /// Frames that are kept; beyond, the older half goes.
  private static let frameLimit = 40_000

  func tell(_ kind: AgentEvent.Kind, _ text: String, call: Int) {
    broadcast.publish(AgentEvent(call: call, kind: kind, text: text))
  }

  func newCall() -> Int {
    record.withLock { record in
      record.callCount += 1
      return record.callCount
    }
  }

  func newSocket() -> Int {
    record.withLock { record in
      record.socketCount += 1
      return record.socketCount
    }
  }

  func note(_ content: ReceivedFrame.Content, socket: Int) {
    let frame = ReceivedFrame(socket: socket, content: content, arrival: EventLoop.now)
    record.withLock { record in
      if record.frames.count >= Self.frameLimit { record.frames.removeFirst(Self.frameLimit / 2) }
      record.frames.append(frame)
    }
  }

  var frames: [ReceivedFrame] { record.withLock { $0.frames } }
}
