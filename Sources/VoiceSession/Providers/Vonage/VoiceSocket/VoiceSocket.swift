public import Networking
internal import RealtimeCore

/// An app server's end of a Voice WebSocket: the platform dials in, brings the sound of a call and plays what it is sent.
///
/// ```swift
/// let server = try await HTTPServer.start(on: loop, port: 8080) { request in
///   guard request.wantsWebSocket else { return .answer(404) }
///   return VoiceSocket.accept { call in
///     for await event in call.events {
///       if case .audio(let packet) = event { try? await call.send(packet) }   // an echo
///     }
///   }
/// }
/// ```
/// Sound may be sent in pieces of any size and faster than it is played: it is cut into the platform's packets of 20 ms,
/// and held back when the platform has no more room.
/// - Threads: any.
/// - Source: Vonage's guide to WebSockets in the Voice API.
public actor VoiceSocket {
  /// The loop it lives on.
  public nonisolated let loop: EventLoop
  /// The loop; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// All that happens, for one consumer, in order; ends behind `closed`. Of one that does not read for a minute, the
  /// oldest are lost.
  public nonisolated let events: AsyncStream<VoiceSocketEvent>

  private let socket: WebSocket
  private let continuation: AsyncStream<VoiceSocketEvent>.Continuation
  private var core: VoiceSocketCore
  private var timer: LoopTimer?

  private init(_ socket: WebSocket, _ settings: VoiceSocketSettings) {
    self.socket = socket
    loop = socket.loop
    core = VoiceSocketCore(settings)
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(4_096))
  }

  /// Answers a platform that dials in.
  /// - Parameter serve: serves the call; when it returns, the socket is closed, and with it the call's leg.
  public static func accept(
    settings: VoiceSocketSettings = VoiceSocketSettings(), serve: @escaping @Sendable (VoiceSocket) async -> Void
  ) -> HTTPServerResponse {
    .webSocket(settings: settings.webSocket) { socket in
      let call = VoiceSocket(socket, settings)
      let reading = Task { await call.read() }
      await serve(call)
      await call.close()
      await reading.value
    }
  }

  /// The call's format; `nil` before the platform has told.
  public var format: VoiceSocketFormat? { core.format }

  /// What waits to be played, here and at the platform, in milliseconds.
  public var waitingMilliseconds: Int { core.waitingMilliseconds(at: EventLoop.now) }

  /// Packets of the platform that were of the wrong size, and are not heard.
  public var droppedPackets: Int { core.droppedPackets }

  /// Says something: samples in the call's format, as bytes, in pieces of any size.
  public func send(_ sound: [UInt8]) throws(VoiceSocketError) {
    carryOut(try core.send(sound, at: EventLoop.now))
  }

  /// What was sent is a whole: what is left of a packet goes out, filled up with silence.
  public func finish() { carryOut(core.finish(at: EventLoop.now)) }

  /// Wants `played(mark:)` when all that was sent before has been heard. `clear` takes it back.
  public func mark(_ mark: String) throws(VoiceSocketError) { carryOut(try core.mark(mark, at: EventLoop.now)) }

  /// Falls silent at once, as when the caller interrupts: what was not played yet is dropped, here and at the platform,
  /// which answers with `cleared`.
  public func clear() throws(VoiceSocketError) { carryOut(try core.clear()) }

  /// Ends the call's leg; returns when the socket is released.
  public func close(code: Int = 1000, reason: String = "") async {
    timer = nil
    core.closed()
    await socket.close(code: code, reason: reason)
  }

  private func read() async {
    while let message = await socket.next() { carryOut(core.receive(message, at: EventLoop.now)) }
    let ending = SocketEnding(await socket.ended())
    timer = nil
    core.closed()
    continuation.yield(.closed(code: ending.code, reason: ending.reason))
    continuation.finish()
  }

  private func carryOut(_ actions: [VoiceSocketCore.Action]) {
    for action in actions {
      switch action {
      case .tell(let event): continuation.yield(event)
      case .close(let code, let reason): Task { await socket.close(code: code, reason: reason) }
      case .send(let message):
        // A platform that takes nothing for so long is gone.
        if !offer(message), socket.assumeIsolated({ $0.isOpen }) {
          Task { await socket.close(code: 1008, reason: "nothing is taken any more") }
        }
      }
    }
    let now = EventLoop.now
    timer = core.nextDeadline(at: now).map { deadline in
      loop.schedule(at: deadline) { [weak self] in
        self?.assumeIsolated { $0.carryOut($0.core.timePassed(at: EventLoop.now)) }
      }
    }
  }

  private func offer(_ message: WebSocketMessage) -> Bool {
    switch message {
    case .binary(let bytes): socket.offer(bytes.span)
    case .text(var text): text.withUTF8 { unsafe socket.offer(Span(_unsafeElements: $0), as: .text) }
    }
  }
}
