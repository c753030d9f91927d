internal import Networking
internal import RealtimeCore

/// A fake's end of one WebSocket: sends in order, and misbehaves as it was told to.
///
/// - Threads: the loop's.
final class FakeLink: @unchecked Sendable {
  let socket: WebSocket
  let number: Int
  private let log: AgentLog
  private let misbehaviour: Misbehaviour
  private var counts: [String: Int] = [:]
  private var total = 0
  private var heldBack: WebSocketMessage?
  private var isSilent = false
  private(set) var isOver = false
  private var waiting: [(due: MediaInstant, message: WebSocketMessage)] = []
  private var timer: LoopTimer?

  init(_ socket: WebSocket, _ log: AgentLog, _ misbehaviour: Misbehaviour) {
    self.socket = socket
    self.log = log
    self.misbehaviour = misbehaviour
    number = log.newSocket()
  }

  /// How fakes take WebSockets: an answer of many seconds goes out at once, and waits here for slow clients.
  static var settings: WebSocketSettings {
    var settings = WebSocketSettings()
    settings.sendBufferBytes = 64 << 20
    settings.sendBacklogBytes = 64 << 20
    return settings
  }

  /// The next message, noted down.
  func next() async -> WebSocketMessage? {
    guard let message = await socket.next() else { return nil }
    log.note(.message(message), socket: number)
    return message
  }

  /// Sends a JSON message of that kind.
  func send(_ kind: String, _ json: JSON) {
    send(kind, .text((misbehaviour.usesWrongTypes ? Self.mistyped(json) : json).text))
  }

  /// Sends sound, or other bytes.
  func send(_ bytes: [UInt8]) { send("binary", .binary(bytes)) }

  /// Sends a message as it is.
  func send(_ kind: String, _ message: WebSocketMessage) {
    guard !isOver, !isSilent else { return }
    total += 1
    counts[kind, default: 0] += 1
    let step = Misbehaviour.Step(kind, counts[kind] ?? 1)
    if misbehaviour.fallsSilentAt == step {
      isSilent = true
      return
    }
    if misbehaviour.abortsAt == step { return abort() }
    if let closing = misbehaviour.closesAt, closing.step == step { return close(closing.code, "as it was told to") }
    if isNth(misbehaviour.dropEvery) { return }
    if isNth(misbehaviour.reorderEvery), heldBack == nil {
      heldBack = message
      return
    }
    pass(message)
    if isNth(misbehaviour.duplicateEvery) { pass(message) }
    if let held = heldBack {
      heldBack = nil
      pass(held)
    }
  }

  /// Closes behind what was sent.
  func close(_ code: Int, _ reason: String) {
    guard !isOver else { return }
    if let held = heldBack { pass(held) }
    isOver = true
    let last = waiting.last?.due
    let closing: @Sendable () -> Void = { [socket] in
      Task { await socket.close(code: code, reason: reason) }
    }
    if let last {
      closer = socket.loop.schedule(at: last.advanced(byMilliseconds: 1), closing)
    } else {
      closing()
    }
  }

  private var closer: LoopTimer?

  /// Shuts the connection as a crash would.
  func abort() {
    guard !isOver else { return }
    isOver = true
    socket.assumeIsolated { $0.abort() }
  }

  /// Where to cut sound: `size`, or what the misbehaviour says.
  func cut(_ bytes: [UInt8], every size: Int) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    var odd = 1
    while start < bytes.count {
      let count = misbehaviour.usesOddSizes ? odd : size
      odd = (odd * 7 + 4) % 10_000 | 1
      pieces.append(Array(bytes[start..<min(bytes.count, start + count)]))
      start += count
    }
    return pieces
  }

  private func isNth(_ every: Int?) -> Bool { every.map { $0 > 0 && total % $0 == 0 } ?? false }

  private func pass(_ message: WebSocketMessage) {
    guard misbehaviour.delaySeconds > 0 else { return put(message) }
    waiting.append((EventLoop.now.advanced(byMilliseconds: misbehaviour.delaySeconds * 1_000), message))
    arm()
  }

  private func arm() {
    guard timer == nil, let first = waiting.first else { return }
    timer = socket.loop.schedule(at: first.due) { [weak self] in
      guard let self else { return }
      timer = nil
      while let first = waiting.first, first.due <= EventLoop.now {
        waiting.removeFirst()
        put(first.message)
      }
      arm()
    }
  }

  private func put(_ message: WebSocketMessage) {
    switch message {
    case .text(let text): socket.offer(Array(text.utf8).span, as: .text)
    case .binary(let bytes): socket.offer(bytes.span, as: .binary)
    }
  }

  private static func mistyped(_ json: JSON) -> JSON {
    switch json {
    case .number: .string(json.text)
    case .bool(let value): .number(value ? 1 : 0)
    case .array(let values): .array(values.map(mistyped))
    case .object(let members): .object(members.map { .init(key: $0.key, value: mistyped($0.value)) })
    case .null, .string: json
    }
  }
}

/// What a fake does not accept: how it closes.
struct Refusal: Error {
  let code: Int
  let reason: String

  init(_ code: Int, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
