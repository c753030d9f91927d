public import Networking

/// Why a demo agent does not start.
public enum DemoAgentError: Error, Sendable, CustomStringConvertible {
  /// It cannot hear or speak.
  case speech(SpeechError)
  /// It cannot listen.
  case server(HTTPServerError)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .speech(let error): "\(error)"
    case .server(let error): "\(error)"
    }
  }
}

/// A voice agent on this machine that speaks a vendor's protocol, as strict as the vendor: for demos and tests without
/// network and account.
///
/// ```swift
/// let agent = try await DemoAgentServer.start(as: .elevenLabs, on: loop)
/// print(agent.url)                                      // ws://127.0.0.1:43017/v1/convai/conversation
/// for await event in agent.events { print(event.json) }
/// ```
/// It hears by pocketsphinx and speaks by flite, whose licences are of BSD's kind; nothing leaves the machine.
/// - Threads: any.
public actor DemoAgentServer {
  /// Whose protocol it speaks.
  public nonisolated let vendor: Vendor
  /// Where it listens.
  public nonisolated let port: UInt16
  /// What a client of the vendor's calls.
  public nonisolated let url: String
  private nonisolated let log: AgentLog
  private let server: HTTPServer
  private let fake: any VendorFake

  private init(
    _ vendor: Vendor, _ server: HTTPServer, port: UInt16, url: String, _ fake: any VendorFake, _ log: AgentLog
  ) {
    self.vendor = vendor
    self.server = server
    self.port = port
    self.url = url
    self.fake = fake
    self.log = log
  }

  /// Loads ears and voice if they are needed, and listens.
  /// - Parameter port: 0 takes a free one.
  public static func start(
    as vendor: Vendor, at address: HTTPServer.Address = .numeric("127.0.0.1"), port: UInt16 = 0,
    settings: DemoAgentSettings = DemoAgentSettings(), on loop: EventLoop
  ) async throws(DemoAgentError) -> DemoAgentServer {
    let log = AgentLog()
    var worker: SpeechWorker?
    if settings.voice.needsSpeech {
      do { worker = try await SpeechWorker.load(voice: settings.mind.voice) } catch { throw .speech(error) }
    }
    let context = FakeContext(settings: settings, worker: worker, log: log, loop: loop)
    let fake = makeFake(vendor, context)
    let gate = RequestGate(settings.misbehaviour, log)
    let server: HTTPServer
    do {
      server = try await HTTPServer.start(on: loop, at: address, port: port) { request in
        if let failure = await gate.pass(request) { return failure }
        return await fake.answer(request)
      }
    } catch { throw .server(error) }
    let port = await server.port
    let host =
      switch address {
      case .numeric(let text): text.contains(":") ? "[\(text)]" : text
      case .loopback, .any: "127.0.0.1"
      }
    let place = "\(host):\(port)"
    await fake.listening(at: place)
    return DemoAgentServer(vendor, server, port: port, url: await fake.url(at: place), fake, log)
  }

  private static func makeFake(_ vendor: Vendor, _ context: FakeContext) -> any VendorFake {
    switch vendor {
    case .elevenLabs: ElevenLabsFake(context)
    case .habla: HablaFake(context)
    case .vonage: VonageFake(context)
    case .telnyx: TelnyxFake(context)
    case .polyAI: PolyAIFake(context)
    }
  }

  /// What happens from now on; ends with `stop`.
  public nonisolated var events: AsyncStream<AgentEvent> { log.broadcast.stream }

  /// All that came in so far, oldest first; of more than 40,000 frames the newest.
  public nonisolated var received: [ReceivedFrame] { log.frames }

  /// Ends all calls and stops listening.
  public func stop() async {
    await fake.stop()
    await server.stop()
    log.broadcast.finish()
  }
}

/// What all of a server's sessions share.
struct FakeContext: Sendable {
  let settings: DemoAgentSettings
  let worker: SpeechWorker?
  let log: AgentLog
  let loop: EventLoop
}

/// One vendor's server.
protocol VendorFake: Sendable {
  init(_ context: FakeContext)
  /// Told once, before the first request.
  func listening(at place: String) async
  /// What clients are given.
  func url(at place: String) async -> String
  func answer(_ request: HTTPServerRequest) async -> HTTPServerResponse
  /// Ends what is beside the WebSockets, which the server closes.
  func stop() async
}

extension VendorFake {
  func listening(at place: String) async {}
  func stop() async {}
}

/// Notes each request, and answers those that are to fail.
private actor RequestGate {
  private let misbehaviour: Misbehaviour
  private let log: AgentLog
  private var failureCount = 0

  init(_ misbehaviour: Misbehaviour, _ log: AgentLog) {
    self.misbehaviour = misbehaviour
    self.log = log
  }

  func pass(_ request: HTTPServerRequest) async -> HTTPServerResponse? {
    log.note(.request(request), socket: 0)
    let kind = "\(request.method) \(request.path)"
    if let failing = misbehaviour.failsRequest, failing.step.kind == kind, failureCount < failing.step.occurrence {
      failureCount += 1
      return .json(failing.status, ["detail": "as it was told to"])
    }
    if misbehaviour.fallsSilentAt?.kind == kind {
      // Until the client gives up.
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(50)) }
    }
    if !request.wantsWebSocket, misbehaviour.delaySeconds > 0 {
      try? await Task.sleep(for: .seconds(misbehaviour.delaySeconds))
    }
    return nil
  }
}

extension HTTPServerResponse {
  /// A status with JSON.
  static func json(_ status: Int, _ value: JSON, headers: HTTPHeaders = [:]) -> HTTPServerResponse {
    var headers = headers
    headers["Content-Type"] = "application/json"
    return .answer(status, headers: headers, body: Array(value.text.utf8))
  }
}

extension AgentVoice {
  var needsSpeech: Bool {
    switch self {
    case .mind: true
    case .tone, .echo: false
    case .script(let steps): steps.contains { if case .say = $0 { true } else { false } }
    }
  }
}
