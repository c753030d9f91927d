/// What happens in a call, the same for every system.
public typealias CallEvent = SessionEvent<Never>

/// A call with an agent, whatever system it lives on.
///
/// ```swift
/// let call = try await Call.start(.elevenLabs(agent: "agent-7"))
/// for await event in call.events { show(event) }        // state, transcript, agent state, tools
/// await call.end()
/// ```
/// The systems' own faces (`Conversation`, `WidgetModel`, …) show more of each.
/// - Threads: any. Letting go of it ends the call.
public final class Call: Sendable {
  private let session: any SessionHandle

  init(_ session: any SessionHandle) { self.session = session }

  deinit { Task { [session] in await session.end() } }

  /// Calls an agent; returns when both can talk. Cancelling the task gives it up.
  /// - Parameter environment: the sound and the network; the system's devices if not given.
  public static func start(
    _ agent: CallAgent, environment: SessionEnvironment = .devices
  ) async throws(SessionError) -> Call {
    let call = prepare(agent, environment: environment)
    try await call.begin()
    return call
  }

  /// A call that has not begun: its events can be read from the first on.
  public static func prepare(_ agent: CallAgent, environment: SessionEnvironment = .devices) -> Call {
    Call(agent.makeSession(environment))
  }

  /// Calls; returns when both can talk. Cancelling the task gives it up.
  public func begin() async throws(SessionError) {
    let events = events
    try await session.performCommon(.start)
    let state = await withTaskCancellationHandler {
      for await event in events {
        if case .state(let state) = event, state.isActive || state.isOver { return state }
      }
      return .ended(.local)
    } onCancel: {
      Task { [session] in await session.end() }
    }
    switch state {
    case .failed(let error): throw error
    case .ended: throw .over
    default: return
    }
  }

  /// All that happens from now on, behind what holds; ends behind `released`.
  public var events: AsyncStream<CallEvent> { session.commonEvents }

  /// Bands of both voices, 20 times a second while there is sound.
  public var levels: AsyncStream<SessionLevels> { session.levels }

  /// Counters of the sound, as they were a moment ago; `nil` without sound.
  public var snapshot: MediaSnapshot? { get async { await session.currentSnapshot } }

  /// Mutes or unmutes the microphone; before the call stands, the wish is kept.
  public func setMuted(_ isMuted: Bool) async { try? await session.performCommon(.mute(isMuted)) }

  /// Says something in writing, where the system can.
  public func sendText(_ text: String) async throws(SessionError) { try await session.performCommon(.sendText(text)) }

  /// Answers a tool call of the agent's.
  /// - Parameter result: text, or JSON as text.
  public func sendToolResult(_ result: String, for id: String, isError: Bool = false) async throws(SessionError) {
    try await session.performCommon(.toolResult(id: id, result: result, isError: isError))
  }

  /// Holds the call or takes it back, where the system can.
  public func setHeld(_ isHeld: Bool) async throws(SessionError) { try await session.performCommon(.hold(isHeld)) }

  /// Presses keys, where the system can: 0 to 9, `*`, `#`.
  public func pressKeys(_ keys: String) async throws(SessionError) { try await session.performCommon(.pressKeys(keys)) }

  /// Ends the call; at any time, any number of times. Returns when sockets and sound are released.
  public func end() async { await session.end() }
}

/// Whom to call, on which system.
public struct CallAgent: Sendable {
  let makeSession: @Sendable (SessionEnvironment) -> any SessionHandle

  /// An agent of ElevenLabs that anybody may talk to.
  public static func elevenLabs(
    agent id: String, host: ElevenLabsHost = .global, config: ConversationConfig = ConversationConfig()
  ) -> CallAgent {
    elevenLabs(.open(id: id), host: host, config: config)
  }

  /// An agent of ElevenLabs, by a signed URL, token or key.
  public static func elevenLabs(
    _ agent: ElevenLabsAgent, host: ElevenLabsHost = .global, config: ConversationConfig = ConversationConfig()
  ) -> CallAgent {
    CallAgent { SessionDriver(ElevenLabsDialect(agent, host: host, config: config), $0) }
  }
}
