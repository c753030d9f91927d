/// One WebSocket connection, of a client or a server's end (RFC 6455).
///
/// ```swift
/// let socket = try await WebSocket.connect(to: "wss://agent.example/v1", on: loop)
/// try await socket.send("hello")
/// while let message = await socket.next() { … }         // in order, to one consumer
/// print(await socket.ended())                           // why it is over
/// ```
/// A value of this type is one connection and never another: what comes from a connection that was given up cannot
/// reach the one that took its place. Letting go of it ends the connection.
/// - Threads: any. libsoup's calls come and go on the loop's.
public actor WebSocket {
  /// The loop whose thread serves the connection.
  public nonisolated let loop: EventLoop
  /// On that thread; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// The limits it was made with.
  public nonisolated let settings: WebSocketSettings
  /// The one that the server chose of those offered; `nil` if it chose none.
  public nonisolated let subprotocol: String?
  /// Whether permessage-deflate was agreed on.
  public nonisolated let isCompressed: Bool

  private let link: WebSocketLink
  private var outgoing = SendQueue()
  private var isPumping = false
  private var incoming = ReceiveQueue()
  private var consumer: (id: UInt64, next: CheckedContinuation<WebSocketMessage?, Never>)?
  private var consumerID: UInt64 = 0
  private var idle: ActivityTimer?
  private var isClosing = false
  private var watchers: [CheckedContinuation<WebSocketEnding, Never>] = []
  /// Why the connection is over; `nil` while it is not.
  public private(set) var ending: WebSocketEnding?

  /// Call it on the loop's thread, and then start the link in the same callback.
  init(_ link: WebSocketLink, on loop: EventLoop, settings: WebSocketSettings, subprotocol: String?, isCompressed: Bool)
  {
    self.loop = loop
    self.link = link
    self.settings = settings
    self.subprotocol = subprotocol
    self.isCompressed = isCompressed
  }

  deinit {
    loop.perform { [link] in link.end(.abandoned, code: 1001) }
  }

  /// On the loop's thread, once.
  func started() {
    guard let seconds = settings.idleTimeout else { return }
    idle = ActivityTimer(on: loop, seconds: seconds) { [weak self] in
      self?.assumeIsolated { $0.link.end(.idle(seconds: seconds), code: 1001) }
    }
  }

  /// From the last answered keep-alive ping to its pong; `nil` before the first.
  public var roundTripMilliseconds: Double? { link.roundTripMilliseconds }

  /// Whether neither side has begun to close it.
  package var isOpen: Bool { link.isOpen && !isClosing }

  /// Bytes that wait to be sent, the callers of `send` included.
  public var unsentBytes: Int { outgoing.total }

  /// Bytes that wait for `next()`.
  public var unreadBytes: Int { incoming.byteCount }

  // MARK: sending

  /// Sends a text message; see `send(_: WebSocketMessage)`.
  public func send(_ text: String) async throws(WebSocketError) { try await send(.text(text)) }

  /// Sends a binary message; see `send(_: WebSocketMessage)`.
  public func send(_ bytes: [UInt8]) async throws(WebSocketError) { try await send(.binary(bytes)) }

  /// Hands a message over for sending, behind all that were sent before. Returns at once while the peer keeps up, and
  /// otherwise when less than `sendBufferBytes` wait. A cancelled caller's message is not sent if it was still waiting.
  public func send(_ message: WebSocketMessage) async throws(WebSocketError) {
    try check(message.byteCount)
    if outgoing.admits(message.byteCount, limit: settings.sendBufferBytes) {
      pass(message)
      return
    }
    guard outgoing.total + message.byteCount <= settings.sendBacklogBytes else {
      throw .backlogFull(bytes: outgoing.total, limit: settings.sendBacklogBytes)
    }
    let id = outgoing.makeID()
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { outgoing.wait(SendQueue.Waiter(id: id, message: message, done: $0)) }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.outgoing.take(id: id)?.done.resume(returning: .cancelled) } }
    }
    if let failure { throw failure }
  }

  /// Hands a message over without waiting; only on the loop's thread, as from a hook or a timer.
  /// - Returns: `false` when more than `sendBufferBytes` wait or the connection is over: the message is dropped.
  @discardableResult
  public nonisolated func offer(_ payload: Span<UInt8>, as kind: WebSocketMessage.Kind = .binary) -> Bool {
    unsafe payload.withUnsafeBytes { bytes in
      let bytes = unsafe Payload(bytes: bytes)
      return assumeIsolated { $0.offer(bytes, kind) }
    }
  }

  @safe  // lives within one call on one thread
  private struct Payload: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
  }

  private func offer(_ payload: Payload, _ kind: WebSocketMessage.Kind) -> Bool {
    let count = unsafe payload.bytes.count
    guard link.isOpen, !isClosing, outgoing.admits(count, limit: settings.sendBufferBytes) else { return false }
    outgoing.push(count)
    idle?.touch()
    unsafe link.send(payload.bytes, kind)
    return true
  }

  private func check(_ byteCount: Int) throws(WebSocketError) {
    if let ending { throw .ended(ending) }
    if isClosing { throw .closing }
    if let ending = link.ending { throw .ended(ending) }
    guard byteCount <= settings.sendBacklogBytes else {
      throw .messageTooLarge(bytes: byteCount, limit: settings.sendBacklogBytes)
    }
  }

  /// Noted first: the socket may take the message before the call returns.
  private func pass(_ message: WebSocketMessage) {
    outgoing.push(message.byteCount)
    idle?.touch()
    link.send(message)
  }

  /// The link tells: the socket has taken the oldest message. Nothing may be sent in here: libsoup is still at the frame.
  func messageWritten() {
    outgoing.pop()
    guard outgoing.hasWaiters, !isPumping else { return }
    isPumping = true
    loop.perform { [weak self] in self?.assumeIsolated { $0.pump() } }
  }

  /// Passes on what the waiting callers have, as far as there is room.
  private func pump() {
    isPumping = false
    while let waiter = outgoing.takeAdmitted(limit: settings.sendBufferBytes) {
      pass(waiter.message)
      waiter.done.resume(returning: nil)
    }
  }

  // MARK: receiving

  /// The next message; `nil` when there are no more or the task is cancelled. A cancelled call takes no message away.
  /// - Precondition: one call at a time.
  public func next() async -> WebSocketMessage? {
    if let message = incoming.pop() {
      if incoming.byteCount <= settings.receiveBufferBytes / 2 { link.release() }
      return message
    }
    guard ending == nil else { return nil }
    precondition(consumer == nil, "WebSocket.next() was called while another call waits; let one task read")
    consumerID += 1
    let id = consumerID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { consumer = (id, $0) }
    } onCancel: {
      loop.perform { self.assumeIsolated { if $0.consumer?.id == id { $0.answer(nil) } } }
    }
  }

  /// The messages as a sequence, for one consumer.
  public nonisolated var messages: WebSocketMessages { WebSocketMessages(socket: self) }

  private func answer(_ message: WebSocketMessage?) {
    let waiting = consumer
    consumer = nil
    waiting?.next.resume(returning: message)
  }

  /// The link tells: a message came.
  func received(_ message: WebSocketMessage) {
    idle?.touch()
    if consumer != nil { return answer(message) }
    incoming.push(message)
    if incoming.byteCount > settings.receiveBufferBytes { link.hold() }
  }

  /// The link tells: the hook has taken a message.
  func messageTaken() { idle?.touch() }

  // MARK: ending

  /// Closes the connection and returns when all of it is released, at the latest after `closeTimeout`. What `send` has
  /// taken goes out before; what comes from now on is dropped, and what had come stays for `next()`. May be called again,
  /// and by several: all get the same answer.
  /// - Parameters:
  ///   - code: 1000 to 1003, 1007 to 1009, 1010 (client), 1011 (server) or 3000 to 4999 (RFC 6455 §7.4).
  ///   - reason: for people; what is beyond 123 bytes is cut off.
  @discardableResult
  public func close(code: Int = 1000, reason: String = "") async -> WebSocketEnding {
    precondition(
      [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011].contains(code) || (3000...4999).contains(code),
      "WebSocket.close: \(code) may not be sent; give 1000 to 1003, 1007 to 1011 or 3000 to 4999")
    if ending == nil, !isClosing {
      isClosing = true
      for waiter in outgoing.takeAll() { waiter.done.resume(returning: .closing) }
      link.close(code: code, reason: Self.cut(reason))
    }
    return await ended()
  }

  /// Shuts the TCP connection without a close frame, as a crash would: for tests of the other end.
  package func abort() { link.drop() }

  /// Waits for the connection's end, whoever brings it about.
  public func ended() async -> WebSocketEnding {
    if let ending { return ending }
    return await withCheckedContinuation { watchers.append($0) }
  }

  /// The link tells: it is over, and libsoup has let go of the socket.
  func ended(_ reason: WebSocketEnding) {
    ending = reason
    idle?.cancel()
    idle = nil
    for waiter in outgoing.takeAll() { waiter.done.resume(returning: .ended(reason)) }
    answer(nil)
    let waiting = watchers
    watchers = []
    for watcher in waiting { watcher.resume(returning: reason) }
  }

  /// The longest part of at most 123 bytes that ends between two characters.
  private static func cut(_ reason: String) -> String {
    var cut = reason
    while cut.utf8.count > 123 { cut.removeLast() }
    return cut
  }
}

/// The messages of one WebSocket, for one consumer; ends with the connection.
public struct WebSocketMessages: AsyncSequence, Sendable {
  let socket: WebSocket

  /// Begins with the next message that nobody has taken.
  public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

  /// Takes one message at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let socket: WebSocket

    /// The same as `WebSocket.next()`.
    public mutating func next() async -> WebSocketMessage? { await socket.next() }

    /// The same.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> WebSocketMessage? { await socket.next() }
  }
}
