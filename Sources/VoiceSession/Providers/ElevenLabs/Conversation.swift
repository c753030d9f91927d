public import Observation

/// A conversation with an agent of ElevenLabs, for an app's views and for code without any.
///
/// ```swift
/// let conversation = try await ElevenLabs.startConversation(agentID: "agent-7")
/// for await levels in conversation.levels { … }         // or observe messages, state, agentState
/// try await conversation.sendMessage("Hello!")
/// await conversation.endConversation()
/// ```
/// - Threads: the main actor. Sockets and sound have their own.
@MainActor @Observable
public final class Conversation {
  /// Where it stands.
  public private(set) var state = ConversationState.idle
  /// How far the start is.
  public private(set) var startupState = ConversationStartupState.idle
  /// Where the time of the last start went.
  public private(set) var startupMetrics = ConversationStartupMetrics()
  /// All lines, in the order of their turns.
  public private(set) var messages: [Message] = []
  /// What the agent does.
  public private(set) var agentState = AgentState.listening
  /// Whether the agent hears silence. True until the microphone is on.
  public private(set) var isMuted = true
  /// What the agent wants of the app and waits for.
  public private(set) var pendingToolCalls: [ToolCall] = []
  /// The newest state of each call over the model context protocol.
  public private(set) var mcpToolCalls: [String: MCPToolCall] = [:]
  /// Which integrations are connected.
  public private(set) var mcpConnectionStatus: [MCPIntegration] = []
  /// The conversation's number and formats.
  public private(set) var conversationMetadata: ConversationMetadata?
  /// The times of the newest piece of sound that had any.
  public private(set) var latestAudioAlignment: AudioAlignment?
  /// Whether a turn can be rated now.
  public private(set) var canSendFeedback = false

  @ObservationIgnored private let agent: @Sendable () async throws -> ElevenLabsAgent
  @ObservationIgnored private let host: ElevenLabsHost
  @ObservationIgnored private let config: ConversationConfig
  @ObservationIgnored private let environment: SessionEnvironment
  @ObservationIgnored private var held: HeldSession<ElevenLabsDialect>?
  @ObservationIgnored private var reading: Task<Void, Never>?
  @ObservationIgnored private var wishesMute = false
  @ObservationIgnored private var agentID = ""
  @ObservationIgnored private var starting: CheckedContinuation<Void, Never>?

  /// A conversation that has not begun.
  /// - Parameter agent: asked at each start, as signed URLs and tokens serve only once.
  public init(
    with agent: @escaping @Sendable () async throws -> ElevenLabsAgent, host: ElevenLabsHost = .global,
    config: ConversationConfig = ConversationConfig(), environment: SessionEnvironment = .devices
  ) {
    self.agent = agent
    self.host = host
    self.config = config
    self.environment = environment
  }

  /// Begins the conversation; returns when both can talk. Cancelling the task gives it up.
  public func startConversation() async throws(ConversationError) {
    switch state {
    case .idle, .ended, .error: break
    case .connecting, .active: throw .alreadyActive
    }
    wipe()
    state = .connecting
    let agent: ElevenLabsAgent
    do { agent = try await self.agent() } catch {
      return try fail(.authenticationFailed("the app's own source of the agent's address failed: \(error)"))
    }
    // It may have been ended while the app's server was asked.
    guard state == .connecting else { throw .notConnected }
    agentID = agent.id
    let driver = SessionDriver(ElevenLabsDialect(agent, host: host, config: config), environment)
    held = HeldSession(driver)
    reading = Task { [weak self, events = driver.events] in
      for await event in events { self?.take(event) }
    }
    do throws(SessionError) {
      if wishesMute { try await driver.perform(.mute(true)) }
      try await driver.perform(.start)
    } catch { return try fail(ConversationError(error)) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        if state == .connecting { starting = waiting } else { waiting.resume() }
      }
    } onCancel: {
      Task { await driver.end() }
    }
    switch state {
    case .active: return
    case .error(let error): throw error
    case .idle, .connecting, .ended: throw .notConnected
    }
  }

  /// Ends it; at any time, any number of times. Returns when sockets and sound are released.
  public func endConversation() async {
    guard let driver else {
      if state == .connecting { state = .idle }
      return
    }
    await driver.end()
    await reading?.value
  }

  /// Says something in writing.
  public func sendMessage(_ text: String) async throws(ConversationError) { try await perform(.sendText(text)) }

  /// Mutes or unmutes the microphone. Before the conversation stands, the wish is kept.
  public func setMuted(_ isMuted: Bool) async throws(ConversationError) {
    wishesMute = isMuted
    guard let driver, state == .connecting || state.isActive else { return }
    do { try await driver.perform(.mute(isMuted)) } catch { throw ConversationError(error) }
  }

  /// The other way round.
  public func toggleMute() async throws(ConversationError) { try await setMuted(!wishesMute) }

  /// Tells the agent that the user is there, which stops its speech.
  public func interruptAgent() async throws(ConversationError) { try await perform(.own(.userActivity)) }

  /// Tells the agent something without a turn of its own.
  public func updateContext(_ text: String, contextID: String? = nil) async throws(ConversationError) {
    try await perform(.own(.contextualUpdate(text, contextID: contextID)))
  }

  /// Rates a turn; `nil` takes the rating back.
  public func sendFeedback(isLike: Bool?, eventID: Int) async throws(ConversationError) {
    try await perform(.own(.feedback(isLike: isLike, eventID: eventID)))
  }

  /// Answers a call of a tool.
  /// - Parameter result: text, or JSON as text.
  public func sendToolResult(
    for id: String, result: String, isError: Bool = false, errorType: ToolErrorType? = nil
  ) async throws(ConversationError) {
    try await perform(.own(.toolResult(id: id, result: result, isError: isError, errorType: errorType)))
    pendingToolCalls.removeAll { $0.id == id }
  }

  /// Takes a call of a tool off the list without an answer.
  public func markToolCallCompleted(_ id: String) {
    pendingToolCalls.removeAll { $0.id == id }
    if let driver { Task { try? await driver.perform(.own(.forgetTool(id: id))) } }
  }

  /// Allows or refuses a call over the model context protocol.
  public func sendMCPToolApproval(_ id: String, approved: Bool) async throws(ConversationError) {
    try await perform(.own(.approve(mcpCall: id, approved)))
  }

  /// What happens, in order, from now on and behind what holds; ends with the conversation that runs now.
  public var events: AsyncStream<SessionEvent<ElevenLabsNotice>> {
    driver?.events ?? AsyncStream { $0.finish() }
  }

  /// Bands of both voices, 20 times a second while there is sound.
  public var levels: AsyncStream<SessionLevels> { driver?.levels ?? AsyncStream { $0.finish() } }

  /// Counters of the sound, as they were a moment ago; `nil` without sound.
  public var snapshot: MediaSnapshot? { get async { await driver?.snapshot } }

  private var driver: SessionDriver<ElevenLabsDialect>? { held?.driver }

  private func perform(
    _ command: SessionCommand<ElevenLabsDialect.Command>
  ) async throws(ConversationError) {
    guard let driver, state.isActive else { throw .notConnected }
    do { try await driver.perform(command) } catch { throw ConversationError(error) }
  }

  private func fail(_ error: ConversationError) throws(ConversationError) {
    state = .error(error)
    config.callbacks.onError?(error)
    throw error
  }

  private func wipe() {
    reading?.cancel()
    held = nil
    messages = []
    pendingToolCalls = []
    mcpToolCalls = [:]
    mcpConnectionStatus = []
    conversationMetadata = nil
    latestAudioAlignment = nil
    canSendFeedback = false
    agentState = .listening
    startupState = .idle
    isMuted = true
  }
}

// What the session tells, one after the other.
extension Conversation {
  private func take(_ event: SessionEvent<ElevenLabsNotice>) {
    let callbacks = config.callbacks
    switch event {
    case .state(let state): take(state)
    case .mute(let mute): if state.isActive { isMuted = mute.isMuted }
    case .agentState(let new):
      agentState = new
      callbacks.onAgentStateChange?(new)
    case .transcript(let item): upsert(item)
    case .interruption(let interruption): callbacks.onInterruption?(interruption)
    case .toolCall(let call):
      guard let handler = callbacks.onToolCall else { return refuse(call) }
      if !pendingToolCalls.contains(where: { $0.id == call.id }) { pendingToolCalls.append(call) }
      handler(call)
    case .spoken(let text): callbacks.onSpokenText?(text)
    case .notice(let notice): take(notice)
    case .problem(let error): callbacks.onError?(ConversationError(error))
    case .released: break
    }
  }

  private func take(_ session: SessionState) {
    switch session {
    case .idle, .preparing, .connecting, .ringing: return
    case .active:
      guard !state.isActive else { return }
      state = .active(CallInfo(agentID: agentID))
      isMuted = wishesMute
      config.callbacks.onAgentReady?()
    case .ended(let ending):
      let stood = state.isActive
      let reason: EndReason = ending == .local ? .userEnded : .remoteDisconnected
      state = stood ? .ended(reason) : .idle
      settle()
      if stood { config.callbacks.onDisconnect?(reason) }
    case .failed(let error):
      let stood = state.isActive
      state = stood ? .ended(.remoteDisconnected) : .error(ConversationError(error))
      settle()
      config.callbacks.onError?(ConversationError(error))
      if stood { config.callbacks.onDisconnect?(.remoteDisconnected) }
    }
    starting?.resume()
    starting = nil
  }

  /// The transcript stays; what waited does not.
  private func settle() {
    pendingToolCalls = []
    latestAudioAlignment = nil
    canSendFeedback = false
    agentState = .listening
    isMuted = true
  }

  private func upsert(_ item: TranscriptItem) {
    let message = Message(
      id: item.id, role: item.role, content: item.text, timestamp: item.timestamp, eventID: item.turn)
    if let place = messages.firstIndex(where: { $0.id == item.id }) {
      messages[place] = message
    } else if item.role == .user, let turn = item.turn,
      let answer = messages.firstIndex(where: { $0.role == .agent && $0.eventID == turn })
    {
      // The server may tell what was asked behind what was answered.
      messages.insert(message, at: answer)
    } else {
      messages.append(message)
    }
    switch item.role {
    case .user: config.callbacks.onUserTranscript?(message)
    case .agent: config.callbacks.onAgentResponse?(message)
    }
  }

  private func take(_ notice: ElevenLabsNotice) {
    let callbacks = config.callbacks
    switch notice {
    case .metadata(let metadata):
      conversationMetadata = metadata
      callbacks.onConversationMetadata?(metadata)
    case .startup(let startup):
      startupState = startup
      switch startup {
      case .active(let metrics), .failed(_, let metrics): startupMetrics = metrics
      default: break
      }
      callbacks.onStartupStateChange?(startup)
    case .audio(_, let alignment):
      if let alignment {
        latestAudioAlignment = alignment
        callbacks.onAudioAlignment?(alignment)
      }
    case .correction(let id, let original, let corrected):
      callbacks.onAgentResponseCorrection?(original, corrected, id)
    case .canSendFeedback(let can):
      guard can != canSendFeedback else { return }
      canSendFeedback = can
      callbacks.onCanSendFeedbackChange?(can)
    case .vadScore(let score): callbacks.onVADScore?(score)
    case .mcpToolCall(let call): mcpToolCalls[call.id] = call
    case .mcpConnectionStatus(let status): mcpConnectionStatus = status
    case .mutedSpeech: callbacks.onMutedSpeech?()
    case .tentativeUserTranscript, .toolRequest, .toolResponse, .responseComplete, .guardrail, .other: break
    }
    callbacks.onNotice?(notice)
  }

  /// Nobody in the app takes calls of tools: the agent is not left waiting.
  private func refuse(_ call: ToolCall) {
    guard call.expectsResult else { return markToolCallCompleted(call.id) }
    let answer = "the app has no tool named \(call.name)"
    Task { try? await sendToolResult(for: call.id, result: answer, isError: true, errorType: .externalClient) }
  }
}

extension ElevenLabsAgent {
  var id: String {
    switch self {
    case .open(let id), .token(_, let id), .apiKey(_, let id): id
    case .signedURL: ""
    }
  }
}
