public import RTPTransport

/// How far ICE is: W3C's RTCIceTransportState.
public enum ICEState: String, Sendable, CaseIterable {
  /// Nothing of the peer is known.
  case new
  /// Pairs are being checked.
  case checking
  /// A pair works; better ones may follow.
  case connected
  /// A pair works, and the search is over.
  case completed
  /// The pair's consent checks remain unanswered (RFC 7675). It may come back.
  case disconnected
  /// No pair works, or consent has run out. Only a restart helps.
  case failed
  /// This end has closed.
  case closed
}

/// How far the search for own candidates is: W3C's RTCIceGatheringState.
public enum ICEGatheringState: String, Sendable, CaseIterable {
  case new, gathering, complete
}

/// The pair of candidates that packets go between.
public struct ICECandidatePair: Hashable, Sendable, CustomStringConvertible {
  /// This end's.
  public let local: ICECandidate
  /// The peer's.
  public let remote: ICECandidate

  /// Types and addresses.
  public var description: String {
    "\(local.kind.rawValue) \(local.address) \(local.port) - \(remote.kind.rawValue) \(remote.address) \(remote.port)"
  }
}
