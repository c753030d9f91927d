internal import Networking

/// One call in our stand-in for the vendor's unpublished wire. It has no socket: what it wants said is told as `send`, and
/// goes through the client's session, whichever that is at the time; so the sound outlives a session.
package struct StandInCallDialect: SessionDialect {
  package enum Timer: Hashable, Sendable {
    /// No sound comes.
    case silence
  }
  package enum Command: Sendable {
    /// What the back end said of this call.
    case message(StandInCallMessage)
    case answer
    case reject
    case earmuff(Bool)
    case say(String)
    /// A new session of the old id has taken the call over.
    case reconnect
    /// The call was hung up here; the back end knows.
    case hangUp
    /// The session that was to bring the call has failed.
    case refused(SessionError)
  }
  package enum Notice: Sendable, Hashable {
    /// For the session.
    case send(StandInRequest.Call)
    case leg(String, VoiceLegStatus)
    case inviteCancelled(VoiceInviteCancelReason)
    case mute(leg: String, isOn: Bool)
    case earmuff(leg: String, isOn: Bool)
    case dtmf(leg: String, digits: String)
    case transfer(conversationID: String)
    case mediaReconnecting
    case mediaReconnected
    /// The call is over, as no sound can flow.
    case mediaDisconnected(VoiceHangupReason)
    case hungUp(VoiceHangupReason, score: Double?)
  }

  /// How long no sound may come.
  package static let silenceSeconds = 20.0

  private let isIncoming: Bool
  private let reconnectsMedia: Bool
  private var isAnswered = false
  private var isOffered = false
  private var hasAnswer = false
  private var isMediaLost = false
  package private(set) var isHeld = false
  package private(set) var isEarmuffed = false
  /// Candidates of either end that came before their description.
  private var ownCandidates: [StandInRequest.Call] = []
  private var theirCandidates: [String] = []

  package init(isIncoming: Bool, reconnectsMedia: Bool = true) {
    self.isIncoming = isIncoming
    self.reconnectsMedia = reconnectsMedia
  }

  package mutating func start(_ session: inout Session) {
    if isIncoming {
      session.become(.ringing)
    } else {
      session.become(.connecting)
      openPeer(&session)
    }
  }

  private func openPeer(_ session: inout Session) {
    session.media(.openPeer(servers: [], trickles: true, offers: true))
    // What was wished before there was any sound.
    if isHeld { session.media(.mute(true)) }
    if isHeld || isEarmuffed { session.media(.deafen(true)) }
  }

  // MARK: what the app wants

  package mutating func command(_ command: SessionCommand<Command>, _ session: inout Session) throws(SessionError) {
    switch command {
    case .own(.message(let message)): take(message, &session)
    case .own(.answer):
      guard isIncoming, !isAnswered else { throw .vonageNoCall }
      isAnswered = true
      openPeer(&session)
    case .own(.reject):
      guard isIncoming, !isAnswered else { throw .vonageNoCall }
      send(.reject, &session)
      over(.localHangup, nil, &session)
    case .own(.earmuff(let isOn)):
      isEarmuffed = isOn
      guard !isHeld else { return }
      session.media(.deafen(isOn))
      send(.earmuff(isOn), &session)
    case .hold(let isHeld): hold(isHeld, &session)
    case .pressKeys(let keys):
      guard !keys.isEmpty, keys.allSatisfy({ "0123456789*#".contains($0) }) else {
        throw SessionError(.configuration, code: "invalidKeys", "keys are 0 to 9, * and #")
      }
      guard session.state.isActive else { throw .notActive }
      send(.dtmf(keys), &session)
    case .own(.say(let text)):
      guard session.state.isActive else { throw .notActive }
      send(.say(text), &session)
    case .own(.reconnect):
      send(.reconnect, &session)
      // What was wished while nobody could be told.
      send(.mute(isHeld || session.mute.isMuted), &session)
      send(.earmuff(isHeld || isEarmuffed), &session)
      if isMediaLost, hasAnswer { session.media(.restartICE) }
    case .own(.hangUp): over(.localHangup, nil, &session)
    case .own(.refused(let error)): session.fail(error)
    default: throw .unsupported("writing in a call")
    }
  }

  /// Both ends hear silence; the user's own mute and earmuff come back behind it.
  private mutating func hold(_ isHeld: Bool, _ session: inout Session) {
    guard isHeld != self.isHeld else { return }
    self.isHeld = isHeld
    session.setHeld(isHeld)
    session.media(.mute(isHeld || session.mute.isMuted))
    session.media(.deafen(isHeld || isEarmuffed))
    send(.mute(isHeld || session.mute.isMuted), &session)
    send(.earmuff(isHeld || isEarmuffed), &session)
  }

  package mutating func muted(_ session: inout Session) {
    // A call that is held stays silent whatever the user's own mute is.
    if isHeld { session.media(.mute(true)) } else { send(.mute(session.mute.isMuted), &session) }
  }

  // MARK: what the back end says

  private mutating func take(_ message: StandInCallMessage, _ session: inout Session) {
    switch message {
    case .answer(let sdp):
      guard isOffered else { return }
      session.media(.acceptAnswer(sdp))
      hasAnswer = true
      for candidate in theirCandidates { add(candidate, &session) }
      theirCandidates = []
      if isIncoming { stands(&session) }
    case .candidate(let line): if hasAnswer { add(line, &session) } else { theirCandidates.append(line) }
    case .leg(let leg, let status):
      session.publish(.notice(.leg(leg, status)))
      switch status {
      case .ringing: session.become(.ringing)
      case .answered: if !isIncoming || isAnswered { stands(&session) }
      case .completed: break
      }
    case .cancel(let reason):
      guard isIncoming, !isAnswered else { return }
      session.publish(.notice(.inviteCancelled(reason)))
      session.finish(.remote(reason.rawValue))
    case .mute(let leg, let isOn): session.publish(.notice(.mute(leg: leg, isOn: isOn)))
    case .earmuff(let leg, let isOn): session.publish(.notice(.earmuff(leg: leg, isOn: isOn)))
    case .dtmf(let leg, let digits): session.publish(.notice(.dtmf(leg: leg, digits: digits)))
    case .transfer(let id): session.publish(.notice(.transfer(conversationID: id)))
    case .hangup(let reason, let score): over(reason, score, &session)
    }
  }

  private func stands(_ session: inout Session) {
    guard !session.state.isActive else { return }
    session.become(.active([]))
    if isHeld { session.setHeld(true) }
    if isMediaLost { session.setReconnecting(true) }
  }

  private func add(_ line: String, _ session: inout Session) {
    session.media(line.isEmpty ? .endOfCandidates : .addCandidate(line))
  }

  // MARK: the sound

  package mutating func media(_ event: SessionMediaEvent, _ session: inout Session) {
    switch event {
    case .offer(let sdp):
      isOffered = true
      send(.offer(sdp), &session)
      for candidate in ownCandidates { send(candidate, &session) }
      ownCandidates = []
    case .localCandidate(let line, let mid): offer(.candidate(line, mid: mid), &session)
    case .endOfLocalCandidates: offer(.candidate("", mid: nil), &session)
    case .connected: mediaIsBack(&session)
    case .disconnected: mediaIsLost(&session)
    case .failed(let error):
      guard error.isRetryable, reconnectsMedia else { return disconnected(.unknown, error, &session) }
      mediaIsLost(&session)
    case .receiving(true): if !isMediaLost { session.cancelTimer(.silence) }
    case .receiving(false): if !session.isRunning(.silence) { session.setTimer(.silence, after: Self.silenceSeconds) }
    default: break
    }
  }

  private mutating func offer(_ candidate: StandInRequest.Call, _ session: inout Session) {
    if isOffered { send(candidate, &session) } else { ownCandidates.append(candidate) }
  }

  private mutating func mediaIsLost(_ session: inout Session) {
    guard !isMediaLost else { return }
    isMediaLost = true
    session.setReconnecting(true)
    session.publish(.notice(.mediaReconnecting))
    if !session.isRunning(.silence) { session.setTimer(.silence, after: Self.silenceSeconds) }
    if reconnectsMedia, hasAnswer { session.media(.restartICE) }
  }

  private mutating func mediaIsBack(_ session: inout Session) {
    session.cancelTimer(.silence)
    guard isMediaLost else { return }
    isMediaLost = false
    session.setReconnecting(false)
    session.publish(.notice(.mediaReconnected))
  }

  package mutating func elapsed(_ timer: Timer, _ session: inout Session) {
    disconnected(.mediaTimeout, SessionError(.timeout, code: "mediaTimeout", "no sound came for 20 s"), &session)
  }

  private func disconnected(_ reason: VoiceHangupReason, _ error: SessionError, _ session: inout Session) {
    send(.hangup, &session)
    session.publish(.notice(.mediaDisconnected(reason)))
    session.publish(.notice(.hungUp(reason, score: nil)))
    session.fail(error)
  }

  private func over(_ reason: VoiceHangupReason, _ score: Double?, _ session: inout Session) {
    session.publish(.notice(.hungUp(reason, score: score)))
    session.finish(reason == .localHangup ? .local : .remote(reason.rawValue))
  }

  private func send(_ request: StandInRequest.Call, _ session: inout Session) {
    session.publish(.notice(.send(request)))
  }
}
