/// What a client asked a server for.
public struct HTTPServerRequest: Sendable {
  /// GET and so on, as the client wrote it.
  public var method: String
  /// Percent-decoded, without the query.
  public var path: String
  /// As on the wire, without the question mark.
  public var query: String?
  /// In the order in which they came.
  public var headers: HTTPHeaders
  /// The whole body.
  public var body: [UInt8]
  /// The client's address, without the port.
  public var remoteHost: String

  /// Whether the client asks for a WebSocket.
  public var wantsWebSocket: Bool {
    method == "GET" && headers["Upgrade"]?.lowercased() == "websocket"
  }

  /// The WebSocket subprotocols that the client offers, the preferred one first.
  public var subprotocols: [String] {
    headers.values("Sec-WebSocket-Protocol")
      .flatMap { $0.split(separator: ",") }
      .map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
      .map { String($0) }
      .filter { !$0.isEmpty }
  }

  /// The first value of a query parameter, decoded (+ is a space); `nil` when it is not there.
  public func parameter(_ name: String) -> String? {
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if Self.decode(parts[0]) == name { return parts.count > 1 ? Self.decode(parts[1]) : "" }
    }
    return nil
  }

  private static func decode(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        rest = rest.dropFirst(2)
        bytes.append(value)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// What a server's handler answers.
public struct HTTPServerResponse: Sendable {
  enum Kind: Sendable {
    case whole([UInt8])
    case pieces(AsyncStream<[UInt8]>)
    case webSocket(Upgrade)
  }

  struct Upgrade: Sendable {
    let subprotocol: String?
    let settings: WebSocketSettings
    let hook: WebSocketHook?
    let serve: @Sendable (WebSocket) async -> Void
  }

  let status: Int
  let headers: HTTPHeaders
  let kind: Kind

  /// A status with a body.
  public static func answer(_ status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) -> HTTPServerResponse {
    HTTPServerResponse(status: status, headers: headers, kind: .whole(body))
  }

  /// A status with a text, of this type.
  public static func answer(
    _ status: Int, text: String, type: String = "text/plain; charset=utf-8"
  ) -> HTTPServerResponse {
    .answer(status, headers: ["Content-Type": type], body: Array(text.utf8))
  }

  /// A body that is sent piece by piece. The next piece is taken when the socket has the one before; an end of the client
  /// ends the stream's consumer.
  public static func stream(
    _ status: Int = 200, headers: HTTPHeaders = [:], pieces: AsyncStream<[UInt8]>
  ) -> HTTPServerResponse {
    HTTPServerResponse(status: status, headers: headers, kind: .pieces(pieces))
  }

  /// Goes over to WebSocket. A handshake that is none is answered with 400 instead, and `serve` not called.
  /// - Parameters:
  ///   - subprotocol: one of those that the client offers; `nil` chooses none.
  ///   - hook: gets each message on the loop's thread before the consumer does.
  ///   - serve: uses the connection; it is closed with 1000 when this returns.
  public static func webSocket(
    subprotocol: String? = nil, headers: HTTPHeaders = [:], settings: WebSocketSettings = WebSocketSettings(),
    hook: WebSocketHook? = nil, serve: @escaping @Sendable (WebSocket) async -> Void
  ) -> HTTPServerResponse {
    HTTPServerResponse(
      status: 101, headers: headers,
      kind: .webSocket(Upgrade(subprotocol: subprotocol, settings: settings, hook: hook, serve: serve)))
  }
}
