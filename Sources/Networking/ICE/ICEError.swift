public import RTPTransport

/// Why ICE does not begin, or ended.
public enum ICEError: Error, Equatable, Sendable, CustomStringConvertible {
  /// libnice gives no agent.
  case unavailable
  /// No own address may be used.
  case noLocalAddress
  /// No socket could be bound in this range of ports.
  case noFreePort(ClosedRange<UInt16>)
  /// Not an IP address.
  case invalidLocalAddress(String)
  /// A relay policy without a TURN server can find nothing.
  case noRelayServer
  /// The file of authorities for TURN over TLS cannot be read.
  case unreadableAuthorities(String)
  /// More TURN servers than this can be asked.
  case tooManyServers(limit: Int)
  /// The peer's credentials break RFC 8839 §5.4.
  case invalidCredentials(ICECredentials)
  /// The peer has restarted, but this end has not.
  case restartNeeded
  /// The peer only answers checks, but this end has begun as the controlled one.
  case peerIsLite
  /// No pair of candidates worked.
  case noPath(ICEStatistics)
  /// No pair of candidates worked within this many seconds.
  case timedOut(seconds: Double, ICEStatistics)
  /// The peer has not answered consent checks for about this many seconds.
  case consentExpired(seconds: Double)
  /// The socket of the selected pair has ended, as when a TURN server closes its connection.
  case pathClosed

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .unavailable: "libnice gives no agent; check the installed version, 0.1.20 or later"
    case .noLocalAddress:
      "no network interface with a usable address is up; check the network, or allow loopback addresses for a test"
    case .noFreePort(let range):
      "no free UDP port in \(range.lowerBound)-\(range.upperBound); widen the range: each call takes one a local address"
    case .invalidLocalAddress(let text): "\"\(text)\" is no IP address; give IPv4 or IPv6 addresses of this machine"
    case .noRelayServer: "the policy is relay but no TURN server is given; add one, or allow all candidates"
    case .unreadableAuthorities(let path): "\"\(path)\" cannot be read as a PEM file of certificates; check the path"
    case .tooManyServers(let limit): "more than \(limit) TURN servers; give the nearest ones"
    case .invalidCredentials(let credentials):
      "the peer's \(credentials) are not of 4-256 and 22-256 ICE characters; check that its description is whole"
    case .restartNeeded:
      "the peer has new ICE credentials; call restartICE() and put this end's new ones into the answer"
    case .peerIsLite:
      "the peer is ice-lite, so that this end must control; gather with isControlling true"
    case .noPath(let counts):
      "no candidate pair works (\(counts)); check firewalls, and give a TURN server"
    case .timedOut(let seconds, let counts):
      "no candidate pair worked within \(seconds) s (\(counts)); check that the peer's candidates arrive, and give a TURN "
        + "server"
    case .consentExpired(let seconds):
      "the peer has not answered for \(seconds) s; its network is gone: restart ICE, or end the call"
    case .pathClosed: "the connection to the TURN server has ended; restart ICE, or end the call"
    }
  }
}

/// Counts of one ICE agent.
public struct ICEStatistics: Hashable, Sendable, CustomStringConvertible {
  /// Own candidates found.
  public var localCandidateCount = 0
  /// Peer's candidates in use.
  public var remoteCandidateCount = 0
  /// Peer's candidates that cannot be used: TCP, another component, an address that is not allowed.
  public var unusableCandidateCount = 0
  /// Peer's candidates whose host name was not looked up, or not found.
  public var unresolvedCandidateCount = 0
  /// Peer's candidates beyond the limits, or of a generation gone by.
  public var droppedCandidateCount = 0
  /// How often the selected pair changed.
  public var selectedCandidatePairChanges = 0
  /// How often consent checks remained unanswered for 10 s.
  public var missedConsentCount = 0

  /// The candidates' counts.
  public var description: String {
    "\(localCandidateCount) local and \(remoteCandidateCount) remote candidates, "
      + "\(unusableCandidateCount + unresolvedCandidateCount + droppedCandidateCount) remote left out"
  }
}
