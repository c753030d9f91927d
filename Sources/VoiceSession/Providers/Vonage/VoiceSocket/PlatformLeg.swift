package import Networking
internal import RealtimeCore

/// The platform's end of a Voice WebSocket on a real socket: dials an app's server as the platform would, for its tests.
package actor PlatformLeg {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// As it is now, for its counts.
  package private(set) var line: PlatformLine
  /// All that the call has heard.
  package private(set) var heard: [UInt8] = []
  private let socket: WebSocket
  /// Gives what the call says in the next 20 ms.
  private let speak: @Sendable () -> [UInt8]
  private var timer: LoopTimer?
  private var next = EventLoop.now
  private var reading: Task<Void, Never>?

  private init(_ socket: WebSocket, _ line: PlatformLine, _ speak: @escaping @Sendable () -> [UInt8]) {
    self.socket = socket
    self.line = line
    self.speak = speak
    loop = socket.loop
  }

  /// Dials.
  /// - Parameter speak: called each 20 ms; what is shorter than a packet is filled up with silence.
  package static func dial(
    _ url: String, _ line: PlatformLine, on loop: EventLoop, speak: @escaping @Sendable () -> [UInt8] = { [] }
  ) async throws(WebSocketError) -> PlatformLeg {
    let socket = try await WebSocket.connect(to: url, on: loop)
    let leg = PlatformLeg(socket, line, speak)
    await leg.begin()
    return leg
  }

  /// Sends a text of the test's own.
  package func send(_ text: String) async throws(WebSocketError) { try await socket.send(text) }

  /// Hangs up, as the other party of the call; returns when the socket is released.
  package func hangUp(code: Int = 1000) async {
    timer = nil
    await socket.close(code: code)
    await reading?.value
  }

  /// Waits for the end.
  package func ended() async -> WebSocketEnding { await socket.ended() }

  private func begin() {
    send([line.greeting])
    reading = Task {
      while let message = await socket.next() { send(line.receive(message)) }
      timer = nil
    }
    next = EventLoop.now
    schedule()
  }

  private func schedule() {
    next = next.advanced(byNanoseconds: 20_000_000)
    timer = loop.schedule(at: next) { [weak self] in self?.assumeIsolated { $0.tick() } }
  }

  private func tick() {
    var spoken = Array(speak().prefix(line.format.packetByteCount))
    spoken += [UInt8](repeating: 0, count: line.format.packetByteCount - spoken.count)
    let tick = line.tick(spoken)
    heard += tick.heard
    send(tick.messages)
    schedule()
  }

  private func send(_ messages: [WebSocketMessage]) {
    for message in messages {
      switch message {
      case .binary(let bytes): socket.offer(bytes.span)
      case .text(var text): text.withUTF8 { _ = unsafe socket.offer(Span(_unsafeElements: $0), as: .text) }
      }
    }
  }
}
