internal import Networking
internal import RealtimeCore

/// The app server's end of a Voice WebSocket, without socket or clock: what comes in, what is to be sent and when.
struct VoiceSocketCore: Sendable {
  /// What to do, in order.
  enum Action: Sendable, Equatable {
    case send(WebSocketMessage)
    case tell(VoiceSocketEvent)
    case close(code: Int, reason: String)
  }

  private enum Item: Sendable {
    case packet([UInt8])
    case mark(String)
  }

  /// `nil` before the platform's first message.
  private(set) var format: VoiceSocketFormat?
  private(set) var droppedPackets = 0
  private let settings: VoiceSocketSettings
  private var pacing: VoiceSocketPacing
  /// What waits to be sent, oldest first; `first` is the place of the oldest.
  private var queue: [Item] = []
  private var first = 0
  private var packetCount = 0
  private var partial: [UInt8] = []
  /// Marks that the platform has been asked for, oldest first.
  private var marks: [String] = []
  private var isClosed = false
  private var actions: [Action] = []

  init(_ settings: VoiceSocketSettings) {
    self.settings = settings
    pacing = VoiceSocketPacing(platformPackets: settings.platformPackets)
  }

  /// What waits here and at the platform, in milliseconds of sound.
  func waitingMilliseconds(at now: MediaInstant) -> Int {
    packetCount * VoiceSocketFormat.packetMilliseconds + Int(pacing.waiting(at: now) / 1_000_000)
  }

  /// When `timePassed` is wanted.
  func nextDeadline(at now: MediaInstant) -> MediaInstant? { packetCount == 0 ? nil : pacing.due(at: now) }

  // MARK: what the platform sends

  mutating func receive(_ message: WebSocketMessage, at now: MediaInstant) -> [Action] {
    act { core in
      guard let format = core.format else { return core.greet(message) }
      switch message {
      case .binary(let packet):
        // A packet of another size is no 20 ms of this format.
        guard packet.count == format.packetByteCount else { return core.droppedPackets += 1 }
        core.actions.append(.tell(.audio(packet)))
      case .text(let text):
        switch VoiceSocketPlatformMessage(text) {
        case .digit(let digit): core.actions.append(.tell(.digit(digit)))
        case .cleared: core.actions.append(.tell(.cleared))
        case .played(let mark):
          // One that was cleared in the meantime does not count, even if it was played just before.
          guard let place = core.marks.firstIndex(of: mark) else { return }
          core.marks.remove(at: place)
          core.actions.append(.tell(.played(mark: mark)))
        case .connected, .unsupported, nil: break
        }
      }
    }
  }

  private mutating func greet(_ message: WebSocketMessage) {
    guard case .text(let text) = message else { return refuse(1002, "sound came before websocket:connected") }
    switch VoiceSocketPlatformMessage(text) {
    case .connected(let format, let headers):
      self.format = format
      actions.append(.tell(.connected(VoiceSocketInfo(format: format, headers: headers))))
    case .unsupported(let contentType):
      refuse(1003, "\(contentType.prefix(60)) is not audio/l16 at 8000, 16000 or 24000")
    default: refuse(1002, "the first message is not websocket:connected")
    }
  }

  private mutating func refuse(_ code: Int, _ reason: String) {
    isClosed = true
    actions.append(.close(code: code, reason: reason))
  }

  // MARK: what the app sends

  /// Takes sound of any length.
  mutating func send(_ sound: [UInt8], at now: MediaInstant) throws(VoiceSocketError) -> [Action] {
    guard let format, !isClosed else { throw .notConnected }
    let size = format.packetByteCount
    let added = (partial.count + sound.count) / size
    guard packetCount + added <= settings.largestBacklogPackets else {
      throw .backlogFull(packets: packetCount, limit: settings.largestBacklogPackets)
    }
    var rest = sound[...]
    while partial.count + rest.count >= size {
      let missing = size - partial.count
      push(.packet(partial + rest.prefix(missing)))
      rest = rest.dropFirst(missing)
      partial = []
    }
    partial += rest
    return timePassed(at: now)
  }

  /// What was sent is a whole: the last packet is filled up with silence.
  mutating func finish(at now: MediaInstant) -> [Action] {
    fill()
    return timePassed(at: now)
  }

  /// Wants to know when all that was sent before has been played.
  mutating func mark(_ mark: String, at now: MediaInstant) throws(VoiceSocketError) -> [Action] {
    guard format != nil, !isClosed else { throw .notConnected }
    fill()
    push(.mark(mark))
    return timePassed(at: now)
  }

  /// Drops all that was not played, here and there.
  mutating func clear() throws(VoiceSocketError) -> [Action] {
    guard format != nil, !isClosed else { throw .notConnected }
    queue = []
    (first, packetCount) = (0, 0)
    partial = []
    marks = []
    pacing.cleared()
    return [.send(.text(VoiceSocketServerMessage.clear.text))]
  }

  /// Sends what is due.
  mutating func timePassed(at now: MediaInstant) -> [Action] {
    act { core in
      while core.first < core.queue.count {
        switch core.queue[core.first] {
        case .mark(let mark):
          core.marks.append(mark)
          core.actions.append(.send(.text(VoiceSocketServerMessage.notify(mark: mark).text)))
        case .packet(let packet):
          guard core.pacing.due(at: now) <= now else { return core.compact() }
          core.pacing.sent(at: now)
          core.packetCount -= 1
          core.actions.append(.send(.binary(packet)))
        }
        core.first += 1
      }
      core.compact()
    }
  }

  /// The socket is gone.
  mutating func closed() {
    isClosed = true
    queue = []
    (first, packetCount) = (0, 0)
  }

  private mutating func fill() {
    guard let format, !partial.isEmpty else { return }
    push(.packet(partial + [UInt8](repeating: 0, count: format.packetByteCount - partial.count)))
    partial = []
  }

  private mutating func push(_ item: Item) {
    if case .packet = item { packetCount += 1 }
    queue.append(item)
  }

  private mutating func compact() {
    guard first > 512 || first == queue.count else { return }
    queue.removeFirst(first)
    first = 0
  }

  private mutating func act(_ body: (inout Self) -> Void) -> [Action] {
    guard !isClosed else { return [] }
    body(&self)
    defer { actions = [] }
    return actions
  }
}
