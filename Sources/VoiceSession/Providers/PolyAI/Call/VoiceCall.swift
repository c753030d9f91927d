internal import Dispatch
internal import Networking
public import Observation

/// One call with a PolyAI agent. Used once: a retry makes a new one.
///
/// - Threads: the main actor. Sockets and sound have their own. Letting go of it ends the call.
@MainActor @Observable
public final class VoiceCall {
  /// Where it stands.
  public private(set) var state = VoiceCallState.idle
  /// Where the agent may be heard, and where it is; empty before the start, and where the sound has no devices.
  public private(set) var audioState = VoiceAudioState()
  /// What was said, as far as the messaging socket tells; in the order in which it began.
  public private(set) var transcript: [TranscriptItem] = []
  /// Thinking by the messaging socket, speaking by what is heard.
  public private(set) var agentState = AgentState.listening

  @ObservationIgnored private let held: HeldSession<PolyAIDialect>
  @ObservationIgnored private let activation: AudioActivation?
  @ObservationIgnored private var audio: VoiceCallAudio?
  @ObservationIgnored private var reading: Task<Void, Never>?
  @ObservationIgnored private var starting: CheckedContinuation<Void, Never>?
  @ObservationIgnored private let stateBroadcast = EventBroadcast<VoiceCallState>(limit: 64) { _ in EventKind(0) }
  @ObservationIgnored private let audioBroadcast = EventBroadcast<VoiceAudioState>(limit: 64) { _ in EventKind(0) }

  init(_ dialect: PolyAIDialect, _ options: VoiceOptions, _ environment: SessionEnvironment) {
    var environment = environment
    activation = options.callKit ? AudioActivation() : nil
    let routes = environment.sound.routes
    if let activation { environment.sound = environment.sound.when(activation) }
    held = HeldSession(SessionDriver(dialect, environment))
    stateBroadcast.publish(.idle)
    audioBroadcast.publish(VoiceAudioState())
    if let routes {
      audio = VoiceCallAudio(routes, prefersSpeakerphone: options.speakerphone) { [weak self] in self?.take($0) }
    }
  }

  deinit {
    reading?.cancel()
    Task { [audio] in await audio?.end() }
    stateBroadcast.finish()
    audioBroadcast.finish()
  }

  /// Each state, the present one first; each reading is a subscription of its own, which ends with the call.
  public nonisolated var states: AsyncStream<VoiceCallState> { stateBroadcast.stream }
  /// The same of the devices.
  public nonisolated var audioStates: AsyncStream<VoiceAudioState> { audioBroadcast.stream }
  /// Bands of both voices, 20 times a second while there is sound.
  public var levels: AsyncStream<SessionLevels> { held.driver.levels }
  /// All that happens, in order, behind what holds.
  public var events: AsyncStream<CallEvent> { held.driver.commonEvents }

  // MARK: the call

  /// Calls; returns when both can hear each other. The microphone must be allowed before. Cancelling the task ends the
  /// call.
  public func start() async throws(PolyError) {
    guard state == .idle, reading == nil else {
      throw .voice(.signalingFailed("the call was started before; make a new one"))
    }
    let driver = held.driver
    reading = Task { [weak self, events = driver.events] in
      for await event in events { self?.take(event) }
    }
    change(to: .connecting)
    await audio?.begin()
    do throws(SessionError) { try await driver.perform(.start) } catch {
      // Ended meanwhile.
      guard error == .over else { throw PolyError(error) }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        if state == .connecting { starting = waiting } else { waiting.resume() }
      }
    } onCancel: {
      Task { await driver.end() }
    }
    switch state {
    case .failed(let error): throw error
    case .ended: throw .voice(.signalingFailed("the call was ended before it was connected"))
    case .idle, .connecting, .connected: return
    }
  }

  /// Ends the call; at any time, any number of times. Returns when sockets and sound are released. Before the start it
  /// does nothing.
  public func end() async {
    guard let reading else { return }
    await held.driver.end()
    await reading.value
  }

  /// Mutes or unmutes the microphone; before the call stands, the wish is kept. The far end hears silence.
  public func setMuted(_ isMuted: Bool) async { try? await held.driver.perform(.mute(isMuted)) }

  /// Whether the user has muted it; what the system does by an interruption is apart.
  public var isMuted: Bool { get async { await held.driver.mute.byUser } }

  /// Goes on at another device; `nil`: a headset, or what the options say.
  public func setAudioDevice(_ device: VoiceAudioDevice?) async { await audio?.choose(device?.id) }

  /// Says something in writing.
  public func sendText(_ text: String) async throws(PolyError) {
    do throws(SessionError) { try await held.driver.perform(.sendText(text)) } catch { throw PolyError(error) }
  }

  // MARK: the system

  /// Another call or the system takes the sound away: the microphone is off until that is over.
  public func interruptionBegan() async { try? await held.driver.perform(.systemMute(true)) }

  /// The sound comes back, or the call ends as `interrupted`.
  public func interruptionEnded(shouldResume: Bool) async {
    if shouldResume {
      try? await held.driver.perform(.systemMute(false))
    } else {
      try? await held.driver.perform(.own(.interruptionEnded(resumes: false)))
    }
  }

  /// With `callKit`: the system has activated the audio session, and sound begins. Without: nothing.
  public func audioSessionDidActivate() async {
    guard let activation else { return }
    await offMain { try? activation.activate() }
  }

  /// With `callKit`: the system has taken the audio session back.
  public func audioSessionDidDeactivate() async {
    guard let activation else { return }
    await offMain { activation.deactivate() }
  }

  /// Devices take their time to start.
  private nonisolated func offMain(_ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async {
        work()
        done.resume()
      }
    }
  }

  // MARK: what comes

  private func take(_ event: SessionEvent<PolyAIDialect.Notice>) {
    switch event {
    case .state(let new): change(to: VoiceCallState(new))
    case .transcript(let item):
      if let place = transcript.firstIndex(where: { $0.id == item.id }) {
        transcript[place] = item
      } else {
        transcript.append(item)
      }
    case .agentState(let new): agentState = new
    case .released:
      stateBroadcast.finish()
      audioBroadcast.finish()
      Task { [audio] in await audio?.end() }
    case .mute, .interruption, .toolCall, .spoken, .notice, .problem: break
    }
  }

  private func change(to new: VoiceCallState) {
    // The session's own idle comes first and is older news.
    guard new != state, new != .idle else { return }
    state = new
    stateBroadcast.publish(new)
    guard new != .connecting else { return }
    starting?.resume()
    starting = nil
  }

  private func take(_ new: VoiceAudioState) {
    guard new != audioState else { return }
    audioState = new
    audioBroadcast.publish(new)
  }
}
