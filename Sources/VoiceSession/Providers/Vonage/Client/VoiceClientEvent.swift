/// What a delegate is told, as a sequence.
public enum VoiceClientEvent: Sendable, Hashable {
  case session(VoiceClientSessionState)
  case invite(callID: String, from: String, VoiceChannelType)
  case inviteCancelled(callID: String, VoiceInviteCancelReason)
  case call(callID: String, VoiceClientCallState)
  case leg(callID: String, legID: String, VoiceLegStatus)
  case mute(callID: String, legID: String, Bool)
  case earmuff(callID: String, legID: String, Bool)
  case dtmf(callID: String, legID: String, digits: String)
  case transfer(callID: String, conversationID: String)
  case hangup(callID: String, VoiceQuality, VoiceHangupReason)
}

/// How good a call was.
public struct VoiceQuality: Sendable, Hashable {
  /// Mean opinion score, 1...5: the back end's, or else what was measured here; `nil`: neither is known.
  public var meanOpinionScore: Double?
  /// What was measured here in the call's last second.
  public var measured: CallQuality?

  init(score: Double?, measured: CallQuality?) {
    let own = measured.map(\.meanOpinionScore).flatMap { $0.isFinite ? $0 : nil }
    meanOpinionScore = score.flatMap { $0.isFinite ? min(5, max(1, $0)) : nil } ?? own
    self.measured = measured
  }
}

/// A call, as an app may show it.
public struct VoiceClientCall: Sendable, Hashable, Identifiable {
  /// The back end's name for it.
  public let id: String
  /// Whether somebody called here.
  public let isIncoming: Bool
  /// Who, if so.
  public let caller: String
  /// Where it is.
  public var state: VoiceClientCallState
  /// By the user.
  public var isMuted = false
  /// By the user.
  public var isEarmuffed = false
}
