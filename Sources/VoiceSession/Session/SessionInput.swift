package import Networking

/// What the app wants of a session. `Own` is what only one system has.
package enum SessionCommand<Own: Sendable>: Sendable {
  case start
  case end
  /// The user switches the microphone off or on.
  case mute(Bool)
  /// The system does, as when another call comes in.
  case systemMute(Bool)
  /// Something written.
  case sendText(String)
  /// The app's answer to a `ToolCall`.
  case toolResult(id: String, result: String, isError: Bool)
  case hold(Bool)
  /// Keys: 0 to 9, `*`, `#`.
  case pressKeys(String)
  /// What only this system has.
  case own(Own)
}

/// What a session is told. Sockets are told apart by purpose and number: of a purpose, only the newest counts.
package enum SessionInput<D: SessionDialect>: Sendable {
  case command(SessionCommand<D.Command>)
  case answered(D.Request, Result<HTTPResponse, SessionError>)
  case opened(SocketKey<D.Socket>)
  case received(SocketKey<D.Socket>, WebSocketMessage)
  case closed(SocketKey<D.Socket>, SocketEnding)
  case media(SessionMediaEvent)
  /// Time has passed; timers may be due.
  case timePassed
  /// All that the last `release` gave back is gone.
  case released
}

/// What a session wants done, in order.
package enum SessionAction<D: SessionDialect>: Sendable {
  case request(D.Request, HTTPRequest)
  case open(SocketKey<D.Socket>, SocketRequest)
  case send(SocketKey<D.Socket>, WebSocketMessage)
  case close(SocketKey<D.Socket>, code: Int)
  case media(SessionMediaAction)
  case publish(SessionEvent<D.Notice>)
  /// Gives everything back, after what was sent has gone out; `released` follows.
  case release
}

/// Which socket.
package struct SocketKey<Socket: Hashable & Sendable>: Hashable, Sendable {
  /// What it is for.
  package let purpose: Socket
  /// 1 for the first of its purpose, then upwards.
  package let generation: Int

  package init(_ purpose: Socket, generation: Int) {
    self.purpose = purpose
    self.generation = generation
  }
}

/// A WebSocket to open.
package struct SocketRequest: Sendable, Equatable {
  package var url: String
  package var headers: HTTPHeaders
  package var subprotocols: [String]

  package init(_ url: String, headers: HTTPHeaders = [:], subprotocols: [String] = []) {
    self.url = url
    self.headers = headers
    self.subprotocols = subprotocols
  }
}

/// Why a socket is gone.
package struct SocketEnding: Sendable, Hashable {
  /// The close frame's code; `nil` when there was none, and when it did not open.
  package var code: Int?
  /// The peer's words, or what happened.
  package var reason: String
  /// Whether it was open before.
  package var wasOpen: Bool
  /// The HTTP status by which the server refused to open it.
  package var status: Int?

  package init(code: Int? = nil, _ reason: String = "", wasOpen: Bool = true, status: Int? = nil) {
    self.code = code
    self.reason = reason
    self.wasOpen = wasOpen
    self.status = status
  }

  /// 1000 or 1001.
  package var isOrderly: Bool { code == 1000 || code == 1001 }
}
