internal import CGLib
internal import CSoup

/// One request and its answer at a server; it lives on the loop, and ends when its handler has.
@safe  // `extensions` is libsoup's list between the handshake and the upgrade, which takes it over
actor HTTPServerExchange {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let message: GObjectRef
  private let handler: HTTPServer.Handler
  private var task: Task<Void, Never>?
  /// libsoup has sent the answer, or the client is gone: the message takes nothing any more.
  private var isOver = false
  private var hasAnswered = false
  private var written: CheckedContinuation<Void, Never>?
  private var upgraded: CheckedContinuation<WebSocket?, Never>?
  private var upgrade: HTTPServerResponse.Upgrade?
  private var extensions: UnsafeMutablePointer<GList>?
  private var socket: WebSocket?

  init(_ message: GObjectRef, on loop: EventLoop, handler: @escaping HTTPServer.Handler) {
    self.message = message
    self.loop = loop
    self.handler = handler
  }

  /// Runs the handler; `onEnd` is called on the loop's thread when it is done.
  func start(_ onEnd: @escaping @Sendable () -> Void) {
    unsafe soup_server_message_pause(message.opaque)
    unsafe antiphon_on_finished(
      message.opaque, { _, context in HTTPServerExchange.at(context) { $0.over() } }, context(), releaseExchange)
    unsafe antiphon_on_disconnected(
      message.opaque, { _, context in HTTPServerExchange.at(context) { $0.over() } }, context(), releaseExchange)
    unsafe antiphon_on_wrote_chunk(
      message.opaque, { _, context in HTTPServerExchange.at(context) { $0.wroteChunk() } }, context(), releaseExchange)
    unsafe antiphon_on_wrote_informational(
      message.opaque, { _, context in HTTPServerExchange.at(context) { $0.switchProtocols() } }, context(),
      releaseExchange)
    let request = request()
    task = Task {
      let response = await handler(request)
      await respond(response)
      hasAnswered = true
      letGo()
      onEnd()
    }
  }

  /// The message's signals hold this, and this holds the message: when neither needs the other, the circle is cut.
  private func letGo() {
    guard hasAnswered, isOver else { return }
    unsafe antiphon_disconnect_signals(message.raw, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Closes its WebSocket, or tells the handler that nobody waits for it.
  func stop() async {
    if let socket { await socket.close(code: 1001, reason: "the server ends") }
    task?.cancel()
  }

  func finished() async { await task?.value }

  private func request() -> HTTPServerRequest {
    let uri = unsafe soup_server_message_get_uri(message.opaque)
    let body = unsafe soup_message_body_flatten(soup_server_message_get_request_body(message.opaque))
    defer { unsafe g_bytes_unref(body) }
    var count: gsize = 0
    let start = unsafe g_bytes_get_data(body, &count)
    return HTTPServerRequest(
      method: unsafe String(cString: soup_server_message_get_method(message.opaque)),
      path: unsafe g_uri_get_path(uri).map { unsafe String(cString: $0) } ?? "/",
      query: unsafe g_uri_get_query(uri).map { unsafe String(cString: $0) },
      headers: unsafe HTTPHeaders(soup_server_message_get_request_headers(message.opaque)),
      body: unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))),
      remoteHost: unsafe soup_server_message_get_remote_host(message.opaque).map { unsafe String(cString: $0) } ?? "")
  }

  private func respond(_ response: HTTPServerResponse) async {
    guard !isOver else { return }
    response.headers.copy(to: unsafe soup_server_message_get_response_headers(message.opaque))
    switch response.kind {
    case .whole(let bytes):
      unsafe soup_server_message_set_status(message.opaque, guint(response.status), nil)
      append(bytes)
      unsafe soup_message_body_complete(soup_server_message_get_response_body(message.opaque))
      unsafe soup_server_message_unpause(message.opaque)
    case .pieces(let pieces):
      unsafe soup_server_message_set_status(message.opaque, guint(response.status), nil)
      await respond(with: pieces)
    case .webSocket(let upgrade):
      if let socket = await accept(upgrade) {
        self.socket = socket
        await upgrade.serve(socket)
        await socket.close()
      }
    }
  }

  private func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    let copy = unsafe g_bytes_new(bytes, gsize(bytes.count))
    unsafe soup_message_body_append_bytes(soup_server_message_get_response_body(message.opaque), copy)
    unsafe g_bytes_unref(copy)
  }

  // MARK: piece by piece

  private func respond(with pieces: AsyncStream<[UInt8]>) async {
    unsafe soup_message_headers_set_encoding(
      soup_server_message_get_response_headers(message.opaque), SOUP_ENCODING_CHUNKED)
    unsafe soup_message_body_set_accumulate(soup_server_message_get_response_body(message.opaque), 0)
    unsafe soup_server_message_unpause(message.opaque)
    for await piece in pieces where !piece.isEmpty {
      guard !isOver else { return }
      await withCheckedContinuation { done in
        written = done
        append(piece)
        unsafe soup_server_message_unpause(message.opaque)
      }
    }
    guard !isOver else { return }
    unsafe soup_message_body_complete(soup_server_message_get_response_body(message.opaque))
    unsafe soup_server_message_unpause(message.opaque)
  }

  private func wroteChunk() {
    written?.resume()
    written = nil
  }

  private func over() {
    guard !isOver else { return }
    isOver = true
    wroteChunk()
    upgraded?.resume(returning: nil)
    upgraded = nil
    task?.cancel()
    letGo()
  }

  // MARK: WebSocket

  /// The server's side of the handshake; `nil` when it is answered with an error.
  private func accept(_ upgrade: HTTPServerResponse.Upgrade) async -> WebSocket? {
    guard handshake(upgrade) else {
      unsafe soup_server_message_unpause(message.opaque)
      return nil
    }
    self.upgrade = upgrade
    return await withCheckedContinuation { done in
      upgraded = done
      unsafe soup_server_message_unpause(message.opaque)
    }
  }

  private func handshake(_ upgrade: HTTPServerResponse.Upgrade) -> Bool {
    let types = unsafe upgrade.settings.allowsCompression ? antiphon_deflate_types() : nil
    defer { if let types = unsafe types { unsafe g_ptr_array_unref(types) } }
    let message = unsafe message.opaque
    guard let subprotocol = upgrade.subprotocol else {
      return unsafe soup_websocket_server_process_handshake(message, nil, nil, types, &extensions) != 0
    }
    var supported = unsafe [g_strdup(subprotocol), nil]
    defer { unsafe g_free(supported[0]) }
    return unsafe soup_websocket_server_process_handshake(message, nil, &supported, types, &extensions) != 0
  }

  /// The 101 is written: from here on the connection is the WebSocket's.
  private func switchProtocols() {
    guard let upgrade, let done = upgraded, !isOver else { return }
    upgraded = nil
    isOver = true
    let uri = unsafe g_uri_ref(soup_server_message_get_uri(message.opaque))!
    defer { unsafe g_uri_unref(uri) }
    let subprotocol = unsafe soup_message_headers_get_one(
      soup_server_message_get_response_headers(message.opaque), "Sec-WebSocket-Protocol"
    ).map { unsafe String(cString: $0) }
    let socket = unsafe GObjectRef(adopting: g_object_ref(soup_server_message_get_socket(message.opaque)), on: loop)
    guard let stream = unsafe soup_server_message_steal_connection(message.opaque) else {
      done.resume(returning: nil)
      return
    }
    unsafe g_socket_set_timeout(socket.to(GSocket.self), 0)
    let link = WebSocketLink(on: loop, settings: upgrade.settings, hook: upgrade.hook)
    let made = WebSocket(
      link, on: loop, settings: upgrade.settings, subprotocol: subprotocol, isCompressed: unsafe extensions != nil)
    link.owner = made
    unsafe link.start(
      server: stream, socket: socket.to(GSocket.self), uri: uri, subprotocol: subprotocol, extensions: extensions)
    unsafe g_object_unref(stream)
    unsafe extensions = nil
    made.assumeIsolated { $0.started() }
    done.resume(returning: made)
  }

  private func context() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  @safe private nonisolated static func at(
    _ context: UnsafeMutableRawPointer?, _ body: @Sendable (isolated HTTPServerExchange) -> Void
  ) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<HTTPServerExchange>.fromOpaque(context).takeUnretainedValue().assumeIsolated(body)
  }
}

private let releaseExchange: GClosureNotify = { context, _ in
  guard let context = unsafe context else { return }
  unsafe Unmanaged<HTTPServerExchange>.fromOpaque(context).release()
}
