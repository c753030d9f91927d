/// What a delegate is told, as a sequence.
public enum VoiceClientEvent: Sendable, Hashable {
  /// Where the session is.
  case session(VoiceClientSessionState)
  /// Somebody calls.
  case invite(callID: String, from: String, VoiceChannelType)
  /// It does not ring any more.
  case inviteCancelled(callID: String, VoiceInviteCancelReason)
  /// Where a call is.
  case call(callID: String, VoiceClientCallState)
  /// How far a party is.
  case leg(callID: String, legID: String, VoiceLegStatus)
  /// A party was muted, or is not any more.
  case mute(callID: String, legID: String, Bool)
  /// A party hears nothing, or does again.
  case earmuff(callID: String, legID: String, Bool)
  /// A party pressed keys.
  case dtmf(callID: String, legID: String, digits: String)
  /// The call was moved.
  case transfer(callID: String, conversationID: String)
  /// The call is over.
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
