internal import Foundation
internal import MediaEngine
package import Networking
internal import RTPTransport
internal import RealtimeCore

/// Carries out what a session core wants, on an event loop: sockets, requests, timers and the sound.
///
/// - Threads: an actor on the loop's thread. The sound runs on its device's.
package actor SessionDriver<D: SessionDialect> {
  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  let environment: SessionEnvironment
  private var core: SessionCore<D>
  private nonisolated let broadcast: EventBroadcast<SessionEvent<D.Notice>>
  private nonisolated let levelBroadcast = EventBroadcast<SessionLevels>(limit: 1) { _ in EventKind(0) }
  private let http: HTTPClient
  private var requests: [Int: (purpose: D.Request, task: Task<Void, Never>)] = [:]
  private var requestCount = 0
  private var isFarewellOver = false
  var sockets: [SocketKey<D.Socket>: Task<Void, Never>] = [:]
  var openSockets: [SocketKey<D.Socket>: WebSocket] = [:]
  var closing: [Task<Void, Never>] = []
  /// Counts the sounds that were opened: what comes from one that was closed is not told.
  var soundNumber = 0
  /// Those that were closed and are still ending.
  var endingSounds: [Int: (stream: StreamSound?, peer: PeerSound?)] = [:]
  var stream: StreamSound?
  var peer: PeerSound?
  var pumpTimer: LoopTimer?
  var watch = SoundWatch()
  private var timer: LoopTimer?
  /// When that timer comes; `nil` when there is none.
  private var deadline: MediaInstant?
  private var releasing: Task<Void, Never>?
  private var isReleased = false
  private var releaseWaiters: [CheckedContinuation<Void, Never>] = []

  /// A session that has done nothing yet.
  package init(_ dialect: D, _ environment: SessionEnvironment) {
    self.environment = environment
    loop = environment.loop
    http = HTTPClient(on: environment.loop, settings: environment.http)
    var settings = SessionSettings()
    settings.allowsUnencrypted = environment.allowsUnencrypted
    settings.holdsAgentOnSpeech = environment.holdsAgentOnSpeech
    settings.secondsSince1970AtZero = Date().timeIntervalSince1970 - Double(EventLoop.now.nanoseconds) * 1e-9
    core = SessionCore(dialect, settings: settings, at: EventLoop.now)
    broadcast = EventBroadcast(limit: 16_384) { event in
      switch event {
      case .transcript(let item): EventKind(0, item.id)
      case .mute: EventKind(1)
      case .agentState: EventKind(2)
      case .state: EventKind(3)
      case .released: EventKind(4)
      case .interruption, .toolCall, .spoken, .notice, .problem: nil
      }
    }
  }

  /// All that happens, behind what holds now; ends behind `released`.
  package nonisolated var events: AsyncStream<SessionEvent<D.Notice>> { broadcast.stream }

  /// Levels for a visualizer, 20 a second while there is sound; a slow reader gets the newest.
  package nonisolated var levels: AsyncStream<SessionLevels> { levelBroadcast.stream }

  /// Where the session stands.
  package var state: SessionState { core.state }
  /// Who mutes the microphone.
  package var mute: SessionMute { core.mute }
  /// What the dialect knows.
  package var ownState: D { core.ownState }
  /// The engine as it was a moment ago; `nil` before sound has begun.
  package var snapshot: MediaSnapshot? {
    get async {
      if let stream { return stream.snapshot }
      return await peer?.connection.snapshot
    }
  }

  /// Tells the session what the app wants.
  package func perform(_ command: SessionCommand<D.Command>) throws(SessionError) {
    let (actions, refusal) = core.perform(command, at: EventLoop.now)
    carryOut(actions)
    if let refusal { throw refusal }
  }

  /// Ends the session; at any time, any number of times. Returns when everything is released.
  package func end() async {
    try? perform(.end)
    if !isReleased { await withCheckedContinuation { releaseWaiters.append($0) } }
  }

  /// Tells the session what has happened.
  func take(_ input: SessionInput<D>) { carryOut(core.handle(input, at: EventLoop.now)) }

  private func carryOut(_ actions: [SessionAction<D>]) {
    for action in actions {
      switch action {
      case .request(let purpose, let request): send(request, for: purpose)
      case .open(let key, let request): open(key, request)
      case .send(let key, let message): send(message, to: key)
      case .close(let key, let code): close(key, code: code)
      case .media(let action): carryOut(action)
      case .publish(let event): broadcast.publish(event)
      case .release: release()
      }
    }
    setTimer()
  }

  private func setTimer() {
    // Most of what comes moves no deadline.
    guard core.nextDeadline != deadline else { return }
    deadline = core.nextDeadline
    timer = deadline.map { deadline in
      loop.schedule(at: deadline) { [weak self] in
        self?.assumeIsolated { driver in
          driver.deadline = nil
          driver.take(.timePassed)
        }
      }
    }
  }

  private func send(_ request: HTTPRequest, for purpose: D.Request) {
    requestCount += 1
    let number = requestCount
    let task = Task {
      let result: Result<HTTPResponse, SessionError>
      do throws(HTTPError) { result = .success(try await http.send(request)) } catch {
        result = .failure(SessionError(error, of: request.url))
      }
      requests[number] = nil
      take(.answered(purpose, result))
    }
    requests[number] = (purpose, task)
    if isFarewellOver { task.cancel() }
  }

  private func release() {
    guard releasing == nil else { return }
    releasing = Task {
      for request in requests.values where !D.outlivesEnd(request.purpose) { request.task.cancel() }
      for key in Array(sockets.keys) { close(key, code: 1000) }
      closeSound()
      for task in closing { await task.value }
      await endRequests()
      take(.released)
      broadcast.finish()
      levelBroadcast.finish()
      isReleased = true
      for waiter in releaseWaiters { waiter.resume() }
      releaseWaiters = []
    }
  }

  /// Waits for the requests that outlive the session, and those that come of their answers, as long as the environment
  /// allows.
  private func endRequests() async {
    let deadline = EventLoop.now.advanced(byNanoseconds: Int64(environment.farewellSeconds * 1e9))
    let end = loop.schedule(at: deadline) { [weak self] in
      self?.assumeIsolated { driver in
        driver.isFarewellOver = true
        for request in driver.requests.values { request.task.cancel() }
      }
    }
    while let request = requests.values.first { await request.task.value }
    end.cancel()
  }

  func publish(_ levels: SessionLevels) { levelBroadcast.publish(levels) }
}

extension SessionError {
  /// No query, no header, no body of the request is in it.
  init(_ error: HTTPError, of url: String) {
    let place = SessionAddress(url).shown
    switch error {
    case .invalidURL: self.init(.configuration, "\(place) is no address that serves here", isRetryable: false)
    case .timedOut: self.init(.timeout, "\(place): \(error)", isRetryable: true)
    // Where it was sent to is as much of a secret as where it was sent.
    case .insecureRedirect(let target):
      self.init(.network, "\(place) redirects to \(SessionAddress(target).shown), without TLS", isRetryable: false)
    default: self.init(.network, "\(place): \(error)", isRetryable: error.isRetryable)
    }
  }
}
