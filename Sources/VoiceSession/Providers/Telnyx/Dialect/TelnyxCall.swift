internal import RealtimeCore

/// One call of a connection.
struct TelnyxCall: Sendable {
  /// This end's name for it, lower case.
  let id: String
  let parameters: TelnyxCallParameters
  var state = TelnyxCallState.new
  /// What is being sent, or was last.
  var gathering: CandidateGathering
  /// The frame that awaits a word of the server, by its id.
  var inviteID: String?
  var updateID: String?
  /// The far end's description that holds, from before its answer or with it.
  var farDescription: String?
  /// Whether the user wants it held, over a broken connection too.
  var isHeld = false
  /// Whether the far end's packets keep coming.
  var isReceiving = false
  var recovery = Recovery.none

  init(id: String, _ parameters: TelnyxCallParameters, asksServers: Bool) {
    self.id = id
    self.parameters = parameters
    gathering = CandidateGathering(.invite, asksServers: asksServers)
  }

  /// How a call that was cut off is being saved, from the lighter means to the heavier.
  enum Recovery: Sendable, Hashable {
    case none
    /// The server is asked for a sign of life first.
    case probing
    /// A new path is being looked for.
    case restarting
    /// It is agreed on; packets must come.
    case proving
    /// A new connection, and the call on it.
    case reattaching
  }
}

/// The connection to the server.
struct TelnyxLink: Sendable {
  enum Phase: Sendable, Hashable { case closed, dialling, loggingIn, ready }

  var phase = Phase.closed
  /// How often the server was dialled.
  var dials = 0
  /// This end's name for the session, or the server's when it has given one.
  var session: String
  /// Leads to the same machine again.
  var serverSession: String?
  /// Whether the region's host is asked, or the one without a region.
  var usesRegion = true
  var loginID: String?
  /// Whether a login was accepted before: the next one is a reconnection.
  var wasReady = false
  /// How often the gateway's state was asked for; 0 when it is not of interest.
  var gatewayAsks = 0
  var isRegistered = false
  var probeID: String?
  /// When anything came last.
  var lastInbound = MediaInstant.zero
  /// When something that this end asked was answered last.
  var lastReply = MediaInstant.zero

  init(session: String) { self.session = session }

  /// Whether the server had its time to say that a gateway is to be asked: not every login leads to one.
  var isWithoutGateway = false

  /// Whether a call may be announced: to an unregistered client the gateway would refuse it.
  var takesCalls: Bool { isRegistered || (isWithoutGateway && gatewayAsks == 0) }
}

/// The newest ids of frames, so that one that comes twice counts once.
struct RecentIdentifiers: Sendable {
  private var order: [String] = []
  private var known: Set<String> = []
  private static let limit = 1_024

  /// Whether it is new.
  mutating func insert(_ id: String) -> Bool {
    guard known.insert(id).inserted else { return false }
    order.append(id)
    if order.count > Self.limit {
      for old in order.prefix(Self.limit / 2) { known.remove(old) }
      order.removeFirst(Self.limit / 2)
    }
    return true
  }
}
