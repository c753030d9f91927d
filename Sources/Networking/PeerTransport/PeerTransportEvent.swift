public import RTPTransport
internal import Synchronization

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

/// Gives events to any number of readers; each begins with what holds now.
final class PeerTransportEvents: Sendable {
  private struct State {
    var candidates: [ICECandidate] = []
    var gathering = ICEGatheringState.new
    var ice = ICEState.new
    var pair: ICECandidatePair?
    var dtls = DTLSTransport.State.new
    var keys: DTLSTransport.Keys?
    var failure: PeerTransportError?
    var isClosed = false
    var readers: [Int: AsyncStream<PeerTransportEvent>.Continuation] = [:]
    var readerCount = 0

    /// What a new reader has missed that still holds.
    var summary: [PeerTransportEvent] {
      var events = candidates.map { PeerTransportEvent.localCandidate($0) }
      if gathering != .new { events.append(.gatheringState(gathering)) }
      if ice != .new { events.append(.iceState(ice)) }
      if let pair { events.append(.selectedPair(pair)) }
      if dtls != .new { events.append(.dtlsState(dtls)) }
      if let keys { events.append(.connected(keys)) }
      if let failure { events.append(.failed(failure)) }
      if isClosed { events.append(.closed) }
      return events
    }

    mutating func note(_ event: PeerTransportEvent) {
      switch event {
      case .candidateError: break  // past is past
      case .localCandidate(let candidate): candidates.append(candidate)
      case .gatheringState(let state): gathering = state
      case .iceState(let state):
        ice = state
        if state == .connected || state == .completed, case .ice = failure { failure = nil }
      case .selectedPair(let new): pair = new
      case .dtlsState(let state): dtls = state
      case .connected(let new): keys = new
      case .failed(let error): failure = error
      case .closed: isClosed = true
      }
    }
  }

  private let state = Mutex(State())

  /// Events that wait for one slow reader; beyond, its oldest are lost. A call has about 30.
  static let limit = 256

  var stream: AsyncStream<PeerTransportEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PeerTransportEvent.self, bufferingPolicy: .bufferingNewest(Self.limit))
    // Under the lock, so that no event comes between the summary and what follows.
    let number = state.withLock { state -> Int? in
      for event in state.summary { continuation.yield(event) }
      if state.isClosed { return nil }
      state.readerCount += 1
      state.readers[state.readerCount] = continuation
      return state.readerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  func publish(_ event: PeerTransportEvent) {
    let readers = state.withLock { state in
      state.note(event)
      for reader in state.readers.values { reader.yield(event) }
      defer { if event == .closed { state.readers = [:] } }
      return event == .closed ? Array(state.readers.values) : []
    }
    for reader in readers { reader.finish() }
  }

  /// Own candidates begin anew.
  func forgetCandidates() { state.withLock { $0.candidates = [] } }

  deinit {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }
}
