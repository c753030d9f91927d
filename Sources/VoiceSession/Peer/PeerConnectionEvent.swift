public import MediaEngine
public import Networking
public import RTPTransport

/// How far a connection is: W3C's RTCPeerConnectionState.
public enum PeerConnectionState: String, Sendable, CaseIterable {
  /// No description was exchanged.
  case new
  /// A path is being looked for, or secured.
  case connecting
  /// Sound flows.
  case connected
  /// The path does not answer; it may come back.
  case disconnected
  /// It will not; restart ICE or make a new connection.
  case failed
  /// This end has closed.
  case closed
}

/// What happens to a connection, in order.
public enum PeerConnectionEvent: Sendable {
  /// An own candidate for the peer, of the section `mid`; only with `trickles`.
  case localCandidate(ICECandidate, mid: String?)
  /// There are no more own candidates.
  case endOfLocalCandidates
  /// How far the connection is, now and after each change.
  case state(PeerConnectionState)
  /// The path that packets take.
  case selectedPair(ICECandidatePair)
  /// Sound has begun, with what was agreed on.
  case mediaStarted(NegotiatedAudio)
  /// What the engine noticed: speech, keys, the end of the peer's stream.
  case media(MediaEvent)
  /// Why the state is `failed`.
  case failed(PeerConnectionError)
}
