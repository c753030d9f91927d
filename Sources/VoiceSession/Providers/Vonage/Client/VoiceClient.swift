internal import Networking
public import Observation

/// A client for in-app calls in the shape of the vendor's SDK, over **our own stand-in** for its wire, which is not
/// published: it talks to a back end of ours, such as the demo agent, and not to the vendor's platform. For calls with
/// that platform there is `VoiceSocket`.
///
/// ```swift
/// client.setConfig(VoiceClientConfig(webSocketURL: url))
/// client.delegate = self
/// client.createSession(token) { error, sessionID in … }
/// client.serverCall(["to": "15550100"]) { error, callID in … }
/// client.hangup(callID) { error in … }
/// ```
/// Each method comes with a completion and as `async`. Several calls may stand at once; each has sound of its own.
/// - Threads: the main actor. Sockets and sound have their own.
@MainActor @Observable
public final class VoiceClient {
  /// Where the session is.
  public private(set) var sessionState = VoiceClientSessionState.disconnected(nil)
  /// Of the session that stands, or stood last: with it, a new one takes its calls over.
  public private(set) var sessionID: String?
  /// The calls that are not over.
  public internal(set) var calls: [String: VoiceClientCall] = [:]
  /// Is told what happens.
  @ObservationIgnored public weak var delegate: (any VoiceClientDelegate)?

  @ObservationIgnored private(set) var config = VoiceClientConfig()
  @ObservationIgnored let environment: SessionEnvironment
  @ObservationIgnored private var session: HeldSession<StandInSessionDialect>?
  @ObservationIgnored private var creating: CheckedContinuation<Result<String, SessionError>, Never>?
  @ObservationIgnored private var refreshing: [CheckedContinuation<SessionError?, Never>] = []
  /// What goes to the session, one after the other.
  @ObservationIgnored private var lastRequest: Task<Void, Never>?
  @ObservationIgnored var lines: [String: VoiceClientLine] = [:]
  /// Calls without an id, in the order in which they were asked for: so they are answered.
  @ObservationIgnored var pending: [VoiceClientPendingCall] = []
  @ObservationIgnored nonisolated private let broadcast = EventBroadcast<VoiceClientEvent>(limit: 4_096) { event in
    if case .session = event { EventKind(0) } else { nil }
  }

  /// A client without a session.
  public init(environment: SessionEnvironment = .devices) {
    var environment = environment
    // The far end is a person.
    environment.holdsAgentOnSpeech = false
    self.environment = environment
  }

  /// Where the back end is; for the sessions to come.
  public func setConfig(_ config: VoiceClientConfig) { self.config = config }

  /// What the delegate is told, from now on and behind where the session is.
  public nonisolated var events: AsyncStream<VoiceClientEvent> { broadcast.stream }

  // MARK: the session

  /// Logs in.
  /// - Parameter sessionID: of a session that is to go on, with its calls; then `reconnectCall` for each.
  /// - Returns: the session's id.
  @discardableResult
  public func createSession(_ token: String, sessionID: String? = nil) async throws(SessionError) -> String {
    guard session == nil else { throw .alreadyStarted }
    guard let url = config.webSocketURL else { throw .vonageNoURL }
    let driver = SessionDriver(StandInSessionDialect(url: url, token: token, sessionID: sessionID), environment)
    session = HeldSession(driver)
    become(.connecting)
    let events = driver.events
    Task { [weak self] in
      for await event in events { self?.take(event, of: driver) }
    }
    let result = await withCheckedContinuation { waiting in
      creating = waiting
      Task { try? await driver.perform(.start) }
    }
    return try result.get()
  }

  /// Logs in anew before the token's time is over.
  public func refreshSession(_ token: String) async throws(SessionError) {
    try await tell(.refresh(token: token))
    if let error = await withCheckedContinuation({ refreshing.append($0) }) { throw error }
  }

  /// Ends all calls and logs out; returns when everything is released.
  public func deleteSession() async throws(SessionError) {
    guard let session else { throw .vonageNoSession }
    for line in lines.values {
      try? await tell(.send(.call(id: line.id, .hangup)))
      try? await line.driver.perform(.own(.hangUp))
    }
    await session.driver.end()
    for line in lines.values { await line.driver.end() }
  }

  /// Says something to the back end, behind all that was said before.
  func tell(_ command: StandInSessionDialect.Command) async throws(SessionError) {
    guard let driver = session?.driver else { throw .vonageNoSession }
    let before = lastRequest
    let request = Task { () -> SessionError? in
      await before?.value
      do throws(SessionError) {
        try await driver.perform(.own(command))
        return nil
      } catch { return error == .over ? .vonageNoSession : error }
    }
    lastRequest = Task { _ = await request.value }
    if let error = await request.value { throw error }
  }

  func publish(_ event: VoiceClientEvent) { broadcast.publish(event) }

  private func become(_ state: VoiceClientSessionState) {
    guard state != sessionState else { return }
    sessionState = state
    publish(.session(state))
  }

  private func take(
    _ event: SessionEvent<StandInSessionDialect.Notice>, of driver: SessionDriver<StandInSessionDialect>
  ) {
    guard session?.driver === driver else { return }
    switch event {
    case .notice(let notice): take(notice)
    case .state(.ended): over(nil, .over)
    case .state(.failed(let error)): over(VoiceSessionErrorReason(error), error)
    default: break
    }
  }

  private func take(_ notice: StandInSessionDialect.Notice) {
    switch notice {
    case .created(let id):
      sessionID = id
      become(.connected)
      creating?.resume(returning: .success(id))
      creating = nil
    case .refreshed: if !refreshing.isEmpty { refreshing.removeFirst().resume(returning: nil) }
    case .willReconnect:
      become(.reconnecting)
      delegate?.clientWillReconnect(self)
    case .didReconnect:
      become(.connected)
      delegate?.clientDidReconnect(self)
    case .callCreated(let id): named(id)
    case .invite(let id, let from, let channel): invited(id, from, channel)
    case .call(let id, let message): lines[id]?.receive(message)
    }
  }

  private func over(_ reason: VoiceSessionErrorReason?, _ error: SessionError) {
    session = nil
    become(.disconnected(reason))
    for call in pending { call.resolve(.failure(error)) }
    pending = []
    for waiting in refreshing { waiting.resume(returning: error) }
    refreshing = []
    if let creating {
      self.creating = nil
      creating.resume(returning: .failure(error))
    } else if let reason {
      delegate?.client(self, didReceiveSessionErrorWith: reason)
    }
  }
}
