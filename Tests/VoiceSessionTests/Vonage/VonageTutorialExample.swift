import VoiceSession

// The vendor's tutorial, its second part: the model of an app that calls a number. Compiled and run, so that the page
// about moving over stays true. It differs from the tutorial in two places, where its model could crash or hang.

@MainActor final class CallModel: VoiceClientDelegate {
  private(set) var status = ""
  private(set) var isCalling = false
  let client: VoiceClient
  var number = ""
  private var callID: String?

  init(environment: SessionEnvironment = .devices) { client = VoiceClient(environment: environment) }

  func setup(webSocketURL: String, token: String) {
    client.setConfig(VoiceClientConfig(region: .us, webSocketURL: webSocketURL))
    client.delegate = self
    loginIfNeeded(token)
  }

  private func loginIfNeeded(_ token: String) {
    guard status != "Connected" else { return }
    client.createSession(token) { error, _ in self.status = error?.message ?? "Connected" }
  }

  func startCall() {
    isCalling = true
    client.serverCall(["to": number]) { error, callID in
      // A call that failed leaves the screen as it was before.
      guard error == nil else { return self.resetState() }
      self.callID = callID
    }
  }

  func endCall() {
    // Before the call has an id, nil means that call.
    client.hangup(callID) { error in
      if error == nil { self.resetState() }
    }
  }

  private func resetState() {
    callID = nil
    isCalling = false
    number = ""
  }

  func voiceClient(
    _ client: VoiceClient, didReceiveHangupForCall callID: String, withQuality quality: VoiceQuality,
    reason: VoiceHangupReason
  ) {
    resetState()
  }

  func client(_ client: VoiceClient, didReceiveSessionErrorWith reason: VoiceSessionErrorReason) {
    status =
      switch reason {
      case .tokenExpired: "Expired Token"
      case .pingTimeout, .transportClosed: "Network Error"
      case .unknown: "Unknown"
      }
  }

  func voiceClient(
    _ client: VoiceClient, didReceiveInviteForCall callID: String, from caller: String, with type: VoiceChannelType
  ) {}

  func voiceClient(
    _ client: VoiceClient, didReceiveInviteCancelForCall callID: String, with reason: VoiceInviteCancelReason
  ) {}
}
