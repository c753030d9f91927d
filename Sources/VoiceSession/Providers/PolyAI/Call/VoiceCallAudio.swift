internal import AudioDevices
internal import Dispatch

/// Looks after the devices of one call: tells what there is, follows headsets that come and go, and carries out what the
/// user chooses. A sound server may take its time, so all of it happens off the main actor, one after the other.
actor VoiceCallAudio {
  private let routes: SoundRoutes
  private var routing: VoiceRouting
  private let tell: @MainActor @Sendable (VoiceAudioState) -> Void
  private var following: Task<Void, Never>?
  private var used: (loudspeaker: String?, microphone: String?)?

  init(
    _ routes: SoundRoutes, prefersSpeakerphone: Bool, tell: @escaping @MainActor @Sendable (VoiceAudioState) -> Void
  ) {
    self.routes = routes
    routing = VoiceRouting(prefersSpeakerphone: prefersSpeakerphone)
    self.tell = tell
  }

  /// Chooses a device before the sound begins, and follows what happens from then on.
  func begin() async {
    guard following == nil else { return }
    let routes = routes
    let events = try? await offMain { try routes.events() }
    await refresh()
    guard let events else { return }
    following = Task { [weak self] in for await _ in events { await self?.refresh() } }
  }

  func choose(_ id: String?) async {
    routing.choose(id)
    await refresh()
  }

  func end() { following?.cancel() }

  private func refresh() async {
    let routes = routes
    guard let devices = try? await offMain({ try routes.devices() }) else { return }
    routing.take(devices)
    let wanted = (loudspeaker: routing.loudspeaker, microphone: routing.microphone)
    if used.map({ $0 != wanted }) ?? true {
      used = wanted
      try? await offMain { try routes.select(wanted.loudspeaker, .playback) }
      try? await offMain { try routes.select(wanted.microphone, .capture) }
    }
    await tell(routing.state)
  }

  private func offMain<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async { done.resume(with: Result { try work() }) }
    }
  }
}
