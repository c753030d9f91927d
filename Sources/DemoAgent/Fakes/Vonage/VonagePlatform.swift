internal import Foundation
public import Networking
internal import RealtimeCore

/// The platform's end of Vonage's Voice WebSocket: dials an application, sends the caller's sound in packets of 20 ms, and
/// plays what comes back as the platform would.
///
/// Strict: a packet of another size, an action that there is not, or text that is no JSON closes with 1003, 1008 or 1007.
/// - Threads: an actor on the loop's.
public actor VonagePlatform {
  /// What a platform is told to do.
  public struct Settings: Sendable {
    /// 8000, 16000 or 24000.
    public var sampleRate = 16_000
    /// Packets that are queued for the caller.
    public var queuePackets = 3_072
    /// Laid into the first frame beside event and content type.
    public var headers: [String: String] = ["caller": "15550111"]
    /// Whether DTMF comes in the second shape that is seen: `{"dtmf":{"digit":"5"}}`.
    public var usesNestedDTMF = false

    /// 16 kHz.
    public init() {}
  }

  /// What happened on the platform's side.
  public struct Report: Sendable {
    /// What the caller heard, packet by packet; `nil` where the queue was empty.
    public var played: [[UInt8]?] = []
    /// Packets that were too many.
    public var lostPackets = 0
    /// How often the application has cleared.
    public var clearCount = 0
    /// Why the platform has closed, if it has.
    public var refusal: String?
  }

  /// The loop it lives on.
  public nonisolated let loop: EventLoop
  /// The loop; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private let settings: Settings
  private let format: FramedAudioFormat
  private let socket: WebSocket
  private var playout: VonagePlayout
  private var waiting: [UInt8] = []
  private var report_ = Report()
  private var timer: LoopTimer?
  private var isOver = false

  private init(_ socket: WebSocket, _ settings: Settings, _ format: FramedAudioFormat) {
    self.socket = socket
    self.settings = settings
    self.format = format
    loop = socket.loop
    playout = VonagePlayout(limit: settings.queuePackets)
  }

  /// Calls the application at `url`.
  /// - Precondition: a sample rate that the platform has.
  public static func dial(_ url: String, _ settings: Settings = Settings(), on loop: EventLoop)
    async throws(WebSocketError)
    -> VonagePlatform
  {
    guard let format = VonageWire.format(hertz: settings.sampleRate) else {
      preconditionFailure("VonagePlatform: \(settings.sampleRate) Hz; the platform has 8000, 16000 and 24000")
    }
    let socket = try await WebSocket.connect(to: url, on: loop, settings: FakeLink.settings)
    let platform = VonagePlatform(socket, settings, format)
    await platform.begin()
    return platform
  }

  /// What the caller says, s16le at the platform's rate; behind what is being said.
  public func say(_ bytes: [UInt8]) { waiting += bytes }

  /// The caller presses a key.
  public func press(_ digit: String, milliseconds: Int = 260) {
    send(
      settings.usesNestedDTMF
        ? ["dtmf": ["digit": .string(digit)]]
        : ["event": "websocket:dtmf", "digit": .string(digit), "duration": .integer(milliseconds)])
  }

  /// What has happened so far.
  public var report: Report {
    var report = report_
    report.lostPackets = playout.lostCount
    return report
  }

  /// The caller hangs up.
  public func hangUp() async {
    timer = nil
    isOver = true
    await socket.close()
  }

  /// Waits for the end of the connection, whoever brings it about.
  public func ended() async -> WebSocketEnding { await socket.ended() }

  private func begin() {
    var first: JSON = ["event": "websocket:connected", "content-type": .string(VonageWire.contentType(format))]
    for (key, value) in settings.headers.sorted(by: { $0.key < $1.key }) { first = first.with(key, .string(value)) }
    send(first)
    tick(EventLoop.now)
    Task { [weak self, socket] in
      while let message = await socket.next() { await self?.receive(message) }
      await self?.over()
    }
  }

  private func over() {
    isOver = true
    timer = nil
  }

  private func tick(_ due: MediaInstant) {
    guard !isOver else { return }
    let size = format.packetByteCount(milliseconds: VonageWire.packetMilliseconds)
    var packet = Array(waiting.prefix(size))
    waiting.removeFirst(packet.count)
    packet += [UInt8](repeating: 0, count: size - packet.count)
    socket.offer(packet.span)
    let step = playout.tick()
    for payload in step.marks { send(["event": "websocket:notify", "payload": payload]) }
    // An hour of packets is kept.
    if report_.played.count < 180_000 { report_.played.append(step.packet) }
    let next = due.advanced(byMilliseconds: Double(VonageWire.packetMilliseconds))
    timer = loop.schedule(at: next) { [weak self] in self?.assumeIsolated { $0.tick(next) } }
  }

  private func receive(_ message: WebSocketMessage) {
    guard !isOver else { return }
    switch message {
    case .binary(let packet):
      let size = format.packetByteCount(milliseconds: VonageWire.packetMilliseconds)
      guard packet.count == size else {
        return refuse(1003, "a packet of \(packet.count) bytes where each has \(size)")
      }
      _ = playout.push(packet)
    case .text(let text):
      guard let json = try? JSONReader.read(text), json.members != nil else {
        return refuse(1007, "text that is no JSON object")
      }
      switch json["action"]?.string {
      case "clear":
        playout.clear()
        report_.clearCount += 1
        send(["event": "websocket:cleared"])
      case "notify":
        guard let payload = json["payload"], payload.members != nil else {
          return refuse(1008, "notify without a payload object")
        }
        playout.mark(payload)
      default: refuse(1008, "an action that there is not")
      }
    }
  }

  private func refuse(_ code: Int, _ reason: String) {
    report_.refusal = reason
    over()
    Task { [socket] in await socket.close(code: code, reason: reason) }
  }

  private func send(_ json: JSON) { socket.offer(Array(json.text.utf8).span, as: .text) }
}
