internal import Networking

// A session's sockets: each has one task that opens it, reads it to its end and tells, in order.
extension SessionDriver {
  func open(_ key: SocketKey<D.Socket>, _ request: SocketRequest) {
    sockets[key] = Task {
      let ending: SocketEnding
      do throws(WebSocketError) {
        let socket = try await WebSocket.connect(
          to: request.url, on: loop, subprotocols: request.subprotocols, headers: request.headers,
          settings: environment.webSocket)
        openSockets[key] = socket
        take(.opened(key))
        for await message in socket.messages { take(.received(key, message)) }
        ending = SocketEnding(await socket.ended())
      } catch {
        ending = SocketEnding(error, of: request.url)
      }
      openSockets[key] = nil
      sockets[key] = nil
      take(.closed(key, ending))
    }
  }

  /// Nothing waits here: what the peer does not take for minutes ends the connection.
  func send(_ message: WebSocketMessage, to key: SocketKey<D.Socket>) {
    guard let socket = openSockets[key] else { return }
    let isTaken =
      switch message {
      case .text(var text): text.withUTF8 { unsafe socket.offer(Span(_unsafeElements: $0), as: .text) }
      case .binary(let bytes): socket.offer(bytes.span, as: .binary)
      }
    // Of one that the peer is closing, the reader tells the end, with the peer's code.
    guard !isTaken, socket.assumeIsolated({ $0.isOpen }) else { return }
    close(key, code: 1008)
    take(.closed(key, SocketEnding("the peer takes nothing any more", wasOpen: true)))
  }

  func close(_ key: SocketKey<D.Socket>, code: Int) {
    guard let task = sockets.removeValue(forKey: key) else { return }
    guard let socket = openSockets.removeValue(forKey: key) else { return task.cancel() }
    closing.append(
      Task {
        await socket.close(code: code)
        await task.value
      })
  }
}

extension SocketEnding {
  init(_ ending: WebSocketEnding) {
    if case .closed(_, let code, let reason) = ending {
      self.init(code: code, reason)
    } else {
      self.init(ending.description)
    }
  }

  /// The address comes without its query: tokens stand there.
  init(_ error: WebSocketError, of url: String) {
    let words =
      if case .notConnected(let error) = error { SessionError(error, of: url).message } else {
        "\(SessionAddress(url).shown): \(error)"
      }
    var refusal: Int?
    if case .refused(let status, _) = error { refusal = status }
    self.init(words, wasOpen: false, status: refusal)
  }
}
