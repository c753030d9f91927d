// Calls: each is a line of its own; what the user wants of it goes there, and from there through the session.
extension VoiceClient {
  /// How long the back end may take to name a call, or to confirm its end.
  private static var answerSeconds: Double { 10 }

  /// Asks the back end for a call; its webhook server says with whom.
  /// - Parameter context: `to` goes to the answer webhook as such, all else as `custom_data`.
  /// - Returns: the call's id.
  public func serverCall(_ context: [String: String]) async throws(SessionError) -> String {
    let call = VoiceClientPendingCall()
    pending.append(call)
    do throws(SessionError) { try await tell(.send(.callCreate(context))) } catch {
      pending.removeAll { $0 === call }
      call.resolve(.failure(error))
      throw error
    }
    let deadline = Task {
      try? await Task.sleep(for: .seconds(Self.answerSeconds))
      guard !Task.isCancelled else { return }
      // Should it be named still, it is ended at once.
      call.isUnwanted = true
      call.resolve(.failure(SessionError(.timeout, "the back end does not name the call")))
    }
    defer { deadline.cancel() }
    return try await call.value()
  }

  /// Takes a call that rings here; returns when both sides can be heard.
  public func answer(_ callID: String) async throws(SessionError) {
    let line = try line(callID)
    try await line.driver.perform(.own(.answer))
    while let call = calls[callID] {
      switch call.state {
      case .active, .holding, .reconnecting: return
      case .ended: throw .vonageNoCall
      case .calling, .ringing: await line.changed()
      }
    }
    throw .vonageNoCall
  }

  /// Refuses a call that rings here.
  public func reject(_ callID: String) async throws(SessionError) {
    try await line(callID).driver.perform(.own(.reject))
  }

  /// Ends a call. Where the back end cannot be told, it goes on.
  /// - Parameter callID: `nil`: the newest call that has no id yet; it is ended as soon as it has.
  public func hangup(_ callID: String?) async throws(SessionError) {
    guard let callID else { return try await hangupPending() }
    let line = try line(callID)
    try await tell(.send(.call(id: callID, .hangup)))
    let deadline = Task {
      try? await Task.sleep(for: .seconds(Self.answerSeconds))
      if !Task.isCancelled { try? await line.driver.perform(.own(.hangUp)) }
    }
    defer { deadline.cancel() }
    while calls[callID] != nil { await line.changed() }
  }

  private func hangupPending() async throws(SessionError) {
    guard let call = pending.last(where: { !$0.isUnwanted }) else { throw .vonageNoCall }
    call.isUnwanted = true
    do throws(SessionError) { _ = try await call.value() } catch {
      if error != .vonageHungUp { throw error }
    }
  }

  /// Takes a call over into a new session of the old id.
  public func reconnectCall(_ callID: String) async throws(SessionError) {
    try needSession()
    try await line(callID).driver.perform(.own(.reconnect))
  }

  /// Silence goes out in place of the microphone, at once. An error says that the back end could not be told.
  public func mute(_ callID: String) async throws(SessionError) { try await setMuted(callID, true) }

  /// The microphone is on again.
  public func unmute(_ callID: String) async throws(SessionError) { try await setMuted(callID, false) }

  private func setMuted(_ callID: String, _ isMuted: Bool) async throws(SessionError) {
    try await line(callID).driver.perform(.mute(isMuted))
    calls[callID]?.isMuted = isMuted
    try needSession()
  }

  /// Nothing is heard of the far end. An error says that the back end could not be told.
  public func enableEarmuff(_ callID: String) async throws(SessionError) { try await setEarmuff(callID, true) }

  /// It is heard again.
  public func disableEarmuff(_ callID: String) async throws(SessionError) { try await setEarmuff(callID, false) }

  private func setEarmuff(_ callID: String, _ isOn: Bool) async throws(SessionError) {
    try await line(callID).driver.perform(.own(.earmuff(isOn)))
    calls[callID]?.isEarmuffed = isOn
    try needSession()
  }

  /// Neither side hears the other: earmuff and mute. Packets keep flowing.
  public func hold(_ callID: String) async throws(SessionError) { try await setHeld(callID, true) }

  /// Back to what was before.
  public func unhold(_ callID: String) async throws(SessionError) { try await setHeld(callID, false) }

  private func setHeld(_ callID: String, _ isHeld: Bool) async throws(SessionError) {
    try await line(callID).driver.perform(.hold(isHeld))
    try needSession()
  }

  /// Presses keys: 0 to 9, `*`, `#`.
  public func sendDTMF(_ callID: String, withDigits digits: String) async throws(SessionError) {
    try needSession()
    try await line(callID).driver.perform(.pressKeys(digits))
  }

  /// Speaks a text into the call.
  public func say(_ callID: String, text: String) async throws(SessionError) {
    try needSession()
    try await line(callID).driver.perform(.own(.say(text)))
  }

  /// Counters of a call's sound, as they were a moment ago; `nil` without sound.
  public func statistics(_ callID: String) async -> MediaSnapshot? { await lines[callID]?.driver.snapshot }

  /// Bands of both voices of a call, 20 times a second while there is sound.
  public func levels(_ callID: String) -> AsyncStream<SessionLevels> {
    lines[callID]?.driver.levels ?? AsyncStream { $0.finish() }
  }

  private func line(_ callID: String) throws(SessionError) -> VoiceClientLine {
    guard let line = lines[callID] else { throw .vonageNoCall }
    return line
  }

  private func needSession() throws(SessionError) {
    guard sessionState == .connected else { throw .vonageNoSession }
  }
}

// What the back end and the lines tell.
extension VoiceClient {
  /// The oldest call without an id has one.
  func named(_ id: String) {
    guard !pending.isEmpty else { return }
    let call = pending.removeFirst()
    guard !call.isUnwanted else {
      Task {
        try? await tell(.send(.call(id: id, .hangup)))
        call.resolve(.failure(.vonageHungUp))
      }
      return
    }
    begin(VoiceClientCall(id: id, isIncoming: false, caller: "", state: .calling))
    call.resolve(.success(id))
  }

  func invited(_ id: String, _ caller: String, _ channel: VoiceChannelType) {
    guard config.enablesWebSocketInvites, lines[id] == nil else { return }
    begin(VoiceClientCall(id: id, isIncoming: true, caller: caller, state: .ringing))
    publish(.invite(callID: id, from: caller, channel))
    delegate?.voiceClient(self, didReceiveInviteForCall: id, from: caller, with: channel)
  }

  private func begin(_ call: VoiceClientCall) {
    let id = call.id
    calls[id] = call
    lines[id] = VoiceClientLine(
      id, isIncoming: call.isIncoming, reconnectsMedia: config.autoReconnectMedia, environment,
      take: { [weak self] in self?.take($0, of: id) },
      measure: { [weak self] snapshot in
        guard let self else { return }
        delegate?.voiceClient(self, didReceiveStatistics: snapshot, forCall: id)
      })
  }

  private func take(_ event: SessionEvent<StandInCallDialect.Notice>, of id: String) {
    switch event {
    case .state(let state):
      switch state {
      case .ringing: become(.ringing, id)
      case .active(let activity):
        become(activity.contains(.reconnecting) ? .reconnecting : activity.contains(.held) ? .holding : .active, id)
      case .ended(let ending): over(id, ending == .local ? .localHangup : .remoteHangup)
      case .failed: over(id, .unknown)
      case .idle, .preparing, .connecting: break
      }
    case .notice(let notice): take(notice, of: id)
    case .released: lines.removeValue(forKey: id)?.close()
    default: break
    }
  }

  private func become(_ state: VoiceClientCallState, _ id: String) {
    guard let call = calls[id], call.state != state else { return }
    calls[id]?.state = state
    publish(.call(callID: id, state))
    lines[id]?.change()
  }

  /// Behind a hang-up that told its reason, this one tells nothing.
  private func over(_ id: String, _ reason: VoiceHangupReason) {
    guard calls[id] != nil else { return }
    become(.ended(reason), id)
    calls[id] = nil
    lines[id]?.change()
  }

  private func take(_ notice: StandInCallDialect.Notice, of id: String) {
    switch notice {
    case .send(let request): Task { try? await tell(.send(.call(id: id, request))) }
    case .leg(let leg, let status):
      publish(.leg(callID: id, legID: leg, status))
      delegate?.voiceClient(self, didReceiveLegStatusUpdateForCall: id, withLegID: leg, andStatus: status)
    case .inviteCancelled(let reason):
      over(id, .remoteHangup)
      publish(.inviteCancelled(callID: id, reason))
      delegate?.voiceClient(self, didReceiveInviteCancelForCall: id, with: reason)
    case .mute(let leg, let isOn):
      publish(.mute(callID: id, legID: leg, isOn))
      delegate?.voiceClient(self, didReceiveMuteForCall: id, withLegID: leg, andStatus: isOn)
    case .earmuff(let leg, let isOn):
      publish(.earmuff(callID: id, legID: leg, isOn))
      delegate?.voiceClient(self, didReceiveEarmuffForCall: id, withLegID: leg, andStatus: isOn)
    case .dtmf(let leg, let digits):
      publish(.dtmf(callID: id, legID: leg, digits: digits))
      delegate?.voiceClient(self, didReceiveDTMFForCall: id, withLegID: leg, andDigits: digits)
    case .transfer(let conversation):
      publish(.transfer(callID: id, conversationID: conversation))
      delegate?.voiceClient(self, didReceiveCallTransferForCall: id, withConversationID: conversation)
    case .mediaReconnecting: delegate?.voiceClient(self, didReceiveMediaReconnectingForCall: id)
    case .mediaReconnected: delegate?.voiceClient(self, didReceiveMediaReconnectionForCall: id)
    case .mediaDisconnected(let reason):
      delegate?.voiceClient(self, didReceiveMediaDisconnectForCall: id, reason: reason)
    case .hungUp(let reason, let score):
      let quality = VoiceQuality(score: score, measured: lines[id]?.quality)
      over(id, reason)
      publish(.hangup(callID: id, quality, reason))
      delegate?.voiceClient(self, didReceiveHangupForCall: id, withQuality: quality, reason: reason)
    }
  }
}
