/// One call of a client: a session core with sound of its own, and what the client notes of it.
@MainActor final class VoiceClientLine {
  let id: String
  let driver: SessionDriver<StandInCallDialect>
  /// What the engine measured last.
  var quality: CallQuality?
  /// Wait for the call to stand or to be over.
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private let held: HeldSession<StandInCallDialect>
  private let messages: AsyncStream<StandInCallMessage>.Continuation
  private var tasks: [Task<Void, Never>] = []

  /// Begins the call.
  /// - Parameters:
  ///   - take: gets what the call tells, in order.
  ///   - measure: gets the engine's counters once a second.
  init(
    _ id: String, isIncoming: Bool, reconnectsMedia: Bool, _ environment: SessionEnvironment,
    take: @escaping @MainActor (SessionEvent<StandInCallDialect.Notice>) -> Void,
    measure: @escaping @MainActor (MediaSnapshot) -> Void
  ) {
    self.id = id
    let driver = SessionDriver(
      StandInCallDialect(isIncoming: isIncoming, reconnectsMedia: reconnectsMedia), environment)
    self.driver = driver
    held = HeldSession(driver)
    let events = driver.events
    let (stream, messages) = AsyncStream.makeStream(of: StandInCallMessage.self)
    self.messages = messages
    tasks = [
      Task {
        for await event in events { take(event) }
        messages.finish()
      },
      Task {
        try? await driver.perform(.start)
        for await message in stream { try? await driver.perform(.own(.message(message))) }
      },
      Task { [weak self] in
        var meter = CallQualityMeter()
        while !Task.isCancelled, self != nil {
          try? await Task.sleep(for: .seconds(1))
          guard let snapshot = await driver.snapshot, !Task.isCancelled else { continue }
          if let quality = meter.take(snapshot) { self?.quality = quality }
          measure(snapshot)
        }
      },
    ]
  }

  /// The back end says something of it.
  func receive(_ message: StandInCallMessage) { messages.yield(message) }

  /// Waits until something about it has changed.
  func changed() async { await withCheckedContinuation { waiters.append($0) } }

  /// Something about it has changed.
  func change() {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume() }
  }

  /// It is released: nothing of it runs any more.
  func close() {
    messages.finish()
    tasks.last?.cancel()
    change()
  }
}

/// A call that has no id yet.
@MainActor final class VoiceClientPendingCall {
  private(set) var result: Result<String, SessionError>?
  /// The user does not want it any more.
  var isUnwanted = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func resolve(_ result: Result<String, SessionError>) {
    guard self.result == nil else { return }
    self.result = result
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func value() async throws(SessionError) -> String {
    if result == nil { await withCheckedContinuation { waiters.append($0) } }
    switch result {
    case .success(let id): return id
    case .failure(let error): throw error
    case nil: throw .vonageNoSession
    }
  }
}
