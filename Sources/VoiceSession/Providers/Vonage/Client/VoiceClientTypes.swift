/// Why a session is over.
public enum VoiceSessionErrorReason: String, Sendable, Hashable, CaseIterable {
  /// The token's time is over: fetch a new one, and create the session again with the old id.
  case tokenExpired
  /// The way to the back end broke and could not be found again.
  case transportClosed
  /// The back end does not answer.
  case pingTimeout
  case unknown

  init(_ error: SessionError) { self = error.code.flatMap { Self(rawValue: $0) } ?? .unknown }

  /// As an error of a session.
  var error: SessionError {
    switch self {
    case .tokenExpired:
      SessionError(
        .authentication, code: rawValue, "the token has expired; create the session again with a new one and the old id"
      )
    case .transportClosed: SessionError(.network, code: rawValue, "the way to the back end broke")
    case .pingTimeout: SessionError(.timeout, code: rawValue, "the back end does not answer")
    case .unknown: SessionError(.server, code: rawValue, "the back end ended the session without a known reason")
    }
  }
}

/// Through what a call comes in.
public enum VoiceChannelType: String, Sendable, Hashable, CaseIterable {
  case app
  case phone
  case sip
  case websocket
  case unknown
}

/// Why a call that rang here does not any more.
public enum VoiceInviteCancelReason: String, Sendable, Hashable, CaseIterable {
  /// By another device of this user.
  case answeredElsewhere
  /// By another device of this user.
  case rejectedElsewhere
  /// The caller has given up.
  case remoteCancel
  /// It has rung long enough.
  case remoteTimeout
  case unknown
}

/// How far a party of a call is.
public enum VoiceLegStatus: String, Sendable, Hashable, CaseIterable {
  case ringing
  case answered
  /// The party has left; the call itself ends with its hang-up.
  case completed
}

/// Why a call is over.
public enum VoiceHangupReason: String, Sendable, Hashable, CaseIterable {
  case localHangup
  case remoteHangup
  case remoteReject
  case remoteNoAnswerTimeout
  /// No sound came for 20 s.
  case mediaTimeout
  case unknown
}

/// Where a call is.
public enum VoiceClientCallState: Sendable, Hashable {
  /// It has an id, and nobody rings yet.
  case calling
  /// There, or here where it came in.
  case ringing
  case active
  /// Neither side hears the other, by the user's wish.
  case holding
  /// The way of the sound broke, and is being found anew.
  case reconnecting
  case ended(VoiceHangupReason)
}

/// Where a session is.
public enum VoiceClientSessionState: Sendable, Hashable {
  case disconnected(VoiceSessionErrorReason?)
  case connecting
  case connected
  /// The way to the back end broke, and is being found anew; calls go on.
  case reconnecting
}

/// Where the back end is.
public struct VoiceClientConfig: Sendable {
  /// The vendor's regions; a user lives in one of them.
  public enum Region: String, Sendable, Hashable, CaseIterable {
    case us
    case eu
    case ap
  }

  /// Of the user.
  public var region: Region
  /// The socket of a back end that speaks our stand-in. The vendor's own is not published, so its region alone leads
  /// nowhere.
  public var webSocketURL: String?
  /// Whether calls from others are told.
  public var enablesWebSocketInvites = true
  /// Whether the sound's way is looked for anew when it breaks.
  public var autoReconnectMedia = true

  /// A back end.
  public init(region: Region = .us, webSocketURL: String? = nil) {
    self.region = region
    self.webSocketURL = webSocketURL
  }
}

extension SessionError {
  static let vonageNoSession = SessionError(
    .network, code: "sessionRequired", "there is no session, or it is being found anew; the call goes on",
    isRetryable: true)
  static let vonageNoCall = SessionError(.configuration, code: "noSuchCall", "there is no such call, or not any more")
  static let vonageNoURL = SessionError(
    .configuration, code: "noBackEnd",
    "the vendor's own wire is not published; give webSocketURL of a back end that speaks the stand-in")
  static let vonageHungUp = SessionError(
    .interrupted, code: "hungUp", "the call was ended before it had an id", isRetryable: false)
}
