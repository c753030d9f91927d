public import RealtimeCore

/// One message, whole: how the peer cut it into frames is not to be seen.
public enum WebSocketMessage: Sendable, Equatable {
  /// UTF-8; what is not UTF-8 ends the connection and never comes here.
  case text(String)
  /// Bytes of any kind.
  case binary([UInt8])

  /// The payload's size.
  public var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    }
  }

  /// What a message's payload is.
  public enum Kind: Sendable, Equatable {
    /// UTF-8.
    case text
    /// Bytes of any kind.
    case binary
  }
}

/// Gets each message on the loop's thread as it comes, without a task in between; for audio.
///
/// It runs inside the loop that serves all connections: it must return within microseconds and not wait for anything.
/// After `close` has returned it is not called any more.
/// - Parameters:
///   - kind: text or binary.
///   - payload: the message; valid during the call.
///   - arrival: when the loop had read its last byte, by `EventLoop.now`.
public typealias WebSocketHook =
  @Sendable (
    _ kind: WebSocketMessage.Kind, _ payload: Span<UInt8>, _ arrival: MediaInstant
  ) -> WebSocketDelivery

/// What becomes of a message that a hook has seen.
public enum WebSocketDelivery: Sendable, Equatable {
  /// The hook has dealt with it.
  case taken
  /// It goes to the consumer of `next()`.
  case queued
}
