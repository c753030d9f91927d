internal import CGLib
internal import CSoup

/// One request on its way, from the connection to the body's last byte; it lives on the loop.
actor HTTPExchange {
  struct Head: Sendable {
    let status: Int
    let reason: String
    let headers: HTTPHeaders
  }

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let session: SoupSessionOwner
  private let address: WebAddress
  private let settings: HTTPClient.Settings
  private let ownHeaders: [String]
  let message: GObjectRef
  private let cancellable: GObjectRef
  private var input: GObjectRef?
  /// Why we ended it ourselves; the first reason stays.
  private var failure: HTTPError?
  private var connecting: LoopTimer?
  private var total: LoopTimer?
  private var idle: ActivityTimer?
  private var redirects = 0
  private var isConnected = false

  /// Call it on the loop's thread.
  init(
    _ request: HTTPRequest, to address: WebAddress, by session: SoupSessionOwner, on loop: EventLoop,
    settings: HTTPClient.Settings
  ) {
    self.loop = loop
    self.session = session
    self.address = address
    self.settings = settings
    ownHeaders = request.headers.fields.map(\.name)
    let message = unsafe soup_message_new_from_uri(request.method.rawValue, address.uri)!
    unsafe self.message = GObjectRef(adopting: UnsafeMutableRawPointer(message), on: loop)
    unsafe cancellable = GObjectRef(adopting: UnsafeMutableRawPointer(g_cancellable_new()), on: loop)
    unsafe request.headers.copy(to: soup_message_get_request_headers(message))
    if let body = request.body {
      let bytes = unsafe g_bytes_new(body, gsize(body.count))
      unsafe soup_message_set_request_body_from_bytes(message, request.headers["Content-Type"], bytes)
      unsafe g_bytes_unref(bytes)
    }
    if settings.maximumRedirects == 0 { unsafe soup_message_add_flags(message, SOUP_MESSAGE_NO_REDIRECT) }
    if settings.trust == .dangerouslyAcceptAnyCertificate { unsafe antiphon_message_accept_any_certificate(message) }
  }

  /// Sends the request and waits for the answer's head.
  /// - Parameter isBounded: whether the total time limit holds.
  func open(isBounded: Bool) async throws(HTTPError) -> Head {
    arm(isBounded: isBounded)
    let outcome: Result<Head, HTTPError> = await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        let context = unsafe AsyncReply.context { result in
          done.resume(returning: self.assumeIsolated { $0.opened(result) })
        }
        unsafe soup_session_send_async(
          session.pointer, message.opaque, G_PRIORITY_DEFAULT, cancellable.to(GCancellable.self), AsyncReply.callback,
          context)
      }
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }

  /// The next piece of the body, at most 16 KiB; `nil` at its end.
  func read() async throws(HTTPError) -> [UInt8]? {
    guard let input else {
      if let failure { throw failure }
      return nil
    }
    let outcome: Result<[UInt8]?, HTTPError> = await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        let context = unsafe AsyncReply.context { result in
          done.resume(returning: self.assumeIsolated { $0.received(result, from: input) })
        }
        unsafe g_input_stream_read_bytes_async(
          input.to(GInputStream.self), 16_384, G_PRIORITY_DEFAULT, cancellable.to(GCancellable.self),
          AsyncReply.callback, context)
      }
    } onCancel: {
      cancel()
    }
    return try outcome.get()
  }

  /// Ends the request at once, from any thread.
  nonisolated func cancel() {
    loop.perform { self.assumeIsolated { $0.end(.cancelled) } }
  }

  /// Ends the request, for this reason unless there was one before.
  func end(_ reason: HTTPError) {
    failure = failure ?? reason
    unsafe g_cancellable_cancel(cancellable.to(GCancellable.self))
    release()
  }

  // MARK: libsoup's answers

  private func opened(_ result: AsyncResult) -> Result<Head, HTTPError> {
    var error: UnsafeMutablePointer<GError>?
    connecting = nil
    guard let stream = unsafe soup_session_send_finish(session.pointer, result.pointer, &error) else {
      return .failure(failed(error))
    }
    unsafe input = GObjectRef(adopting: UnsafeMutableRawPointer(stream), on: loop)
    if let failure {
      release()
      return .failure(failure)
    }
    let message = unsafe message.opaque
    return .success(
      Head(
        status: Int(unsafe soup_message_get_status(message).rawValue),
        reason: unsafe soup_message_get_reason_phrase(message).map { unsafe String(cString: $0) } ?? "",
        headers: unsafe HTTPHeaders(soup_message_get_response_headers(message))))
  }

  private func received(_ result: AsyncResult, from input: GObjectRef) -> Result<[UInt8]?, HTTPError> {
    var error: UnsafeMutablePointer<GError>?
    guard let bytes = unsafe g_input_stream_read_bytes_finish(input.to(GInputStream.self), result.pointer, &error)
    else {
      return .failure(failed(error))
    }
    defer { unsafe g_bytes_unref(bytes) }
    idle?.touch()
    var count: gsize = 0
    let start = unsafe g_bytes_get_data(bytes, &count)
    if count > 0 { return .success(unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(count)))) }
    release()
    return .success(nil)
  }

  @safe private func failed(_ error: UnsafeMutablePointer<GError>?) -> HTTPError {
    let flags = unsafe soup_message_get_tls_peer_certificate_errors(message.opaque)
    let found = HTTPError(error, at: address.place, host: address.host, flags: flags)
    failure = failure ?? found
    release()
    return failure ?? found
  }

  // MARK: time and redirects

  private func arm(isBounded: Bool) {
    let (connect, limits) = (settings.connectTimeout, settings)
    connecting = loop.schedule(after: connect) { [weak self] in
      self?.assumeIsolated { if !$0.isConnected { $0.end(.timedOut(.connecting, seconds: connect)) } }
    }
    if isBounded, let seconds = limits.totalTimeout {
      total = loop.schedule(after: seconds) { [weak self] in
        self?.assumeIsolated { $0.end(.timedOut(.total, seconds: seconds)) }
      }
    }
    // The handlers go before the exchange does: see release().
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe antiphon_on_starting(message.opaque, { _, context in HTTPExchange.at(context) { $0.connected() } }, context)
    unsafe antiphon_on_restarted(message.opaque, { _, context in HTTPExchange.at(context) { $0.restarted() } }, context)
    unsafe antiphon_on_wrote_body_data(
      message.opaque, { _, _, context in HTTPExchange.at(context) { $0.idle?.touch() } }, context)
  }

  @safe private nonisolated static func at(
    _ context: UnsafeMutableRawPointer?, _ body: @Sendable (isolated HTTPExchange) -> Void
  ) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue().assumeIsolated(body)
  }

  private func connected() {
    isConnected = true
    connecting = nil
    guard idle == nil, let seconds = settings.idleTimeout else { return }
    idle = ActivityTimer(on: loop, seconds: seconds) { [weak self] in
      self?.assumeIsolated { $0.end(.timedOut(.idle, seconds: seconds)) }
    }
  }

  /// A redirect, or a kept connection that turned out to be dead: what goes to another origin is not for it.
  private func restarted() {
    let target = unsafe soup_message_get_uri(message.opaque)!
    let (origin, isEncrypted) = WebAddress.origin(of: target)
    let status = unsafe soup_message_get_status(message.opaque).rawValue
    if (300..<400).contains(status) { redirects += 1 }
    if redirects > settings.maximumRedirects { return end(.tooManyRedirects(limit: settings.maximumRedirects)) }
    if address.isEncrypted, !isEncrypted { return end(.insecureRedirect(to: origin)) }
    guard origin != address.origin else { return }
    let headers = unsafe soup_message_get_request_headers(message.opaque)
    for name in ownHeaders where !["accept", "accept-language", "content-type"].contains(name.lowercased()) {
      unsafe soup_message_headers_remove(headers, name)
    }
  }

  private func release() {
    connecting = nil
    total = nil
    idle?.cancel()
    idle = nil
    unsafe antiphon_disconnect(message.raw, Unmanaged.passUnretained(self).toOpaque())
    // A body that was not read to its end is not skipped either, once it is cancelled.
    if let input, failure != nil {
      unsafe g_input_stream_close_async(
        input.to(GInputStream.self), G_PRIORITY_DEFAULT, cancellable.to(GCancellable.self), nil, nil)
    }
    input = nil
  }
}
