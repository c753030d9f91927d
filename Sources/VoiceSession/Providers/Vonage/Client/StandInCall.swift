internal import Networking

/// One call over our stand-in for the vendor's unpublished wire, login included, for code that needs no `VoiceClient`: the
/// session brings the call's messages, the call's own core has the sound.
actor StandInCall: SessionHandle {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let session: SessionDriver<StandInSessionDialect>
  private let call: SessionDriver<StandInCallDialect>
  private let context: [String: String]
  private var callID: String?
  private var carrying: [Task<Void, Never>] = []

  init(url: String, token: String, context: [String: String], _ environment: SessionEnvironment) {
    loop = environment.loop
    self.context = context
    session = SessionDriver(StandInSessionDialect(url: url, token: token), environment)
    call = SessionDriver(StandInCallDialect(isIncoming: false), environment)
  }

  nonisolated var commonEvents: AsyncStream<CallEvent> { call.commonEvents }
  nonisolated var levels: AsyncStream<SessionLevels> { call.levels }
  var currentSnapshot: MediaSnapshot? { get async { await call.snapshot } }

  func performCommon(_ command: SessionCommand<Never>) async throws(SessionError) {
    guard case .start = command else { return try await call.performCommon(command) }
    guard carrying.isEmpty else { throw .alreadyStarted }
    let (sessionEvents, callEvents) = (session.events, call.events)
    carrying = [
      Task { for await event in sessionEvents { await take(event) } },
      Task { for await event in callEvents { await take(event) } },
    ]
    try await session.perform(.start)
  }

  func end() async {
    if let callID { try? await session.perform(.own(.send(.call(id: callID, .hangup)))) }
    await call.end()
    await session.end()
  }

  private func take(_ event: SessionEvent<StandInSessionDialect.Notice>) async {
    switch event {
    case .notice(.created): try? await session.perform(.own(.send(.callCreate(context))))
    case .notice(.callCreated(let id)):
      callID = id
      try? await call.perform(.start)
    case .notice(.call(let id, let message)):
      if id == callID { try? await call.perform(.own(.message(message))) }
    // A call that stands outlives its session; one that is still to come does not.
    case .state(.failed(let error)): if callID == nil { try? await call.perform(.own(.refused(error))) }
    default: break
    }
  }

  private func take(_ event: SessionEvent<StandInCallDialect.Notice>) async {
    switch event {
    case .notice(.send(let request)):
      if let callID { try? await session.perform(.own(.send(.call(id: callID, request)))) }
    case .state(let state): if state.isOver { Task { await session.end() } }
    default: break
    }
  }
}

extension CallAgent {
  /// A call over our own stand-in for Vonage's client wire, which is not published: to a back end of ours, not to theirs.
  /// - Parameters:
  ///   - url: of the back end's session socket.
  ///   - context: `to` says whom to call.
  public static func vonageStandIn(url: String, token: String, context: [String: String]) -> CallAgent {
    CallAgent { StandInCall(url: url, token: token, context: context, $0) }
  }
}
