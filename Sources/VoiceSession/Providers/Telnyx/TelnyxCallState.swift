/// How far one call of a connection is.
public enum TelnyxCallState: Sendable, Hashable {
  /// Being prepared; the far end knows nothing of it.
  case new
  /// The invitation has gone out.
  case connecting
  /// The assistant is being called.
  case ringing
  /// Both can hear each other.
  case active
  /// Held by this end.
  case held
  /// It is over.
  case done(TelnyxTermination?)
  /// The network has gone, and is being waited for.
  case reconnecting(TelnyxInterruption)
  /// The network went before the call stood: it is over.
  case dropped(TelnyxInterruption)

  /// Whether nothing changes any more.
  public var isOver: Bool {
    switch self {
    case .done, .dropped: true
    case .new, .connecting, .ringing, .active, .held, .reconnecting: false
    }
  }

  /// Whether the far end has taken the call, so that it outlives a broken connection.
  var isEstablished: Bool {
    switch self {
    case .active, .held, .reconnecting: true
    case .new, .connecting, .ringing, .done, .dropped: false
    }
  }
}

/// What has gone wrong with the way to the server.
public enum TelnyxInterruption: String, Sendable, Hashable {
  /// This machine has gone to another network.
  case networkSwitch
  /// The network or the socket is lost.
  case networkLost
  /// The server has a fault.
  case serverError
}

/// Why a call is over.
public struct TelnyxTermination: Sendable, Hashable {
  /// The cause's name, as `TelnyxCause` lists them.
  public var cause: String?
  /// Its number (ITU-T Q.850, and the provider's own above 127).
  public var causeCode: Int?
  /// Of the telephone network, where there is one.
  public var sipCode: Int?
  /// Its words.
  public var sipReason: String?
  /// Its name for the call.
  public var sipCallID: String?

  /// A reason.
  public init(
    cause: String? = nil, causeCode: Int? = nil, sipCode: Int? = nil, sipReason: String? = nil, sipCallID: String? = nil
  ) {
    self.cause = cause
    self.causeCode = causeCode
    self.sipCode = sipCode
    self.sipReason = sipReason
    self.sipCallID = sipCallID
  }

  init(_ cause: TelnyxCause) { self.init(cause: cause.name, causeCode: cause.rawValue) }
}

/// Causes of the end of a call, with the numbers they have on the wire.
public enum TelnyxCause: Int, Sendable, Hashable, CaseIterable {
  case unallocatedNumber = 1
  /// An established call is over.
  case normalClearing = 16
  /// This end gave up before there was an answer.
  case userBusy = 17
  case callRejected = 21
  case normalTemporaryFailure = 41
  case incompatibleDestination = 88
  /// An answer without a session description.
  case mandatoryInformationMissing = 96
  /// No answer in time.
  case recoveryOnTimerExpire = 102
  case originatorCancel = 487
  case allottedTimeout = 602
  case invalidGateway = 608

  /// On the wire.
  public var name: String {
    switch self {
    case .unallocatedNumber: "UNALLOCATED_NUMBER"
    case .normalClearing: "NORMAL_CLEARING"
    case .userBusy: "USER_BUSY"
    case .callRejected: "CALL_REJECTED"
    case .normalTemporaryFailure: "NORMAL_TEMPORARY_FAILURE"
    case .incompatibleDestination: "INCOMPATIBLE_DESTINATION"
    case .mandatoryInformationMissing: "MANDATORY_IE_MISSING"
    case .recoveryOnTimerExpire: "RECOVERY_ON_TIMER_EXPIRE"
    case .originatorCancel: "ORIGINATOR_CANCEL"
    case .allottedTimeout: "ALLOTTED_TIMEOUT"
    case .invalidGateway: "INVALID_GATEWAY"
    }
  }
}
