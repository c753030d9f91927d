/// Is told what happens to a client's session and calls, in order, on the main actor. Only the first four must be there.
@MainActor public protocol VoiceClientDelegate: AnyObject {
  /// The session is over. Calls go on until their sound breaks; a session of the old id takes them over again.
  func client(_ client: VoiceClient, didReceiveSessionErrorWith reason: VoiceSessionErrorReason)
  /// The call is over.
  func voiceClient(
    _ client: VoiceClient, didReceiveHangupForCall callID: String, withQuality quality: VoiceQuality,
    reason: VoiceHangupReason)
  /// Somebody calls.
  func voiceClient(
    _ client: VoiceClient, didReceiveInviteForCall callID: String, from caller: String, with type: VoiceChannelType)
  /// It does not ring any more.
  func voiceClient(
    _ client: VoiceClient, didReceiveInviteCancelForCall callID: String, with reason: VoiceInviteCancelReason)

  /// The way to the back end broke, and is being found anew.
  func clientWillReconnect(_ client: VoiceClient)
  /// It is found.
  func clientDidReconnect(_ client: VoiceClient)
  /// How far a party is.
  func voiceClient(
    _ client: VoiceClient, didReceiveLegStatusUpdateForCall callID: String, withLegID legID: String,
    andStatus status: VoiceLegStatus)
  /// A party was muted, or is not any more.
  func voiceClient(
    _ client: VoiceClient, didReceiveMuteForCall callID: String, withLegID legID: String, andStatus isMuted: Bool)
  /// A party hears nothing, or does again.
  func voiceClient(
    _ client: VoiceClient, didReceiveEarmuffForCall callID: String, withLegID legID: String, andStatus isOn: Bool)
  /// A party pressed keys.
  func voiceClient(
    _ client: VoiceClient, didReceiveDTMFForCall callID: String, withLegID legID: String, andDigits digits: String)
  /// The call was moved to another conversation.
  func voiceClient(
    _ client: VoiceClient, didReceiveCallTransferForCall callID: String, withConversationID conversationID: String)
  /// The sound's way broke, and is being found anew.
  func voiceClient(_ client: VoiceClient, didReceiveMediaReconnectingForCall callID: String)
  /// It is found.
  func voiceClient(_ client: VoiceClient, didReceiveMediaReconnectionForCall callID: String)
  /// It is not: the call is over.
  func voiceClient(
    _ client: VoiceClient, didReceiveMediaDisconnectForCall callID: String, reason: VoiceHangupReason)
  /// Counters of the sound, once a second.
  func voiceClient(_ client: VoiceClient, didReceiveStatistics snapshot: MediaSnapshot, forCall callID: String)
}

extension VoiceClientDelegate {
  /// Does nothing.
  public func clientWillReconnect(_ client: VoiceClient) {}
  /// Does nothing.
  public func clientDidReconnect(_ client: VoiceClient) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveLegStatusUpdateForCall callID: String, withLegID legID: String,
    andStatus status: VoiceLegStatus
  ) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveMuteForCall callID: String, withLegID legID: String, andStatus isMuted: Bool
  ) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveEarmuffForCall callID: String, withLegID legID: String, andStatus isOn: Bool
  ) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveDTMFForCall callID: String, withLegID legID: String, andDigits digits: String
  ) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveCallTransferForCall callID: String, withConversationID conversationID: String
  ) {}
  /// Does nothing.
  public func voiceClient(_ client: VoiceClient, didReceiveMediaReconnectingForCall callID: String) {}
  /// Does nothing.
  public func voiceClient(_ client: VoiceClient, didReceiveMediaReconnectionForCall callID: String) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveMediaDisconnectForCall callID: String, reason: VoiceHangupReason
  ) {}
  /// Does nothing.
  public func voiceClient(
    _ client: VoiceClient, didReceiveStatistics snapshot: MediaSnapshot, forCall callID: String
  ) {}
}
