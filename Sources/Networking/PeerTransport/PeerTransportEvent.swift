public import RTPTransport

/// What happens to a transport, in order.
public enum PeerTransportEvent: Sendable, Equatable {
  /// An own candidate, for the peer; again, under the new name, after a restart.
  case localCandidate(ICECandidate)
  /// `complete` is the end of own candidates, for the peer.
  case gatheringState(ICEGatheringState)
  /// A TURN server gave no candidate, for this reason: W3C's icecandidateerror. Others may serve.
  case candidateError(ICEServer, reason: String)
  case iceState(ICEState)
  /// The path that packets take, now and after each change.
  case selectedPair(ICECandidatePair)
  case dtlsState(DTLSTransport.State)
  /// Both ends are who they say, and these are the keys: media can flow. Once in a transport's life.
  case connected(DTLSTransport.Keys)
  /// Media cannot flow any more; the error says what helps. After a failure of ICE a restart may lead to `iceState`
  /// connected again.
  case failed(PeerTransportError)
  /// All is released. The last one.
  case closed
}

extension EventBroadcast<PeerTransportEvent> {
  /// A reader that comes late begins with all that holds still. A call has about 30 events.
  convenience init() {
    self.init(limit: 256) { event in
      switch event {
      case .localCandidate(let candidate): EventKind(0, candidate.description)
      case .gatheringState: EventKind(1)
      case .candidateError: nil  // past is past
      case .iceState: EventKind(2)
      case .selectedPair: EventKind(3)
      case .dtlsState: EventKind(4)
      case .connected: EventKind(5)
      case .failed: EventKind(6)
      case .closed: EventKind(7)
      }
    }
  }

  /// Own candidates begin anew.
  func forgetCandidates() {
    forget { event in
      if case .localCandidate = event { true } else { false }
    }
  }

  /// A path works again.
  func forgetFailureOfICE() {
    forget { event in
      if case .failed(.ice) = event { true } else { false }
    }
  }
}
