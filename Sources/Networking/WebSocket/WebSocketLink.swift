internal import CGLib
internal import CGateStream
internal import CSoup
internal import RealtimeCore

/// libsoup's connection with its gate: from C's callbacks to the WebSocket's words and back. On the loop's thread only.
///
/// It keeps itself alive while the connection is open, since libsoup may call at any time, and lets go at its end.
final class WebSocketLink: @unchecked Sendable {
  /// Gets what happens; weak, so that a forgotten WebSocket ends.
  weak var owner: WebSocket?

  private let loop: EventLoop
  private let settings: WebSocketSettings
  private let hook: WebSocketHook?
  private var connection: GObjectRef?
  /// The client's first connection, which owns the stream as far as libsoup knows; see antiphon_socket_over.
  private var first: GObjectRef?
  private var gate: GObjectRef?
  private var liveness: ActivityTimer?
  private var goodbye: LoopTimer?
  /// Why it ends, when that is known before the end.
  private(set) var ending: WebSocketEnding?
  private var closedByUs: (code: Int, reason: String)?
  private var bytesSinceMessage = 0
  private var isHeld = false
  private var pingSent: MediaInstant?
  /// From the last answered ping to its pong.
  private(set) var roundTripMilliseconds: Double?

  init(on loop: EventLoop, settings: WebSocketSettings, hook: WebSocketHook?) {
    self.loop = loop
    self.settings = settings
    self.hook = hook
  }

  // MARK: beginning

  /// Takes over the connection that libsoup has made for a client. Call it in the very callback that brought it.
  @safe func start(client connection: OpaquePointer) {
    let first = unsafe GObjectRef(adopting: UnsafeMutableRawPointer(connection), on: loop)
    let stream = unsafe soup_websocket_connection_get_io_stream(connection)!
    let gate = unsafe makeGate(over: stream, socket: antiphon_stolen_socket(stream))
    let over = unsafe antiphon_socket_over(connection, antiphon_gate_stream(gate.opaque), loop.context)
    self.first = first
    unsafe start(over, gate)
  }

  /// Makes the server's end over a stream that was taken from its request.
  /// - Parameter extensions: taken over.
  @safe func start(
    server stream: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>?, uri: OpaquePointer,
    subprotocol: String?, extensions: UnsafeMutablePointer<GList>?
  ) {
    let gate = unsafe makeGate(over: stream, socket: socket)
    let connection = unsafe soup_websocket_connection_new(
      antiphon_gate_stream(gate.opaque), uri, SOUP_WEBSOCKET_CONNECTION_SERVER, nil, subprotocol, extensions)!
    unsafe start(connection, gate)
  }

  private func makeGate(over stream: UnsafeMutablePointer<GIOStream>, socket: UnsafeMutablePointer<GSocket>?)
    -> GObjectRef
  {
    let events = unsafe AntiphonGateEvents(
      read: { context, count in WebSocketLink.at(context) { $0.read(Int(count)) } },
      wrote: { context, opcode, _ in WebSocketLink.at(context) { $0.wrote(opcode) } })
    let gate = unsafe antiphon_gate_new(stream, socket, events, Unmanaged.passUnretained(self).toOpaque())
    return unsafe GObjectRef(adopting: UnsafeMutableRawPointer(gate), on: loop)
  }

  private func start(_ connection: OpaquePointer, _ gate: GObjectRef) {
    unsafe self.connection = GObjectRef(adopting: UnsafeMutableRawPointer(connection), on: loop)
    self.gate = gate
    // Given back at the end, in closed().
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    unsafe antiphon_on_socket_message(
      connection, { _, type, bytes, context in WebSocketLink.at(context) { unsafe $0.received(type, bytes) } }, context)
    unsafe antiphon_on_socket_error(
      connection, { _, error, context in WebSocketLink.at(context) { unsafe $0.failed(error) } }, context)
    unsafe antiphon_on_socket_closing(
      connection, { _, context in WebSocketLink.at(context) { $0.closing() } }, context)
    unsafe antiphon_on_socket_closed(connection, { _, context in WebSocketLink.at(context) { $0.closed() } }, context)
    unsafe antiphon_on_socket_pong(
      connection, { _, _, context in WebSocketLink.at(context) { $0.ponged() } }, context)
    unsafe soup_websocket_connection_set_max_incoming_payload_size(connection, guint64(settings.maximumMessageBytes))
    if let interval = settings.keepaliveSeconds {
      unsafe soup_websocket_connection_set_keepalive_interval(connection, guint(interval))
      // GLib lets timers of whole seconds fire together, up to one later.
      watch(seconds: Double(interval) + 1 + settings.pongTimeout)
    }
  }

  @safe private static func at(_ context: UnsafeMutableRawPointer?, _ body: (WebSocketLink) -> Void) {
    guard let context = unsafe context else { return }
    // A reference of its own: the body may be what ends the link.
    let link = unsafe Unmanaged<WebSocketLink>.fromOpaque(context).takeUnretainedValue()
    body(link)
  }

  // MARK: what the WebSocket asks for

  var isOpen: Bool {
    guard let connection, ending == nil else { return false }
    return unsafe soup_websocket_connection_get_state(connection.opaque) == SOUP_WEBSOCKET_STATE_OPEN
  }

  func send(_ message: WebSocketMessage) {
    switch message {
    case .text(var text): text.withUTF8 { unsafe send(UnsafeRawBufferPointer($0), .text) }
    case .binary(let bytes): unsafe bytes.withUnsafeBytes { unsafe send($0, .binary) }
    }
  }

  func send(_ payload: UnsafeRawBufferPointer, _ kind: WebSocketMessage.Kind) {
    guard let connection, isOpen else { return }
    // libsoup copies the bytes before it returns.
    let bytes = unsafe g_bytes_new_static(payload.baseAddress, gsize(payload.count))
    unsafe soup_websocket_connection_send_message(
      connection.opaque, kind == .text ? SOUP_WEBSOCKET_DATA_TEXT : SOUP_WEBSOCKET_DATA_BINARY, bytes)
    unsafe g_bytes_unref(bytes)
  }

  func hold() {
    guard !isHeld, let gate else { return }
    isHeld = true
    unsafe antiphon_gate_hold(gate.opaque)
  }

  func release() {
    guard isHeld, let gate else { return }
    isHeld = false
    liveness?.touch()
    unsafe antiphon_gate_release(gate.opaque)
  }

  /// Sends the close frame behind all that waits, and gives the peer `closeTimeout` for its answer.
  func close(code: Int, reason: String) {
    guard let connection, closedByUs == nil, isOpen else { return }
    closedByUs = (code, reason)
    // What the consumer has not taken would keep the peer's answer back.
    release()
    let seconds = settings.closeTimeout
    goodbye = loop.schedule(after: seconds) { [weak self] in
      guard let self else { return }
      self.ending = self.ending ?? .closeUnanswered(seconds: seconds)
      self.abort()
    }
    unsafe soup_websocket_connection_close(connection.opaque, UInt16(code), reason)
  }

  /// Ends the connection for a reason of our own: with a close frame if there is a way, and then at once.
  func end(_ reason: WebSocketEnding, code: Int) {
    guard connection != nil, ending == nil else { return }
    let wasOpen = isOpen
    ending = reason
    if wasOpen, let connection { unsafe soup_websocket_connection_close(connection.opaque, UInt16(code), nil) }
    // Nothing more is read. A moment for the frame to leave before the socket is shut; a choice.
    if let gate { unsafe antiphon_gate_hold(gate.opaque) }
    goodbye = loop.schedule(after: 0.1) { [weak self] in self?.abort() }
  }

  /// Ends the connection at once, without a word to the peer.
  func drop() {
    guard connection != nil, ending == nil else { return }
    ending = .abandoned
    abort()
  }

  private func abort() {
    if let gate { unsafe antiphon_gate_abort(gate.opaque) }
  }

  // MARK: what libsoup tells

  private func read(_ count: Int) {
    liveness?.touch()
    bytesSinceMessage += count
    // libsoup bounds a frame but not a message of many frames.
    if bytesSinceMessage > 2 * settings.maximumMessageBytes + 65_536 {
      end(.messageTooLarge(limit: settings.maximumMessageBytes), code: 1009)
    }
  }

  private func wrote(_ opcode: UInt8) {
    switch opcode {
    case 1, 2: owner?.assumeIsolated { $0.messageWritten() }
    case 9: pingSent = EventLoop.now
    case 10: bytesSinceMessage = max(0, bytesSinceMessage - 131)  // what a ping takes at most; pings are no message
    default: break
    }
  }

  private func received(_ type: gint, _ bytes: OpaquePointer) {
    bytesSinceMessage = 0
    guard ending == nil, closedByUs == nil else { return }
    var count: gsize = 0
    let data = unsafe g_bytes_get_data(bytes, &count)
    let payload = unsafe UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count))
    guard payload.count <= settings.maximumMessageBytes else {
      return end(.messageTooLarge(limit: settings.maximumMessageBytes), code: 1009)
    }
    let kind: WebSocketMessage.Kind = type == gint(SOUP_WEBSOCKET_DATA_TEXT.rawValue) ? .text : .binary
    if let hook {
      let typed = unsafe payload.assumingMemoryBound(to: UInt8.self)
      let span = unsafe Span<UInt8>(_unsafeElements: typed)
      if hook(kind, span, EventLoop.now) == .taken {
        owner?.assumeIsolated { $0.messageTaken() }
        return
      }
    }
    let message: WebSocketMessage =
      unsafe kind == .text ? .text(String(decoding: payload, as: UTF8.self)) : .binary(Array(payload))
    owner?.assumeIsolated { $0.received(message) }
  }

  private func failed(_ error: UnsafeMutablePointer<GError>) {
    guard ending == nil else { return }
    let words = unsafe String(cString: error.pointee.message)
    guard unsafe error.pointee.domain == soup_websocket_error_quark() else {
      ending = closedByUs == nil ? .lost(words) : nil
      return
    }
    if unsafe error.pointee.code == 1009 {
      // libsoup would go without a word; its state is still open here, so the peer can be told.
      if isOpen, let connection { unsafe soup_websocket_connection_close(connection.opaque, 1009, nil) }
      ending = .messageTooLarge(limit: settings.maximumMessageBytes)
    } else {
      // Codes of newer registrations (RFC 6455 §7.4.2, IANA) are unknown to libsoup 3.2 but no fault of the peer.
      let code = connection.map { unsafe soup_websocket_connection_get_close_code($0.opaque) } ?? 0
      if !(1012...1014).contains(code) { ending = .protocolViolation(words) }
    }
    closing()
  }

  private func closing() {
    // The peer has its time to end the TCP connection.
    if goodbye == nil {
      goodbye = loop.schedule(after: settings.closeTimeout) { [weak self] in self?.abort() }
    }
  }

  private func ponged() {
    guard let sent = pingSent else { return }
    roundTripMilliseconds = EventLoop.now.milliseconds(since: sent)
    pingSent = nil
  }

  private func closed() {
    guard let connection else { return }
    let code = Int(unsafe soup_websocket_connection_get_close_code(connection.opaque))
    let reason = unsafe soup_websocket_connection_get_close_data(connection.opaque).map { unsafe String(cString: $0) }
    let ending: WebSocketEnding =
      if let known = self.ending {
        known
      } else if let (code, reason) = closedByUs {
        .closed(by: .us, code: code, reason: reason)
      } else if code != 0 {
        .closed(by: .peer, code: code, reason: reason ?? "")
      } else {
        .lost("it ended without a close frame")
      }
    self.ending = ending
    liveness?.cancel()
    liveness = nil
    goodbye = nil
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe antiphon_disconnect(connection.raw, context)
    if let gate { unsafe antiphon_gate_mute(gate.opaque) }
    self.connection = nil
    first = nil
    gate = nil
    owner?.assumeIsolated { $0.ended(ending) }
    unsafe Unmanaged<WebSocketLink>.fromOpaque(context).release()
  }

  private func watch(seconds: Double) {
    liveness = ActivityTimer(on: loop, seconds: seconds) { [weak self] in
      guard let self else { return }
      if self.isHeld { self.watch(seconds: seconds) } else { self.end(.silent(seconds: seconds), code: 1001) }
    }
  }
}
