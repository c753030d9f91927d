internal import CGLib
internal import CSoup

/// A client's opening handshake; it lives on the loop until it is answered or given up.
actor WebSocketHandshake {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let address: WebAddress
  private let settings: WebSocketSettings
  private let hook: WebSocketHook?
  private let cancellable: GObjectRef
  /// Why we gave it up ourselves.
  private var failure: WebSocketError?
  private var deadline: LoopTimer?

  init(to address: WebAddress, on loop: EventLoop, settings: WebSocketSettings, hook: WebSocketHook?) {
    self.loop = loop
    self.address = address
    self.settings = settings
    self.hook = hook
    unsafe cancellable = GObjectRef(adopting: UnsafeMutableRawPointer(g_cancellable_new()), on: loop)
  }

  func open(subprotocols: [String], headers: HTTPHeaders) async throws(WebSocketError) -> WebSocket {
    let session: SoupSessionOwner
    do {
      session = try SoupSessionOwner(on: loop, trust: settings.trust, userAgent: settings.userAgent)
    } catch { throw .notConnected(error) }
    if settings.allowsCompression {
      unsafe antiphon_session_with_deflate(session.pointer)
    } else {
      unsafe antiphon_session_without_extensions(session.pointer)
    }
    let message = unsafe GObjectRef(
      adopting: UnsafeMutableRawPointer(soup_message_new_from_uri("GET", address.uri)!), on: loop)
    // As in browsers: keys and voices go to the place that was named, or nowhere.
    unsafe soup_message_add_flags(message.opaque, SOUP_MESSAGE_NO_REDIRECT)
    unsafe headers.copy(to: soup_message_get_request_headers(message.opaque))
    if settings.trust == .dangerouslyAcceptAnyCertificate {
      unsafe antiphon_message_accept_any_certificate(message.opaque)
    }
    let seconds = settings.handshakeTimeout
    deadline = loop.schedule(after: seconds) { [weak self] in
      self?.assumeIsolated { $0.giveUp(.notConnected(.timedOut(.handshake, seconds: seconds))) }
    }
    defer { deadline = nil }

    let outcome: Result<WebSocket, WebSocketError> = await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        let context = unsafe AsyncReply.context { result in
          done.resume(returning: self.assumeIsolated { $0.opened(result, session, message) })
        }
        unsafe withCStrings(subprotocols) { offered in
          unsafe soup_session_websocket_connect_async(
            session.pointer, message.opaque, nil, subprotocols.isEmpty ? nil : offered, G_PRIORITY_DEFAULT,
            cancellable.to(GCancellable.self), AsyncReply.callback, context)
        }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.giveUp(.cancelled) } }
    }
    let socket = try outcome.get()
    if let failure {
      // Given up after the server's answer: nobody would use the socket.
      await socket.close(code: 1001)
      throw failure
    }
    return socket
  }

  private func giveUp(_ reason: WebSocketError) {
    failure = failure ?? reason
    unsafe g_cancellable_cancel(cancellable.to(GCancellable.self))
  }

  /// libsoup's answer. The connection is taken over here, before the loop can read from it.
  private func opened(_ result: AsyncResult, _ session: SoupSessionOwner, _ message: GObjectRef)
    -> Result<WebSocket, WebSocketError>
  {
    var error: UnsafeMutablePointer<GError>?
    guard
      let connection = unsafe soup_session_websocket_connect_finish(session.pointer, result.pointer, &error)
    else { return .failure(failure ?? refusal(error, message)) }
    let subprotocol = unsafe soup_websocket_connection_get_protocol(connection).map { unsafe String(cString: $0) }
    let isCompressed = unsafe soup_websocket_connection_get_extensions(connection) != nil
    let link = WebSocketLink(on: loop, settings: settings, hook: hook)
    let socket = WebSocket(link, on: loop, settings: settings, subprotocol: subprotocol, isCompressed: isCompressed)
    link.owner = socket
    link.start(client: connection)
    socket.assumeIsolated { $0.started() }
    return .success(socket)
  }

  @safe private func refusal(_ error: UnsafeMutablePointer<GError>?, _ message: GObjectRef) -> WebSocketError {
    if let error = unsafe error, unsafe error.pointee.domain == soup_websocket_error_quark() {
      defer { unsafe g_error_free(error) }
      let status = Int(unsafe soup_message_get_status(message.opaque).rawValue)
      if status != 101, status != 0 {
        let reason = unsafe soup_message_get_reason_phrase(message.opaque).map { unsafe String(cString: $0) } ?? ""
        return .refused(status: status, reason: reason)
      }
      return .badHandshake(unsafe String(cString: error.pointee.message))
    }
    let flags = unsafe soup_message_get_tls_peer_certificate_errors(message.opaque)
    return .notConnected(HTTPError(error, at: address.place, host: address.host, flags: flags))
  }
}

/// Lends strings as C's list of them, which ends with a null pointer.
@unsafe func withCStrings<Answer>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Answer
) -> Answer {
  var copies = unsafe strings.map { unsafe g_strdup($0) } + [nil]
  defer { unsafe copies.forEach { unsafe g_free($0) } }
  return unsafe copies.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
}

extension WebSocket {
  /// Connects to a server. Cancelling the task gives up at once.
  /// - Parameters:
  ///   - url: of ws or wss.
  ///   - subprotocols: offered in the order of preference; see `subprotocol` for the server's choice.
  ///   - headers: beside those of the handshake. Redirects are not followed, so they go to that host only.
  ///   - hook: gets each message on the loop's thread before the consumer does.
  public static func connect(
    to url: String, on loop: EventLoop, subprotocols: [String] = [], headers: HTTPHeaders = [:],
    settings: WebSocketSettings = WebSocketSettings(), hook: WebSocketHook? = nil
  ) async throws(WebSocketError) -> WebSocket {
    let address: WebAddress
    do { address = try WebAddress(url, schemes: ["ws", "wss"]) } catch { throw .notConnected(error) }
    let handshake = WebSocketHandshake(to: address, on: loop, settings: settings, hook: hook)
    return try await handshake.open(subprotocols: subprotocols, headers: headers)
  }
}
