import VoiceSession

// The vendor's published sample, step by step. It is compiled and run, so that the page about moving over stays true.

/// A screen with a call on it.
@MainActor final class VoiceCallScreen {
  private let makeCall: () async throws -> VoiceCall
  private(set) var call: VoiceCall?
  private(set) var shown: [String] = []
  private(set) var output = ""
  private(set) var offersRetry = false

  init(
    makeCall: @escaping () async throws -> VoiceCall = {
      try PolyVoice.call(
        config: PolyConfiguration(apiKey: "YOUR_CONNECTOR_TOKEN"),
        options: VoiceOptions(webrtcToken: "YOUR_WEB_CALLING_TOKEN"))
    }
  ) { self.makeCall = makeCall }

  /// After the microphone is allowed.
  func start() async throws {
    let call = try await makeCall()
    self.call = call
    Task { for await state in call.states { render(state) } }
    Task { for await snapshot in call.audioStates { output = snapshot.selectedDevice?.name ?? "" } }
    try await call.start()
    await call.setMuted(true)
  }

  func useEarpiece() async {
    let earpiece = call?.audioState.availableDevices.first { $0.kind == .earpiece }
    await call?.setAudioDevice(earpiece)
  }

  func stop() async { await call?.end() }

  private func render(_ state: VoiceCallState) {
    switch state {
    case .idle: shown.append("idle")
    case .connecting: shown.append("connecting")
    case .connected: shown.append("connected")
    case .ended: shown.append("ended")
    case .failed(let error):
      shown.append("failed")
      offersRetry = error.isRetryable
    }
  }
}
